"""What is scored: candidate rows over reference sets that are stored once; validated before, immutable."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caplens.corpus.graphs import SceneTuples
from caplens.errors import Notice
from caplens.text.captions import Captions, as_places


@dataclass(frozen=True, eq=False)
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

    def texts(self, index: int) -> list[str]:
        """Return the captions of one set."""
        return [self.captions[caption] for caption in range(self.offsets[index], self.offsets[index + 1])]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Candidate rows over shared reference sets.

    Attributes
    ----------
    ids : list of str
        One id a row, all different.
    candidates : Captions
        One caption a row.
    references : ReferenceSets
        Only sets that some row uses.
    reference_set : numpy.ndarray of int64
        The set of each row; several rows may share one.
    groups : list of str or None
        The image of each row, where several rows share an image: resampling then draws images, not rows.
    notices : tuple of Notice
        What was odd in the input, counted.
    candidate_graphs : SceneTuples or None
        The scene graphs that stand in the place of candidates, None if none does.
    """

    ids: list[str]
    candidates: Captions
    references: ReferenceSets
    reference_set: npt.NDArray[np.int64]
    groups: list[str] | None = None
    notices: tuple[Notice, ...] = ()
    candidate_graphs: SceneTuples | None = None

    def __len__(self) -> int:
        return len(self.ids)

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
        )
