"""Greedy matching, embedding average and vector extrema: soft overlaps of words, with the names of nlg-eval."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from caplens.core.metric import Floats, State, Statistics, option
from caplens.core.prepared import Prepared
from caplens.core.requirement import Requirement
from caplens.files.threads import for_each_block
from caplens.metrics.embedding import _words as _embedded_words
from caplens.metrics.embedding.base import EmbeddingMetric
from caplens.metrics.embedding.rows import EmbeddedCaption, EmbeddedRow, embedded_row
from caplens.metrics.embedding.wembsim import COMBINATIONS, cosine_statistics
from caplens.metrics.embedding.words import CaptionVectors, CaptionWords
from caplens.output.explanation import Cell, Explanation, Table


@dataclass(frozen=True)
class SoftOverlap(EmbeddingMetric):
    """What the three have in common: the best reference counts, and stop words do."""

    remove_stop_words: bool = option(False, "remove NLTK's 179 English stop words")
    combine: Literal["max", "mean", "min"] = option("max", "how to combine references")

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From -1 to 1."""
        return dict.fromkeys(self.keys, (-1.0, 1.0))

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show the score with each reference."""
        texts = embedded_row(prepared, self.words, row)
        by_reference = tuple(
            (number, " ".join(reference.counting), self.overlap(texts.candidate, reference))
            for number, reference in enumerate(texts.references, 1)
        )
        return Explanation(
            metric=str(self.request()),
            candidate=texts.candidate.text,
            references=texts.reference_texts,
            scores={self.result_keys[0]: float(self.known_statistics(prepared, state).table[row, 0])},
            facts={"vectors": self.vectors, "words that count": len(texts.candidate.counting), "combine": self.combine},
            sections=(
                texts.candidate.marked("candidate (words that count)"),
                *self._details(texts),
                Table("by reference", ("reference", "words that count", "score"), by_reference),
            ),
        )

    @abstractmethod
    def overlap(self, ours: EmbeddedCaption, theirs: EmbeddedCaption) -> float:
        """Return the score with one reference, slowly."""

    def _details(self, texts: EmbeddedRow) -> tuple[Table, ...]:
        return ()


@dataclass(frozen=True)
class EmbeddingAverage(SoftOverlap):
    r"""Embedding average: cosine of mean word vectors, with the best reference.

    .. math:: \max_{r \in S} \frac{v(c) \cdot v(r)}{\lVert v(c) \rVert \lVert v(r) \rVert},\quad
              v(c) = \sum_{w \in c} v_w

    It is WEmbSim with stop words, with the sign of the cosine, and with the best reference instead of the mean. The
    maximum, 1, is reached by a candidate that has the words of a reference in the same proportions.

    References
    ----------
    J. Mitchell, M. Lapata: Vector-based models of semantic composition, ACL 2008; S. Sharma et al.: Relevance of
    unsupervised metrics in task-oriented dialogue for evaluating natural language generation, 2017 (nlg-eval).

    Examples
    --------
    >>> import caplens
    >>> average = caplens.metric("embedding_average")
    >>> prepared = average.prepare([["a person on a horse"]])
    >>> average(["a horse on a person"], prepared)["EmbeddingAverageCosineSimilarity"].item_scores.round(6).tolist()
    [1.0]
    """

    name: ClassVar[str] = "embedding_average"
    title: ClassVar[str] = "embedding average"
    origin: ClassVar[str] = "Mitchell & Lapata 2008; nlg-eval"
    idea: ClassVar[str] = "cosine of the mean word vectors, for the best reference"

    @property
    def keys(self) -> tuple[str, ...]:
        """``EmbeddingAverageCosineSimilarity``."""
        return ("EmbeddingAverageCosineSimilarity",)

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Mean vectors."""
        return (*super().requires(), CaptionVectors(self.words))

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the similarity."""
        return cosine_statistics(prepared, CaptionVectors(self.words), self.combine, self.title, signed=True)

    def overlap(self, ours: EmbeddedCaption, theirs: EmbeddedCaption) -> float:
        """Return the cosine with one reference."""
        return _cosine(ours.vectors.sum(axis=0), theirs.vectors.sum(axis=0)) if _both(ours, theirs) else 0.0


@dataclass(frozen=True)
class VectorExtrema(SoftOverlap):
    """Vector extrema: cosine of vectors that contain, in each dimension, the most extreme value of the word vectors.

    The maximum, 1, is reached by a candidate that has the same words as a reference.

    References
    ----------
    G. Forgues et al.: Bootstrapping dialog systems with word embeddings, 2014; nlg-eval.

    Examples
    --------
    >>> import caplens
    >>> extrema = caplens.metric("vector_extrema")
    >>> prepared = extrema.prepare([["a person on a horse"]])
    >>> extrema(["a horse on a person"], prepared)["VectorExtremaCosineSimilarity"].item_scores.round(6).tolist()
    [1.0]
    """

    name: ClassVar[str] = "vector_extrema"
    title: ClassVar[str] = "vector extrema"
    origin: ClassVar[str] = "Forgues et al. 2014; nlg-eval"
    idea: ClassVar[str] = "cosine of the most extreme values of the word vectors"

    @property
    def keys(self) -> tuple[str, ...]:
        """``VectorExtremaCosineSimilarity``."""
        return ("VectorExtremaCosineSimilarity",)

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Extreme vectors."""
        return (*super().requires(), CaptionVectors(self.words, "extreme"))

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the similarity."""
        vectors = CaptionVectors(self.words, "extreme")
        return cosine_statistics(prepared, vectors, self.combine, self.title, signed=True)

    def overlap(self, ours: EmbeddedCaption, theirs: EmbeddedCaption) -> float:
        """Return the cosine with one reference."""
        return _cosine(_extremes(ours.vectors), _extremes(theirs.vectors)) if _both(ours, theirs) else 0.0


@dataclass(frozen=True)
class GreedyMatching(SoftOverlap):
    r"""Greedy matching: every word is matched with the most similar word of the other caption, in both directions.

    .. math:: \frac{1}{2} \left( \frac{1}{|c|} \sum_{w \in c} \max_{u \in r} \cos(v_w, v_u)
              + \frac{1}{|r|} \sum_{u \in r} \max_{w \in c} \cos(v_w, v_u) \right)

    with the best reference. The maximum, 1, is reached by a candidate that has the same words as a reference.

    References
    ----------
    V. Rus, M. Lintean: A comparison of greedy and optimal assessment of natural language student input using
    word-to-word similarity metrics, BEA 2012; nlg-eval.

    Examples
    --------
    >>> import caplens
    >>> greedy = caplens.metric("greedy_matching")
    >>> prepared = greedy.prepare([["a person on a horse"]])
    >>> greedy(["a horse on a person"], prepared)["GreedyMatchingScore"].item_scores.round(6).tolist()
    [1.0]
    """

    name: ClassVar[str] = "greedy_matching"
    title: ClassVar[str] = "greedy matching"
    origin: ClassVar[str] = "Rus & Lintean 2012; nlg-eval"
    idea: ClassVar[str] = "cosine of each word with the most similar word of the other caption"

    @property
    def keys(self) -> tuple[str, ...]:
        """``GreedyMatchingScore``."""
        return ("GreedyMatchingScore",)

    @property
    def normalized(self) -> bool:
        """Whether all vectors get the length 1: yes, so that products are cosines."""
        return True

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the score."""
        captions = CaptionWords(self.words)
        ours, theirs = prepared.candidates.get(captions), prepared.references.get(captions)
        words = prepared.candidates.get(self.words)
        table = np.empty((len(prepared), len(COMBINATIONS)))

        def fill(first: int, last: int) -> None:
            _embedded_words.greedy_matches(
                ours.offsets, ours.numbers, theirs.offsets, theirs.numbers, words.below, words.above,
                prepared.references.offsets, prepared.reference_set, table, first, last,
            )  # fmt: skip

        for_each_block(fill, len(prepared), prepared.jobs, self.title)
        place = COMBINATIONS.index(self.combine)
        return Statistics(("score",), np.ascontiguousarray(table[:, place : place + 1]))

    def overlap(self, ours: EmbeddedCaption, theirs: EmbeddedCaption) -> float:
        """Return the score with one reference."""
        if not _both(ours, theirs):
            return 0.0
        cosines = ours.vectors @ theirs.vectors.T
        return float(cosines.max(axis=0).mean() + cosines.max(axis=1).mean()) / 2

    def _details(self, texts: EmbeddedRow) -> tuple[Table, ...]:
        ours = texts.candidate
        best = max(texts.references, key=lambda reference: self.overlap(ours, reference), default=None)
        rows: list[tuple[Cell, ...]] = []
        if best is not None and _both(ours, best):
            cosines = ours.vectors @ best.vectors.T
            for word, products in zip(ours.counting, cosines, strict=True):
                rows.append((word, best.counting[int(products.argmax())], float(products.max())))
        return (Table("nearest words in the best reference", ("word", "nearest", "cosine"), tuple(rows)),)


def _both(ours: EmbeddedCaption, theirs: EmbeddedCaption) -> bool:
    return bool(ours.counting and theirs.counting)


def _extremes(vectors: Floats) -> Floats:
    largest, smallest = vectors.max(axis=0), vectors.min(axis=0)
    extremes: Floats = np.where(largest >= -smallest, largest, smallest)
    return extremes


def _cosine(left: Floats, right: Floats) -> float:
    below = float(np.linalg.norm(left) * np.linalg.norm(right))
    return float(left @ right) / below if below else 0.0
