"""What the caption parser sees of a word: the word itself if it is known, its beginning, its end, its shape."""

from __future__ import annotations

import zlib
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

UNKNOWN_ROW = 0
"""Row of the table of vectors that stands for every word outside the vocabulary."""

PREFIX_LENGTHS = (1, 2, 3)
SUFFIX_LENGTHS = (1, 2, 3, 4)
FEATURES_PER_WORD = 1 + len(PREFIX_LENGTHS) + len(SUFFIX_LENGTHS) + 1
"""The word itself, its prefixes, its suffixes, its shape."""


def number_words(words: Sequence[str]) -> dict[str, int]:
    """Give the known words their rows: those behind the unknown word's."""
    return {word: 1 + number for number, word in enumerate(words)}


def feature_rows(forms: Sequence[str], numbers: Mapping[str, int], buckets: int) -> npt.NDArray[np.int32]:
    """Return the rows of each form in the table of vectors, the word's own first.

    Parameters
    ----------
    forms : sequence of str
        Words as they stand in captions.
    numbers : mapping of str to int
        The rows of the known words, from `number_words`.
    buckets : int
        How many rows, behind those of the words, prefixes, suffixes and shapes share: a hash chooses.

    Returns
    -------
    numpy.ndarray of int32, shape (forms, FEATURES_PER_WORD)

    Examples
    --------
    >>> rows = feature_rows(["dog", "dogs"], number_words(["dog", "cat"]), buckets=100)
    >>> rows[:, 0].tolist(), bool((rows[0, 1:4] == rows[1, 1:4]).all()), int(rows.min()), int(rows.max()) < 103
    ([1, 0], True, 0, True)
    """
    first_bucket = 1 + len(numbers)
    table = np.empty((len(forms), FEATURES_PER_WORD), np.int32)
    for place, form in enumerate(forms):
        hashed = [first_bucket + zlib.crc32(affix.encode()) % buckets for affix in affixes(form)]
        table[place] = (numbers.get(form, UNKNOWN_ROW), *hashed)
    return table


def affixes(form: str) -> Iterator[str]:
    """Name the prefixes, the suffixes and the shape of a word, each with a mark of its kind."""
    for length in PREFIX_LENGTHS:
        yield f"{length}<{form[:length]}"
    for length in SUFFIX_LENGTHS:
        yield f"{length}>{form[-length:]}"
    digits = sum(letter.isdigit() for letter in form)
    number = "none" if not digits else "all" if digits == len(form) else "some"
    yield f"shape {number} {'-' in form} {form.isascii()} {min(len(form), 8)}"
