"""The words that a critique knows."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Self

import numpy as np
import numpy.typing as npt

PADDING, UNKNOWN = 0, 1
"""Rows of what stands in the place of no word, and of any word that is not known."""


class KnownWords:
    """Words and their rows.

    Examples
    --------
    >>> vocabulary = KnownWords.of({"dog": 9, "a": 20, "xylophone": 1}, minimum_count=2)
    >>> vocabulary.words, vocabulary.rows(["a", "cat"]).tolist()
    (('a', 'dog'), [2, 1])
    """

    first = 2

    def __init__(self, words: Sequence[str]) -> None:
        self.words = tuple(words)
        self._rows = {word: row for row, word in enumerate(self.words, self.first)}

    @classmethod
    def of(cls, counts: Mapping[str, int], minimum_count: int) -> Self:
        """Take the words that occur often enough, the most frequent first."""
        often = [word for word, count in counts.items() if count >= minimum_count]
        return cls(sorted(often, key=lambda word: (-counts[word], word)))

    def __len__(self) -> int:
        return self.first + len(self.words)

    def __contains__(self, word: str) -> bool:
        return word in self._rows

    def rows(self, words: Sequence[str]) -> npt.NDArray[np.int32]:
        """Return the rows of words."""
        return np.array([self._rows.get(word, UNKNOWN) for word in words], dtype=np.int32)
