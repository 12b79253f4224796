"""What metrics on word vectors derive from captions: words that count, their vectors, vectors of whole captions."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from caplens.arrays import Singles
from caplens.core.prepared import PreparedCaptions
from caplens.core.requirement import Requirement, WordIds
from caplens.embeddings import library
from caplens.embeddings.stop_words import ENGLISH
from caplens.files.threads import for_each_block
from caplens.metrics.embedding import _words as _embedded_words

Kernel = Callable[
    [npt.NDArray[np.int64], npt.NDArray[np.int32], Singles, Singles, Singles, int, int],
    None,
]


@dataclass(frozen=True, eq=False)
class EmbeddedWords:
    """The words that count, numbered again: those of the references first, the most frequent first.

    Attributes
    ----------
    numbers : numpy.ndarray of int32
        By word id: the number of the word, -1 where it does not count.
    below : numpy.ndarray of float32
        The vectors of the references' words, by number.
    above : numpy.ndarray of float32
        The vectors of the words that only the candidates have; their numbers follow.
    """

    numbers: npt.NDArray[np.int32]
    below: Singles
    above: Singles


@dataclass(frozen=True)
class WordVectors(Requirement[EmbeddedWords]):
    """The vectors of words.

    Attributes
    ----------
    vectors : str
        The table.
    remove_stop_words : bool
        Whether stop words do not count.
    subwords : bool
        Whether words that the table does not know get a vector from their n-grams of characters.
    normalize : bool
        Whether all vectors get the length 1.
    """

    words: WordIds
    vectors: str
    remove_stop_words: bool = True
    subwords: bool = False
    normalize: bool = False

    def compute(self, side: PreparedCaptions) -> EmbeddedWords:
        """Look up what the base has not."""
        words = side.get(self.words)
        base = side.base_value(self)
        first = len(base.numbers) if base is not None else 0
        found = library.load(self.vectors).look_up(words.table, first, subwords=self.subwords)
        counts = np.ones(len(found.known), dtype=bool)
        if self.remove_stop_words:
            added = words.table.keys(np.arange(first, len(words.table)))
            counts = np.array([word not in ENGLISH for word in added], dtype=bool)
        chosen = np.flatnonzero(found.known & counts)
        if base is None:  # the most frequent first
            often = np.bincount(words.ids, minlength=len(words.table))[chosen]
            chosen = chosen[np.argsort(-often, kind="stable")]
        vectors = found.vectors[(np.cumsum(found.known) - 1)[chosen]]
        if self.normalize:
            lengths = np.linalg.norm(vectors.astype(np.float64), axis=1, keepdims=True)
            vectors = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0, casting="same_kind")
        numbers = np.full(len(found.known), -1, dtype=np.int32)
        numbers[chosen] = np.arange(len(chosen), dtype=np.int32) + (0 if base is None else len(base.below))
        if base is None:
            return EmbeddedWords(numbers, vectors, vectors[:0])
        return EmbeddedWords(np.concatenate([base.numbers, numbers]), base.below, vectors)


@dataclass(frozen=True, eq=False)
class CountingWords:
    """The words of captions that count, in order: ``numbers[offsets[i]:offsets[i + 1]]`` are those of caption ``i``."""

    offsets: npt.NDArray[np.int64]
    numbers: npt.NDArray[np.int32]

    @property
    def lengths(self) -> npt.NDArray[np.int64]:
        """How many words of each caption count."""
        return np.diff(self.offsets)


@dataclass(frozen=True)
class CaptionWords(Requirement[CountingWords]):
    """Captions as numbers of words that count."""

    words: WordVectors

    def compute(self, side: PreparedCaptions) -> CountingWords:
        """Leave the other words out."""
        words = side.get(self.words.words)
        return CountingWords(*_embedded_words.counting(words.ids, words.offsets, side.get(self.words).numbers))


@dataclass(frozen=True)
class CaptionVectors(Requirement[Singles]):
    """One vector per caption: the mean of its words' vectors, or their extremes."""

    words: WordVectors
    kind: Literal["mean", "extreme"] = "mean"

    def compute(self, side: PreparedCaptions) -> Singles:
        """Go through the captions once."""
        words, captions = side.get(self.words), side.get(CaptionWords(self.words))
        vectors = np.empty((len(side), words.below.shape[1]), dtype=np.float32)
        kernel: Kernel = _embedded_words.mean_vectors if self.kind == "mean" else _embedded_words.extreme_vectors

        def fill(first: int, last: int) -> None:
            kernel(captions.offsets, captions.numbers, words.below, words.above, vectors, first, last)

        for_each_block(fill, len(side), side.jobs, "caption vectors")
        return vectors
