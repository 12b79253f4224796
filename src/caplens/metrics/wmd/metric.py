"""Word Mover's Distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np
import numpy.typing as npt

from caplens.core.metric import Floats, State, Statistics, option
from caplens.core.prepared import Prepared, PreparedCaptions
from caplens.core.requirement import Requirement
from caplens.files.threads import for_each_block
from caplens.metrics.embedding.base import EmbeddingMetric
from caplens.metrics.embedding.words import CaptionWords, WordVectors
from caplens.metrics.wmd import _wmd
from caplens.output.explanation import Explanation
from caplens.text.ngrams import count_ids
from caplens.text.ragged import take_rows

MOST_KEPT = 2048  # words whose distances are kept: 16 MB, and nine of ten distances that captions ask for
BLOCK_ROWS = 512


@dataclass(frozen=True)
class CaptionBags(Requirement[_wmd.Bags]):
    """Captions as bags of the words that count."""

    words: WordVectors

    def compute(self, side: PreparedCaptions) -> _wmd.Bags:
        """Count each caption's words."""
        captions = side.get(CaptionWords(self.words))
        bags = count_ids(captions.numbers, captions.offsets)
        most_words = int(np.diff(bags.offsets).max(initial=0))
        return _wmd.Bags(bags.offsets, bags.ids, bags.counts, captions.lengths, most_words)


@dataclass(frozen=True)
class KeptDistances(Requirement[Floats]):
    """Room for the distances between the most frequent words of the references, filled as they are needed."""

    words: WordVectors

    def compute(self, side: PreparedCaptions) -> Floats:
        """Reserve it; the system gives the memory when it is written to."""
        size = min(MOST_KEPT, len(side.get(self.words).below))
        return np.zeros(size * (size + 1) // 2)


@dataclass(frozen=True)
class WordMoversDistance(EmbeddingMetric):
    r"""Word Mover's Distance as a similarity: the cost of moving the words of one caption to those of another.

    .. math:: d(c, r) = \min_{T \ge 0} \sum_{ij} T_{ij} \lVert v_i - v_j \rVert_2,\quad
              \sum_j T_{ij} = c_i,\quad \sum_i T_{ij} = r_j,\qquad
              \mathrm{WMD}(c, S) = \max_{r \in S} e^{-d(c, r)}

    where :math:`c_i` is the share of word :math:`i` among the words of the caption that have a vector and are not
    stop words. The optimum is exact. With ``combine=mean`` the similarities to all references are averaged. The
    maximum, 1, is reached by a candidate that has the same words as a reference, in the same proportions. A caption
    without such words scores 0. The shipped vectors are used unless ``vectors`` specifies others; ``vectors=raw`` is
    unmodified GloVe.

    References
    ----------
    M. Kusner, Y. Sun, N. Kolkin, K. Weinberger: From word embeddings to document distances, ICML 2015. As a caption
    metric: M. Kilickaya et al.: Re-evaluating automatic metrics for image captioning, EACL 2017.

    Examples
    --------
    >>> import caplens
    >>> wmd = caplens.metric("wmd(vectors=raw)")
    >>> prepared = wmd.prepare([["a person on a horse"], ["a dog on a horse"]])
    >>> [round(score, 4) for score in wmd(["a man rides a horse"] * 2, prepared)["WMD"].item_scores.tolist()]
    [0.0396, 0.0296]
    """

    name: ClassVar[str] = "wmd"
    title: ClassVar[str] = "WMD"
    origin: ClassVar[str] = "Kusner et al. 2015"
    idea: ClassVar[str] = "cost of moving the candidate's words to those of a reference, in word-vector space"

    combine: Literal["best", "mean"] = option("best", "how to combine references: the nearest, or the mean similarity")
    normalize: bool = option(False, "normalise all vectors to unit length")

    @property
    def keys(self) -> tuple[str, ...]:
        """``WMD``."""
        return ("WMD",)

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1."""
        return dict.fromkeys(self.keys, (0.0, 1.0))

    @property
    def normalized(self) -> bool:
        """Whether all vectors get the length 1."""
        return self.normalize

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Words with vectors, in bags."""
        return (*super().requires(), CaptionBags(self.words))

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return similarity, distance, and whether there is a distance at all (else it stands as 0)."""
        if self.combine == "best":
            table, _ = self.nearest(prepared)
        else:
            table = self._means(prepared)
        return Statistics(("similarity", "distance", "known"), table)

    def nearest(self, prepared: Prepared) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Return the statistics with the nearest reference, and its place among all reference captions."""
        bags = CaptionBags(self.words)
        ours, theirs = prepared.candidates.get(bags), prepared.references.get(bags)
        distances = self._distances(prepared)
        table = np.zeros((len(prepared), 3))
        best = np.full(len(prepared), -1, dtype=np.int64)
        offsets = prepared.references.offsets
        most = int(np.diff(offsets).max(initial=0))

        def fill(first: int, last: int) -> None:
            _wmd.nearest(ours, theirs, distances, offsets, prepared.reference_set, table, best, most, first, last)

        for_each_block(fill, len(prepared), prepared.jobs, self.title, BLOCK_ROWS)
        return table, best

    def _means(self, prepared: Prepared) -> Floats:
        """Average over references; those without a word that counts have the similarity 0 and no distance."""
        distances, counts = self.all_distances(prepared)
        rows = np.repeat(np.arange(len(prepared)), counts)
        known = np.isfinite(distances)
        number = np.bincount(rows[known], minlength=len(prepared))
        similarity = np.bincount(rows, weights=np.exp(-distances), minlength=len(prepared)) / np.maximum(counts, 1)
        distance = np.bincount(rows[known], weights=distances[known], minlength=len(prepared)) / np.maximum(number, 1)
        return np.column_stack([similarity, distance, number > 0])

    def all_distances(self, prepared: Prepared) -> tuple[Floats, npt.NDArray[np.int64]]:
        """Return the distance of each row to each of its references, row after row, and how many those are."""
        offsets = prepared.references.offsets
        captions, counts = take_rows(offsets, np.arange(offsets[-1], dtype=np.int64), prepared.reference_set)
        return self._pair_distances(prepared, np.repeat(np.arange(len(prepared)), counts), captions), counts

    def _pair_distances(
        self, prepared: Prepared, rows: npt.NDArray[np.int64], captions: npt.NDArray[np.int64]
    ) -> Floats:
        bags = CaptionBags(self.words)
        ours, theirs = prepared.candidates.get(bags), prepared.references.get(bags)
        distances = self._distances(prepared)
        found = np.empty(len(rows))

        def fill(first: int, last: int) -> None:
            _wmd.every(ours, theirs, distances, rows, captions, found, first, last)

        for_each_block(fill, len(rows), prepared.jobs, self.title)
        return found

    def _distances(self, prepared: Prepared) -> _wmd.Distances:
        words = prepared.candidates.get(self.words)
        return _wmd.Distances(words.below, words.above, prepared.references.get(KeptDistances(self.words)))

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show the plan: which words go to which words of the nearest reference, and what that costs."""
        from caplens.metrics.wmd.explanation import explain_row

        return explain_row(self, prepared, state, row)

    def row_distances(self, prepared: Prepared, row: int) -> Floats:
        """Return the distances of one row to its references; infinite where one has no word that counts."""
        first, last = prepared.references.offsets[prepared.reference_set[row] :][:2].tolist()
        captions = np.arange(first, last, dtype=np.int64)
        return self._pair_distances(prepared, np.full(len(captions), row, dtype=np.int64), captions)
