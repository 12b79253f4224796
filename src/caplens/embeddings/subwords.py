"""Vectors of words from their n-grams of characters, as fastText makes them."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caplens.arrays import Singles
from caplens.embeddings import _subwords
from caplens.embeddings.table import Found, StoredTable


@dataclass(frozen=True, eq=False)
class Subwords:
    """The vectors of n-grams of characters: one row a hash bucket.

    Attributes
    ----------
    rows : numpy.ndarray of float
        The vectors.
    shortest, longest : int
        How many characters an n-gram has, the angle brackets around the word counted.
    """

    rows: npt.NDArray[np.float16] | npt.NDArray[np.float32]
    shortest: int
    longest: int

    def sums(self, words: list[bytes]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.int64]]:
        """Return for each word the sum of the vectors of its n-grams, and how many they are."""
        offsets, numbers = _subwords.bucket_numbers(words, self.shortest, self.longest, len(self.rows))
        sums = np.zeros((len(words), self.rows.shape[1]))
        counts = np.diff(offsets)
        some = np.flatnonzero(counts)
        if len(some):
            parts = self.rows[numbers].astype(np.float64)
            sums[some] = np.add.reduceat(parts, offsets[:-1][some], axis=0)
        return sums, counts


@dataclass(frozen=True, eq=False)
class SubwordTable(StoredTable):
    """A fastText table that can make vectors of words it does not know."""

    subwords: Subwords | None = None

    @property
    def has_subwords(self) -> bool:
        """Whether the table can make vectors of unknown words."""
        return self.subwords is not None

    def compose(self, words: list[bytes]) -> Found:
        """Return the mean of the vectors of each word's n-grams; words too short to have one get none."""
        if self.subwords is None:
            return super().compose(words)
        sums, counts = self.subwords.sums(words)
        known = counts > 0
        vectors: Singles = (sums[known] / counts[known, np.newaxis]).astype(np.float32)
        return Found(known, vectors)
