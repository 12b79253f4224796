"""What is scored: candidate rows over reference sets that are stored once; validated before, immutable."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.corpus.graphs import SceneTuples, TupleGraph
from caplens.corpus.tables import Column, check_labels, normalise_ids, take_columns
from caplens.errors import SHOWN_IDS, Notice, counted, name_some
from caplens.text.captions import Captions, as_places


@dataclass(frozen=True, eq=False, repr=False)
class ReferenceSets:
    """Reference captions; set ``s`` is the captions ``offsets[s]:offsets[s + 1]``.

    ``graphs`` holds the scene graphs that stand in the place of captions, None if none does.
    """

    ids: list[str]
    captions: Captions
    offsets: npt.NDArray[np.int64]
    graphs: SceneTuples | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        return f"{counted(len(self.captions), 'reference')} in {counted(len(self), 'set')}"

    @classmethod
    def empty(cls, ids: Iterable[str] = ()) -> ReferenceSets:
        """Return sets without captions."""
        names = list(ids)
        return cls(names, Captions.from_texts([])[0], np.zeros(len(names) + 1, dtype=np.int64))

    @cached_property
    def span(self) -> str:
        """How many references the sets have, for signatures: ``5``, or ``4-7``."""
        sizes = np.diff(self.offsets)
        low, high = int(sizes.min(initial=self.offsets[-1])), int(sizes.max(initial=0))
        return str(low) if low == high else f"{low}-{high}"

    def same_as(self, other: ReferenceSets) -> bool:
        """Tell whether these are the same captions in the same sets."""
        return self is other or (
            self.ids == other.ids
            and np.array_equal(self.offsets, other.offsets)
            and np.array_equal(self.captions.offsets, other.captions.offsets)
            and np.array_equal(self.captions.buffer, other.captions.buffer)
            and list(self.graphs or ()) == list(other.graphs or ())
        )

    def texts(self, index: int) -> list[str]:
        """Return the captions of one set."""
        return [self.captions[caption] for caption in range(self.offsets[index], self.offsets[index + 1])]


@dataclass(frozen=True, eq=False, repr=False)
class Corpus:
    """Candidate rows over shared reference sets.

    Attributes
    ----------
    ids : list of str
        One id per row; unique, unless a batch uses the same reference set several times.
    candidates : Captions
        One caption per row.
    references : ReferenceSets
        The reference sets; some may be unused.
    reference_set : numpy.ndarray of int64
        The set of each row; several rows may share one.
    groups : list of str or None
        The image of each row, if several rows share an image; images are then resampled instead of rows.
    notices : tuple of Notice
        Warnings about the input, with counts.
    candidate_graphs : SceneTuples or None
        The scene graphs used in place of candidates, or None.
    columns : dict of str to sequence
        Additional columns for metrics (image paths, features, categories), one entry per row.
    given_ids : list or None
        The ids as passed in Python, such as integers; None if they come from a file, where ids are text.
    system : str
        The name of the system in a comparison; otherwise empty.
    several : str
        How several candidates per image are handled (``each``, ``mean``, ``best``); otherwise empty.
    images : list or None
        The image of each row, if several candidates per image are scored.
    """

    ids: list[str]
    candidates: Captions
    references: ReferenceSets
    reference_set: npt.NDArray[np.int64]
    groups: list[str] | None = None
    notices: tuple[Notice, ...] = ()
    candidate_graphs: SceneTuples | None = None
    columns: dict[str, Column] = field(default_factory=dict)
    given_ids: list[Any] | None = None
    system: str = ""
    several: str = ""
    images: list[Any] | None = None

    def __len__(self) -> int:
        return len(self.ids)

    def __repr__(self) -> str:
        ids = name_some(self.ids[:SHOWN_IDS], len(self.ids))
        return f"Corpus({counted(len(self), 'candidate')}, {self.references!r}, ids {ids})"

    def labelled(self, groups: Sequence[Any] | None, columns: Mapping[str, Column] | None) -> Corpus:
        """Add groups and additional columns, if given."""
        found = check_labels(len(self), groups, columns)
        if "groups" in found:
            found["groups"] = normalise_ids(found["groups"])
        return replace(self, **found) if found else self

    def select(self, rows: npt.ArrayLike) -> Corpus:
        """Return the corpus of some rows (a shard, a sample); unused reference sets are dropped."""
        chosen = as_places(rows, len(self))
        used, renumbered = np.unique(self.reference_set[chosen], return_inverse=True)
        sizes = np.diff(self.references.offsets)[used]
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        starts = self.references.offsets[used]
        captions = np.repeat(starts - offsets[:-1], sizes) + np.arange(offsets[-1])
        return Corpus(
            ids=[self.ids[row] for row in chosen.tolist()],
            candidates=self.candidates.take(chosen),
            references=ReferenceSets(
                [self.references.ids[index] for index in used.tolist()],
                self.references.captions.take(captions),
                offsets,
                None if self.references.graphs is None else self.references.graphs.take(captions),
            ),
            reference_set=renumbered.astype(np.int64),
            groups=None if self.groups is None else [self.groups[row] for row in chosen.tolist()],
            candidate_graphs=None if self.candidate_graphs is None else self.candidate_graphs.take(chosen),
            columns=take_columns(self.columns, chosen),
            given_ids=None if self.given_ids is None else [self.given_ids[row] for row in chosen.tolist()],
            system=self.system,
            several=self.several,
            images=None if self.images is None else [self.images[row] for row in chosen.tolist()],
        )


def caption_columns(corpus: Corpus) -> dict[str, list[Any]]:
    """Return candidates and references as columns that files of rows have, and that readers take again.

    Where scene graphs stand in the place of captions, they have columns of their own.

    Examples
    --------
    >>> import caplens
    >>> caption_columns(caplens.score(["a dog"], [["two dogs", "dogs"]], "rouge").corpus)
    {'candidate': ['a dog'], 'references': [['two dogs', 'dogs']]}
    """
    found: dict[str, list[Any]] = {} if corpus.groups is None else {"image": corpus.groups}
    graphs = corpus.candidate_graphs
    texts: list[str] = list(corpus.candidates)
    found["candidate"] = texts if graphs is None else [None if graphs[row] else text for row, text in enumerate(texts)]
    if graphs is not None:
        found["candidate_graph"] = [_listed(graph) for graph in graphs]
    sets = corpus.references
    references = [sets.texts(index) for index in range(len(sets))]
    if sets.graphs is not None:
        bounds = list(zip(sets.offsets[:-1].tolist(), sets.offsets[1:].tolist(), strict=True))
        written = [[_listed(sets.graphs[place]) for place in range(*bound)] for bound in bounds]
        references = [
            [text for text, graph in zip(*both, strict=True) if graph is None]
            for both in zip(references, written, strict=True)
        ]
        kept = [[graph for graph in row if graph is not None] or None for row in written]
        found["reference_graphs"] = [kept[index] for index in corpus.reference_set.tolist()]
    found["references"] = [references[index] for index in corpus.reference_set.tolist()]
    return found


def _listed(graph: TupleGraph | None) -> list[list[str]] | None:
    return None if graph is None else [list(entry) for entry in graph]


def number_labels(labels: Iterable[str]) -> npt.NDArray[np.int64]:
    """Return the number of each label, counted in order of appearance.

    Examples
    --------
    >>> number_labels(["b", "a", "b"]).tolist()
    [0, 1, 0]
    """
    numbers: dict[str, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
