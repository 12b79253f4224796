"""Which synsets a word belongs to, after METEOR 1.5: WordNet 3.0's synsets, irregular forms and suffix rules.

`training/wordnet` makes the tables; what METEOR does with them was observed from outside (see `WordNet.meaning`).
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

import caplens.data
from caplens.files.arrays import read_arrays
from caplens.text import _wordnet
from caplens.text._tables import BytesTable
from caplens.text.ragged import offsets_of, take_rows
from caplens.text.vocabulary import Vocabulary

TABLES = Path(caplens.data.__file__).parent / "wordnet" / "tables.safetensors"

# WordNet's suffix rules for nouns, then verbs, then adjectives (morphy(7WN)), without those that an earlier or a more
# general one makes needless: a verb's es -> e is a noun's s -> '', and ses -> s, xes -> x and their like are es -> ''.
SUFFIX_RULES = (
    (b"s", b""),
    (b"men", b"man"),
    (b"ies", b"y"),
    (b"es", b""),
    (b"ed", b"e"),
    (b"ed", b""),
    (b"ing", b"e"),
    (b"ing", b""),
    (b"er", b""),
    (b"est", b""),
    (b"er", b"e"),
    (b"est", b"e"),
)


@dataclass(frozen=True, eq=False)
class WordNet:
    """The synsets of words.

    Words are looked up as they are: lower-case, with `_` between the words of a longer entry. A synset is the number
    that WordNet gives it. Nouns, verbs, adjectives and adverbs are numbered apart, which METEOR overlooks: to it
    `able` and `entity` are synonyms, both being 1740.

    Attributes
    ----------
    vocabulary : Vocabulary
        Every word that has synsets, is an irregular form or the base of one.
    synset_offsets, synset_numbers : numpy.ndarray of uint32 and int32
        The word at place ``i`` has the synsets ``synset_numbers[synset_offsets[i]:synset_offsets[i + 1]]``, ascending.
    irregular_forms : numpy.ndarray of int32
        The places of the irregular forms, ascending.
    irregular_offsets, irregular_bases : numpy.ndarray of uint32 and int32
        Form ``i`` has its bases at the places ``irregular_bases[irregular_offsets[i]:irregular_offsets[i + 1]]``.

    Examples
    --------
    >>> wordnet = load()
    >>> wordnet.bases_of_irregular(b"axes"), wordnet.base_form(b"skies"), wordnet.base_form(b"running")
    ((b'ax', b'axis'), b'sky', b'')
    >>> wordnet.synsets(b"sofas"), wordnet.meaning(b"sofas"), wordnet.meaning(b"couch")
    ((), (4256520,), (981276, 3115762, 3115897, 4256520))
    """

    vocabulary: Vocabulary
    synset_offsets: npt.NDArray[np.uint32]
    synset_numbers: npt.NDArray[np.int32]
    irregular_forms: npt.NDArray[np.int32]
    irregular_offsets: npt.NDArray[np.uint32]
    irregular_bases: npt.NDArray[np.int32]

    def synsets(self, word: bytes) -> tuple[int, ...]:
        """Return the synsets that list the word itself, ascending."""
        return self._synsets_at(self.vocabulary.index(word))

    def bases_of_irregular(self, word: bytes) -> tuple[bytes, ...]:
        """Return the words that ``word`` is an irregular form of (a few forms are their own base)."""
        return tuple(self.vocabulary.word(place) for place in self._irregular_bases_at(self.vocabulary.index(word)))

    def base_form(self, word: bytes) -> bytes:
        """Return the first form with synsets that a suffix rule makes of ``word``, empty if there is none.

        Words of one or two bytes and those in `ss` are their own base. Irregular forms are not looked at.
        """
        if len(word) <= 2 or word.endswith(b"ss"):
            return word
        place = self._base_at(word)
        return self.vocabulary.word(place) if place >= 0 else b""

    def meaning(self, word: bytes) -> tuple[int, ...]:
        """Return what METEOR takes for the synsets of a word, ascending: two words are synonyms if they share one.

        Those of the word itself and, if it is a listed irregular form, of all its bases, else of its `base_form`.
        METEOR 1.5 itself agreed on half a million pairs of words (forms regular, irregular and impossible).
        """
        place = self.vocabulary.index(word)
        bases = self._irregular_bases_at(place) or [self.vocabulary.index(self.base_form(word))]
        return tuple(sorted({synset for found in (place, *bases) for synset in self._synsets_at(found)}))

    def meanings(self, table: BytesTable, first: int = 0) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int32]]:
        """Return the `meaning` of each of a table's entries from the id ``first`` on, as ``(offsets, synsets)``.

        Examples
        --------
        >>> table = BytesTable()
        >>> [table.insert(word) for word in (b"the", b"sofas", b"couch")]
        [0, 1, 2]
        >>> offsets, synsets = load().meanings(table)
        >>> offsets.tolist(), synsets.tolist()
        ([0, 0, 1, 5], [4256520, 981276, 3115762, 3115897, 4256520])
        """
        own = self.vocabulary.find(table, first)
        base = self._find_bases(table, first)
        at = np.minimum(np.searchsorted(self.irregular_forms, own), len(self.irregular_forms) - 1)
        irregular = np.flatnonzero(self.irregular_forms[at] == own)
        base[irregular] = -1
        has_own, has_base = np.flatnonzero(own >= 0), np.flatnonzero(base >= 0)
        places, counts = take_rows(self.irregular_offsets, self.irregular_bases, at[irregular])
        entries = np.concatenate((has_own, has_base, np.repeat(irregular, counts)))
        places = np.concatenate((own[has_own], base[has_base], places))
        synsets, counts = take_rows(self.synset_offsets, self.synset_numbers, places)
        # Entry and synset in one number, which sorts into the order of the result; `np.unique` takes ten times as long.
        numbered = np.sort(np.repeat(entries, counts) << 32 | synsets)
        distinct = numbered[np.diff(numbered, prepend=-1) > 0]
        return np.searchsorted(distinct, np.arange(len(own) + 1, dtype=np.int64) << 32), distinct.astype(np.int32)

    @cached_property
    def numbers(self) -> npt.NDArray[np.int32]:
        """All synsets, ascending, each once: a synset's place among them is a number small enough to index by."""
        ordered = np.sort(self.synset_numbers)
        return ordered[np.diff(ordered, prepend=-1) > 0]

    def _synsets_at(self, place: int) -> tuple[int, ...]:
        if place < 0:
            return ()
        return tuple(self.synset_numbers[self.synset_offsets[place] : self.synset_offsets[place + 1]].tolist())

    def _irregular_bases_at(self, place: int) -> list[int]:
        at = int(np.searchsorted(self.irregular_forms, place))
        if at == len(self.irregular_forms) or self.irregular_forms[at] != place:
            return []
        bases: list[int] = self.irregular_bases[self.irregular_offsets[at] : self.irregular_offsets[at + 1]].tolist()
        return bases

    def _base_at(self, word: bytes) -> int:
        table = BytesTable()
        table.insert(word)
        return int(self._find_bases(table, 0)[0])

    def _find_bases(self, table: BytesTable, first: int) -> npt.NDArray[np.int32]:
        vocabulary = self.vocabulary
        return _wordnet.find_bases(vocabulary.blob, vocabulary.offsets, self.synset_offsets, SUFFIX_RULES, table, first)


@cache
def load() -> WordNet:
    """Return the tables that ship with caplens."""
    # The file holds counts, which are a quarter as large as offsets.
    arrays = read_arrays(TABLES)
    return WordNet(
        Vocabulary(arrays["words"], offsets_of(arrays["word_lengths"]).astype(np.uint32)),
        offsets_of(arrays["synset_counts"]).astype(np.uint32),
        arrays["synsets"],
        arrays["irregular_forms"],
        offsets_of(arrays["irregular_base_counts"]).astype(np.uint32),
        arrays["irregular_bases"],
    )
