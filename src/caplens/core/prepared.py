"""The shared, lazy view of a corpus: a caption is tokenised, counted, parsed or embedded once, whoever asks.

A `Requirement` says what to derive from one side's captions. Metrics list their requirements; the first to ask
computes, the others share. Candidates stand on the references (`base`), so that both sides speak of the same ids; one
prepared reference side serves any number of systems.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from contextvars import copy_context
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.core.requirement import Requirement, Value
from caplens.corpus import Column, Corpus, ReferenceSets, SceneTuples, normalise_id
from caplens.corpus.graphs import cut_large
from caplens.errors import InputError, Notice, UsageError, counted, name_some
from caplens.files.telling import setting
from caplens.files.threads import BLOCK_ROWS, attentive_pool, available_cpus
from caplens.text import MAX_WORDS
from caplens.text.captions import Captions

_NOTHING: Any = object()


class PreparedCaptions:
    """Captions of one side with everything that was derived from them so far.

    Parameters
    ----------
    captions : Captions
        The captions.
    base : PreparedCaptions, optional
        The side whose ids are to be kept (the references, for candidates).
    jobs : int
        Threads that may be used.
    parses : pathlib.Path, optional
        The folder that the user named to keep parses, which take long, for later runs.
    graphs : SceneTuples, optional
        The scene graphs that stand in the place of captions.
    max_words : int
        How many words of a caption, or tuples of a scene graph, count: what is longer is cut here, for all metrics. 0
        stands for all. Candidates have the number of their base.
    """

    def __init__(
        self,
        captions: Captions,
        base: PreparedCaptions | None = None,
        jobs: int = 1,
        parses: Path | None = None,
        graphs: SceneTuples | None = None,
        max_words: int = MAX_WORDS,
    ) -> None:
        self.captions = captions
        self.graphs = graphs
        self.base = base
        self.max_words: int = max_words if base is None else base.max_words
        self._cut: set[int] = set()
        self.uncut: tuple[int, tuple[str, ...]] = (0, ())
        if graphs is not None and self.max_words:
            self.graphs, larger = cut_large(graphs, self.max_words)
            self._cut.update(larger)
        self.jobs = jobs
        self.parses = parses
        self._notices: dict[Notice, None] = {}
        self._values: dict[Requirement[Any], Any] = {}
        self._remembered: dict[Hashable, Any] = {}
        self._lock = threading.RLock()

    def __len__(self) -> int:
        return len(self.captions)

    def get(self, requirement: Requirement[Value]) -> Value:
        """Return what ``requirement`` asks for, computed the first time."""
        value: Value = self._values.get(requirement, _NOTHING)
        if value is _NOTHING:
            with self._lock:
                value = self._values.get(requirement, _NOTHING)  # another thread may have been faster
                if value is _NOTHING:
                    value = self._values[requirement] = requirement.compute(self)
        return value

    def get_all(self, requirements: Iterable[Requirement[Any]]) -> None:
        """Compute what is required; what is derived from the same `Requirement.source`, at the same time.

        The last of these is computed by this thread, so it should be the one that takes longest.
        """
        beside: dict[Requirement[Any], list[Requirement[Any]]] = {}
        for requirement in requirements:
            if requirement.source is None or self.jobs <= 1 or len(self) <= BLOCK_ROWS:
                self.get(requirement)
            elif requirement not in self._values:
                beside.setdefault(requirement.source, []).append(requirement)
        for source, (*others, last) in beside.items():
            self.get(source)
            with attentive_pool(len(others)) as submit:
                # Each sees who shows progress here: one of them may have an index to build.
                pending = {other: submit(copy_context().run, other.compute, self) for other in others}
                found = {last: last.compute(self), **{other: work.result() for other, work in pending.items()}}
            with self._lock:
                for requirement, value in found.items():
                    self._values.setdefault(requirement, value)

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return what ``make`` makes, made the first time; it lives as long as the captions."""
        with self._lock:
            if key not in self._remembered:
                self._remembered[key] = make()
            value: Value = self._remembered[key]
            return value

    def note(self, notices: Iterable[Notice]) -> None:
        """Keep what a requirement has to say to the user, each notice once."""
        with self._lock:
            self._notices.update(dict.fromkeys(notices))

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What requirements had to say so far."""
        with self._lock:
            return tuple(self._notices)

    def note_cut(self, captions: npt.NDArray[np.int64]) -> None:
        """Keep which captions were too long; of a scene graph the text is only for people."""
        with self._lock:
            self._cut.update(place for place in captions.tolist() if self.graphs is None or self.graphs[place] is None)

    @property
    def cut(self) -> list[int]:
        """Which captions were longer than `max_words`, as far as their words were asked for."""
        with self._lock:
            return sorted(self._cut)

    def note_uncut(self, count: int, scripts: tuple[str, ...]) -> None:
        """Keep how many captions the tokenizer found no words in, and their scripts (`uncut`)."""
        self.uncut = (count, scripts)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what everything is derived from; the rest is computed again where it is needed."""
        return {key: value for key, value in self.__dict__.items() if key not in ("_values", "_remembered", "_lock")}

    def __setstate__(self, state: dict[str, Any]) -> None:
        self.__dict__.update(state, _values={}, _remembered={}, _lock=threading.RLock())

    def base_value(self, requirement: Requirement[Value]) -> Value | None:
        """Return the base's value, or None where there is no base."""
        return self.base.get(requirement) if self.base is not None else None


class PreparedReferences(PreparedCaptions):
    """The reference side: captions in sets."""

    def __init__(
        self, references: ReferenceSets, jobs: int = 1, parses: Path | None = None, max_words: int = MAX_WORDS
    ) -> None:
        super().__init__(references.captions, None, jobs, parses, references.graphs, max_words)
        self.ids = references.ids
        self.offsets = references.offsets

    @property
    def sets(self) -> int:
        """Number of reference sets."""
        return len(self.ids)

    @property
    def ids_of_cut(self) -> list[str]:
        """The id of each reference that was cut."""
        owners = np.searchsorted(self.offsets, self.cut, side="right") - 1
        return [self.ids[owner] for owner in owners.tolist()]


@dataclass(frozen=True, eq=False)
class Prepared:
    """Candidates, prepared references, and which set each candidate row belongs to.

    ``ids`` name the rows; ``columns`` are what else the user gave, one entry per row; ``groups`` names the image of
    each row where several rows share one; ``system`` is the name of the system in a comparison.
    """

    candidates: PreparedCaptions
    references: PreparedReferences
    reference_set: npt.NDArray[np.int64]
    jobs: int = 1
    ids: Sequence[str] | None = None
    columns: Mapping[str, Column] = field(default_factory=dict)
    groups: Sequence[str] | None = None
    system: str = ""
    _remembered: dict[Hashable, Any] = field(default_factory=dict, repr=False)

    def __len__(self) -> int:
        return len(self.reference_set)

    def once(self, key: Hashable, make: Callable[[], Value]) -> Value:
        """Return what ``make`` makes from all rows, made the first time: explanations of many rows share it.

        Examples
        --------
        >>> import caplens
        >>> prepared = prepare(caplens.score(["a"], [["a"]], "rouge").corpus)
        >>> prepared.once("answer", lambda: 42), prepared.once("answer", lambda: 43)
        (42, 42)
        """
        if key not in self._remembered:
            self._remembered[key] = make()
        value: Value = self._remembered[key]
        return value

    def column(self, name: str, asking: str = "A metric") -> Column:
        """Return one of the further columns, or say that it was not given; ``asking`` is the metric that needs it."""
        if name not in self.columns:
            there = f"there are {', '.join(self.columns)}" if self.columns else "there are none"
            raise UsageError(
                f"{asking} needs the column {name!r} alongside the candidates ({there}): add it to their file, or pass "
                f"columns={{{name!r}: [...]}}."
            )
        return self.columns[name]

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What requirements had to say about either side, each notice once, and what was cut."""
        rows = [str(row) if self.ids is None else self.ids[row] for row in self.candidates.cut]
        cut = cut_notices(self.references, rows, self.references.graphs or self.candidates.graphs)
        uncut = uncut_notices(self.candidates, self.references)
        return tuple(dict.fromkeys((*uncut, *self.references.notices, *self.candidates.notices, *cut)))

    @property
    def facts(self) -> dict[str, str]:
        """What signatures say about the captions, if any were cut."""
        number = len(self.candidates.cut) + len(self.references.cut)
        return {"max_words": str(self.references.max_words), "cut": str(number)} if number else {}


def cut_notices(
    references: PreparedReferences, candidates: Sequence[str] = (), graphs: SceneTuples | None = None
) -> tuple[Notice, ...]:
    """Say in one notice how many captions were cut.

    ``candidates`` are the ids of the candidates among them; ``graphs`` tells that tuples may have been cut as well.
    """
    if not candidates and not references.cut:
        return ()
    ids = [*candidates, *references.ids_of_cut]
    units = "words" if graphs is None else "words or tuples"
    numbers = [len(ids), len(candidates), len(ids) - len(candidates)]
    what = {(True, True): "{1:candidate} and {2:reference}", (True, False): "{1:candidate}"}.get(
        (numbers[1] > 0, numbers[2] > 0), "{2:reference}"
    )
    wording = f"{what} truncated to the first {references.max_words:,} {units}: see {setting('max_words')}"
    return (Notice.worded("cut-caption", wording, numbers, ids),)


def uncut_notices(candidates: PreparedCaptions, references: PreparedReferences) -> tuple[Notice, ...]:
    """Say that captions are in languages whose words the tokenizer ``ptb`` cannot tell apart."""
    sides = {"candidate": candidates.uncut, "reference": references.uncut}
    what = " and ".join(counted(number, side) for side, (number, _) in sides.items() if number)
    if not what:
        return ()
    scripts = dict.fromkeys(name for _, names in sides.values() for name in names)
    total = sum(number for number, _ in sides.values())
    message = (
        f"{what} in {' and '.join(scripts)} characters, which the tokenizer ptb, designed for English, does not "
        f"segment: use {setting('tokenizer', 'char')}"
    )
    return (Notice("uncut-script", message, total),)


@dataclass(frozen=True, eq=False)
class Usage:
    """How often each reference set is used, for metrics that count documents.

    Attributes
    ----------
    rows : numpy.ndarray of int64
        By how many rows.
    images : numpy.ndarray of int64
        By how many images; an image whose rows have different references counts once for each set.
    """

    rows: npt.NDArray[np.int64]
    images: npt.NDArray[np.int64]

    @classmethod
    def once(cls, sets: int) -> Usage:
        """Each set once."""
        ones = np.ones(sets, dtype=np.int64)
        return cls(ones, ones)

    @classmethod
    def of_documents(cls, documents: Mapping[Any, int], ids: Sequence[str]) -> Usage:
        """Take the numbers of documents by id of the set; a set that is not named counts for none.

        Examples
        --------
        >>> Usage.of_documents({7: 3}, ["7", "8"]).rows.tolist()
        [3, 0]
        """
        counts = {normalise_id(name): count for name, count in documents.items()}
        known = set(ids)
        unknown = [name for name in counts if name not in known]
        if unknown:
            raise InputError(
                f"`documents` contains {counted(len(unknown), 'id')} without references ({name_some(unknown)})."
            )
        wrong = [name for name, count in counts.items() if not isinstance(count, int | np.integer) or count < 0]
        if wrong:
            raise UsageError(f"`documents` must map ids to whole numbers from 0, but does not for {name_some(wrong)}.")
        numbers = np.array([counts.get(name, 0) for name in ids], dtype=np.int64)
        return cls(numbers, numbers)

    @classmethod
    def of(cls, corpus: Corpus, repeats: npt.NDArray[np.int64] | None = None) -> Usage:
        """Count the rows and images of a corpus; without images, every set is one.

        ``repeats`` says for how many rows each row stands; by default for itself.
        """
        sets = len(corpus.references)
        if corpus.several and corpus.images is not None:  # a document is an image, however many candidates it has
            pairs = set(zip(map(str, corpus.images), corpus.reference_set.tolist(), strict=True))
            numbers = np.array([number for _, number in pairs], dtype=np.int64)
            documents = np.bincount(numbers, minlength=sets).astype(np.int64)
            return cls(documents, documents)
        once = np.bincount(corpus.reference_set, minlength=sets).astype(np.int64)
        rows = once
        if repeats is not None:
            rows = np.bincount(corpus.reference_set, weights=repeats, minlength=sets).astype(np.int64)
        if corpus.groups is None:
            return cls(rows, np.minimum(once, 1))
        used = [number for _, number in set(zip(corpus.groups, corpus.reference_set.tolist(), strict=True))]
        return cls(rows, np.bincount(np.array(used, dtype=np.int64), minlength=sets).astype(np.int64))


def prepare(
    corpus: Corpus,
    references: PreparedReferences | None = None,
    jobs: int | None = None,
    parses: Path | None = None,
) -> Prepared:
    """Prepare a corpus; pass ``references`` where they were prepared before (same sets, same order).

    ``parses`` is a folder that keeps parses for later runs.
    """
    jobs = jobs or available_cpus()
    side = PreparedReferences(corpus.references, jobs, parses) if references is None else references
    candidates = PreparedCaptions(corpus.candidates, side, jobs, parses, corpus.candidate_graphs)
    return Prepared(
        candidates,
        side,
        corpus.reference_set,
        jobs,
        corpus.ids,
        corpus.columns,
        corpus.groups,
        corpus.system,
    )
