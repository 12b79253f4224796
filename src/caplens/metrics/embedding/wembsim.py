"""WEmbSim: captions as the mean of their word vectors."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, ClassVar, Literal

import numpy as np

from caplens.arrays import Singles
from caplens.core.metric import Floats, State, Statistics, option
from caplens.core.prepared import Prepared
from caplens.core.requirement import Requirement
from caplens.embeddings import library
from caplens.files.threads import for_each_block
from caplens.metrics.embedding import _words as _embedded_words
from caplens.metrics.embedding.base import EmbeddingMetric
from caplens.metrics.embedding.rows import EmbeddedRow, embedded_row
from caplens.metrics.embedding.words import CaptionVectors
from caplens.metrics.sentences import nothing_counts, stated
from caplens.output.explanation import Explanation, Table

COMBINATIONS = ("mean", "max", "min")
# How the paper names the variants: by what made the vectors. The shipped trained vectors are none of these.
ENDINGS = {"captions": "", "scene": "-S", "word2vec": "-W", "glove": "-G", "fasttext": "-F"}


@dataclass(frozen=True)
class WEmbSim(EmbeddingMetric):
    r"""WEmbSim: cosine of the mean word vectors of two captions.

    .. math:: v(c) = \frac{1}{|c|} \sum_{w \in c} v_w,\qquad
              \mathrm{WEmbSim}(c, S) = \operatorname{mean}_{r \in S}
              \frac{|v(c) \cdot v(r)|}{\lVert v(c) \rVert \lVert v(r) \rVert}

    over the words that have a vector and are not stop words; ``combine`` selects the maximum or minimum similarity to
    a reference instead of the mean. The maximum, 1, is reached if all references have the candidate's words in the
    same proportions. A caption without such words scores 0. With an imported table, the score is named ``WEmbSim-W``,
    ``-G`` or ``-F`` after the tool that produced the table: word2vec, GloVe or fastText.

    References
    ----------
    N. Sharif, L. White, M. Bennamoun, W. Liu, S. A. A. Shah: WEmbSim: a simple yet effective metric for image
    captioning, DICTA 2020.

    Examples
    --------
    >>> import caplens
    >>> wembsim = caplens.metric("wembsim")
    >>> prepared = wembsim.prepare([["a person on a horse"], ["two dogs in the snow"]])
    >>> [round(score, 3) for score in wembsim(["a man rides a horse"] * 2, prepared)["WEmbSim"].item_scores.tolist()]
    [0.7, 0.016]
    """

    name: ClassVar[str] = "wembsim"
    title: ClassVar[str] = "WEmbSim"
    origin: ClassVar[str] = "Sharif et al. 2020"
    idea: ClassVar[str] = "cosine of the mean word vectors"

    part_names: ClassVar[tuple[str, ...]] = COMBINATIONS
    signed: ClassVar[bool] = False  # whether opposite directions are less alike than unrelated ones

    combine: Literal["mean", "max", "min"] = option("mean", "how to combine references")

    @property
    def keys(self) -> tuple[str, ...]:
        """``WEmbSim``, with an ending that tells what made the vectors."""
        return (f"WEmbSim{ENDINGS[library.load(self.vectors).kind]}",)

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0, or -1 where cosines keep their sign, to 1."""
        return dict.fromkeys(self.keys, (-1.0 if self.signed else 0.0, 1.0))

    def requires(self) -> tuple[Requirement[Any], ...]:
        """Mean vectors."""
        return (*super().requires(), CaptionVectors(self.words))

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the similarity, and all ways to combine it over references."""
        vectors = CaptionVectors(self.words)
        return cosine_statistics(prepared, vectors, self.combine, self.title, signed=self.signed)

    def parts_of(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean, the largest and the smallest similarity to a reference."""
        return combined_similarities(sums, rows)

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show the similarity to each reference, and what each word of the candidate adds to it."""
        texts = embedded_row(prepared, self.words, row)
        score = float(self.known_statistics(prepared, state).table[row, 0])
        by_word, by_reference = _shares(texts, signed=self.signed)
        return Explanation(
            metric=str(self.request()),
            candidate=texts.candidate.text,
            references=texts.reference_texts,
            scores={self.result_keys[0]: score},
            facts={"vectors": self.vectors, "words that count": len(texts.candidate.counting), "combine": self.combine},
            sections=(
                texts.candidate.marked("candidate (words that count)"),
                Table("contribution of words to the mean", ("word", "adds"), by_word),
                Table("by reference", ("reference", "words that count", "similarity"), by_reference),
            ),
            summary=stated(self.result_keys[0], score, _reason(by_word, by_reference)),
        )


@dataclass(frozen=True)
class SceneSim(WEmbSim):
    r"""SceneSim: WEmbSim with word vectors trained to be similar for captions of the same image.

    .. math:: v(c) = \sum_{w \in c} v_w,\qquad
              \mathrm{SceneSim}(c, S) = \operatorname{mean}_{r \in S}
              \frac{v(c) \cdot v(r)}{\lVert v(c) \rVert \lVert v(r) \rVert}

    The length of a vector is the weight of its word, so no list of stop words is needed. The vectors (``scene``) were
    trained on human captions, without judgments or machine captions: a caption should be closer to two others of its
    image than to those of 511 other images. Scores lie between -1 and 1; the maximum is reached if all references
    have the candidate's words in the same proportions.

    Examples
    --------
    >>> import caplens
    >>> metric = caplens.metric("scenesim")
    >>> prepared = metric.prepare([["a person on a horse"], ["two dogs in the snow"]])
    >>> scores = metric(["a man rides a horse"] * 2, prepared)["SceneSim"].item_scores
    >>> [round(score, 2) for score in scores.tolist()]
    [0.85, 0.03]
    """

    name: ClassVar[str] = "scenesim"
    title: ClassVar[str] = "SceneSim"
    origin: ClassVar[str] = "caplens; after Sharif et al. 2020"
    idea: ClassVar[str] = "cosine of summed word vectors, trained to be similar for captions of the same image"
    signed: ClassVar[bool] = True

    vectors: str = option("scene", "word vectors: `scene` or any other table", names=library.names)
    remove_stop_words: bool = option(False, "remove NLTK's 179 English stop words")

    @property
    def keys(self) -> tuple[str, ...]:
        """``SceneSim``."""
        return ("SceneSim",)


def cosine_statistics(
    prepared: Prepared, vectors: Requirement[Singles], combine: str, title: str, *, signed: bool = False
) -> Statistics:
    """Return the cosines (without ``signed``, their magnitudes) of each candidate with its references.

    The chosen combination comes first, as ``similarity``; all of them follow, for metrics that combine metrics.
    """
    ours, theirs = prepared.candidates.get(vectors), prepared.references.get(vectors)
    table = np.empty((len(prepared), len(COMBINATIONS)))

    def fill(first: int, last: int) -> None:
        _embedded_words.cosines(
            ours, theirs, prepared.references.offsets, prepared.reference_set, signed, table, first, last
        )

    for_each_block(fill, len(prepared), prepared.jobs, title)
    chosen = table[:, COMBINATIONS.index(combine)]
    return Statistics(("similarity", *COMBINATIONS), np.column_stack([chosen, table]))


def combined_similarities(sums: Floats, rows: Floats) -> Floats:
    """Return the parts of a score from sums of `cosine_statistics`: one for each of `COMBINATIONS`."""
    means: Floats = sums[..., 1:] / rows[..., np.newaxis]
    return means[..., np.newaxis, :]


def _reason(by_word: Sequence[tuple[str, float]], by_reference: Sequence[tuple[int, str, float]]) -> str:
    if not by_word:
        return nothing_counts("candidate")
    number, _, similarity = max(by_reference, key=lambda entry: entry[2], default=(0, "", 0.0))
    if not any(words for _, words, _ in by_reference):
        return nothing_counts("references")
    return f'"{by_word[0][0]}" adds most ({by_word[0][1]:.4f}), and reference {number} is nearest ({similarity:.4f})'


def _shares(
    texts: EmbeddedRow, *, signed: bool
) -> tuple[tuple[tuple[str, float], ...], tuple[tuple[int, str, float], ...]]:
    """Return what each word adds to the mean of the similarities, and the similarity to each reference.

    A cosine is linear in the candidate's words once its length is given, so their shares add up to it.
    """
    words = texts.candidate.vectors
    length = float(np.linalg.norm(words.sum(axis=0))) if len(words) else 0.0
    shares = np.zeros(len(words))
    by_reference = []
    for number, reference in enumerate(texts.references, 1):
        mean = reference.vectors.sum(axis=0) if len(reference.vectors) else np.zeros(words.shape[1])
        below = length * float(np.linalg.norm(mean))
        parts = words @ mean / below if below else np.zeros(len(words))
        parts = -parts if parts.sum() < 0 and not signed else parts
        shares += parts / len(texts.references)
        by_reference.append((number, " ".join(reference.counting), float(parts.sum())))
    by_word = sorted(zip(texts.candidate.counting, shares.tolist(), strict=True), key=lambda entry: -entry[1])
    return tuple(by_word), tuple(by_reference)
