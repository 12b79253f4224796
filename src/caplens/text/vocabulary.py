"""A sorted vocabulary: words as two arrays, which may lie in a mapped file, found by binary search."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import accumulate
from typing import Self

import numpy as np
import numpy.typing as npt

from caplens.files.checks import DamagedFileError, check_offsets, check_shape, check_type
from caplens.text import _vocabulary
from caplens.text._tables import BytesTable


@dataclass(frozen=True, eq=False)
class Vocabulary:
    """Distinct words sorted by their bytes; the place of a word is its id.

    No word is a Python object, so a vocabulary of any size is there as soon as its file is mapped. 30,000 look-ups
    among 150,000 words take a few milliseconds; an index of first bytes made them less than twice as fast, so there
    is none.

    Attributes
    ----------
    blob : numpy.ndarray of uint8
        The words (UTF-8), one after the other, less than 4 GiB.
    offsets : numpy.ndarray of uint32
        Word ``i`` is ``blob[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> vocabulary = Vocabulary.from_words([b"dog", b"cat", b"dogs", b"cat"])
    >>> len(vocabulary), vocabulary.word(0), vocabulary.index(b"dogs"), vocabulary.index(b"do")
    (3, b'cat', 2, -1)
    """

    blob: npt.NDArray[np.uint8]
    offsets: npt.NDArray[np.uint32]

    def __post_init__(self) -> None:
        check_shape("the text of a vocabulary", self.blob, -1)
        check_type("the text of a vocabulary", self.blob, np.uint8)
        check_type("the offsets of a vocabulary", self.offsets, np.uint32)
        check_offsets("the offsets of a vocabulary", self.offsets, len(self.blob))
        if len(self) >= 2**31:
            raise DamagedFileError("a vocabulary holds less than 2,147,483,648 words.")

    @classmethod
    def from_words(cls, words: Iterable[bytes]) -> Self:
        """Sort words; a word given twice is kept once."""
        ordered = sorted(set(words))
        ends = list(accumulate((len(word) for word in ordered), initial=0))
        if ends[-1] >= 2**32:
            raise ValueError("a vocabulary holds less than 4 GiB of words")
        return cls(np.frombuffer(b"".join(ordered), dtype=np.uint8), np.array(ends, dtype=np.uint32))

    def __len__(self) -> int:
        return len(self.offsets) - 1

    def word(self, place: int) -> bytes:
        """Return the word at a place."""
        if not 0 <= place < len(self):
            raise IndexError(place)
        return self.blob[self.offsets[place] : self.offsets[place + 1]].tobytes()

    def index(self, word: bytes) -> int:
        """Return the place of a word, or -1."""
        return _vocabulary.index(self.blob, self.offsets, word)

    def find(self, table: BytesTable, first: int = 0) -> npt.NDArray[np.int32]:
        """Return the place of each of a table's entries from the id ``first`` on, -1 for those that are absent.

        The table must not grow in another thread meanwhile.

        Examples
        --------
        >>> table = BytesTable()
        >>> [table.insert(word) for word in (b"a", b"dog", b"barks")]
        [0, 1, 2]
        >>> Vocabulary.from_words([b"cat", b"dog"]).find(table, first=1).tolist()
        [1, -1]
        """
        if not 0 <= first <= len(table):
            raise IndexError(first)
        return _vocabulary.find(self.blob, self.offsets, table, first)
