"""What METEOR derives from captions, once for each side: its own words, their stems and synsets, known phrases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caplens.arrays import ShortIntegers
from caplens.core.prepared import PreparedCaptions
from caplens.core.requirement import Requirement, Value, WordIds
from caplens.text import wordnet
from caplens.text._ragged import group
from caplens.text._tables import BytesTable, PairTable
from caplens.text.meteor import languages, resources
from caplens.text.meteor._hashes import number_hashes
from caplens.text.meteor.phrases import Spans
from caplens.text.meteor.stems import stemmer
from caplens.text.meteor.words import lower_words, normalize_words
from caplens.text.words import Words

Groups = tuple[ShortIntegers, ShortIntegers]
"""Words by a number that they share, as `caplens.text._ragged.group` returns them."""


@dataclass(frozen=True)
class MeteorWords(Requirement[Words]):
    """The words of a tokenizer, then METEOR's own normaliser, or at least lower case."""

    tokenizer: str = "ptb"
    normalize: bool = True
    language: str = "en"
    lowercase: bool = True

    @property
    def given(self) -> WordIds:
        """The words before METEOR changes them; where there is no tokenizer, white space is what it is to Java."""
        return WordIds(self.tokenizer, ascii_spaces=self.tokenizer == "none")

    def compute(self, side: PreparedCaptions) -> Words:
        """Tokenise, then normalise or lower-case."""
        words = side.get(self.given)
        if not self.normalize:
            return lower_words(words, side.base_value(self)) if self.lowercase else words

        def text(caption: int) -> str:
            # Several spaces in a row are not always the same as one.
            whole = self.tokenizer == "none" and not 0 < side.max_words <= words.lengths[caption]
            return side.captions[caption] if whole else words.text(caption)

        return normalize_words(words, languages.normalizer(self.language), side.base_value(self), text)


@dataclass(frozen=True, eq=False)
class FormNumbers:
    """What METEOR takes for the same word, or the same stem, in numbers.

    Attributes
    ----------
    of_word : numpy.ndarray of int32
        The number of each word, by its id.
    numbers : PairTable
        Hashes to numbers.
    """

    of_word: ShortIntegers
    numbers: PairTable

    @property
    def groups(self) -> Groups:
        """The words of each number."""
        return group(self.of_word, np.arange(len(self.of_word), dtype=np.int32), len(self.numbers))


@dataclass(frozen=True)
class OfWords(Requirement[Value]):
    """What follows from the words of a side alone, so that all of it can be computed at the same time."""

    words: MeteorWords

    @property
    def source(self) -> MeteorWords:
        """The words."""
        return self.words


@dataclass(frozen=True)
class Forms(OfWords[FormNumbers]):
    """One number for all words whose Java hash is equal: METEOR 1.5 compares nothing else."""

    def compute(self, side: PreparedCaptions) -> FormNumbers:
        """Give numbers to what the base has not."""
        table = side.get(self.words).table
        base = side.base_value(self)
        if base is None:
            numbers = PairTable()
            return FormNumbers(number_hashes(table, 0, numbers), numbers)
        if len(base.of_word) == len(table):  # most batches of a training loop have no new words
            return base
        numbers = PairTable(base.numbers)
        added = number_hashes(table, len(base.of_word), numbers)
        return FormNumbers(np.concatenate([base.of_word, added]), numbers)


@dataclass(frozen=True, eq=False)
class StemNumbers(FormNumbers):
    """The same for the Snowball stems of words: ``stems`` are the stems themselves, ``of_stem`` their numbers."""

    stems: BytesTable
    of_stem: ShortIntegers


@dataclass(frozen=True)
class Stems(OfWords[StemNumbers]):
    """One number for all words whose stems have the same hash."""

    def compute(self, side: PreparedCaptions) -> StemNumbers:
        """Stem each distinct word that the base has not; a word whose stem is empty stays as it is."""
        algorithm = languages.LANGUAGES[self.words.language].stemmer
        if algorithm is None:
            raise ValueError(f"METEOR has no stemmer for {self.words.language}")
        table = side.get(self.words).table
        base = side.base_value(self)
        first = len(base.of_word) if base is not None else 0
        if base is not None and first == len(table):
            return base
        added = table.keys(np.arange(first, len(table)))
        stems = BytesTable(base.stems if base is not None else None)
        numbers = PairTable(base.numbers if base is not None else None)
        found = zip(added, stemmer(algorithm)(added), strict=True)
        ids = stems.insert_all([after or before for before, after in found])
        of_stem = number_hashes(stems, len(base.of_stem) if base is not None else 0, numbers)
        if base is None:
            return StemNumbers(of_stem[ids], numbers, stems, of_stem)
        of_stem = np.concatenate([base.of_stem, of_stem])
        return StemNumbers(np.concatenate([base.of_word, of_stem[ids]]), numbers, stems, of_stem)


@dataclass(frozen=True, eq=False)
class WordFacts:
    """By word id: is it a function word, and its synsets (numbered from 0 on) as ``(offsets, synsets)``."""

    is_function: npt.NDArray[np.uint8]
    meaning_offsets: npt.NDArray[np.int64]
    meanings: npt.NDArray[np.int32]


@dataclass(frozen=True)
class FactsOfWords(OfWords[WordFacts]):
    """What is known about each word of a side and of its base.

    ``function_words`` is the language whose list is used; ``synsets`` says whether synonyms are wanted.
    """

    function_words: str = "en"
    synsets: bool = True

    def compute(self, side: PreparedCaptions) -> WordFacts:
        """Look up what the base has not."""
        table = side.get(self.words).table
        base = side.base_value(self)
        first = len(base.is_function) if base is not None else 0
        if base is not None and first == len(table):  # most batches of a training loop have no new words
            return base
        is_function = self._are_function_words(table, first)
        offsets, meanings = np.zeros(len(is_function) + 1, np.int64), np.zeros(0, np.int32)
        if self.synsets:
            network = wordnet.load()
            offsets, synsets = network.meanings(table, first)
            meanings = np.searchsorted(network.numbers, synsets).astype(np.int32)
        if base is None:
            return WordFacts(is_function, offsets, meanings)
        return WordFacts(
            np.concatenate([base.is_function, is_function]),
            np.concatenate([base.meaning_offsets, base.meaning_offsets[-1] + offsets[1:]]),
            np.concatenate([base.meanings, meanings]),
        )

    def _are_function_words(self, table: BytesTable, first: int) -> npt.NDArray[np.uint8]:
        """Tell function words by 1, from the id ``first`` on.

        METEOR knows its function words in capitals too, the only look-up in which it minds no case.
        """
        function_words = self._function_words()
        if not (self.words.normalize or self.words.lowercase):
            added = table.keys(np.arange(first, len(table)))
            return np.array([_lowered(word) in function_words for word in added], np.uint8)
        found = np.zeros(len(table) - first, np.uint8)
        ids = np.array([table.get(word) for word in function_words], np.int64)
        found[ids[ids >= first] - first] = 1
        return found

    def _function_words(self) -> frozenset[bytes]:
        # The index has those of English: the jar need not be opened. Other languages do without the index.
        english = self.words.language == self.function_words == "en"
        return resources.load().function_words if english else languages.function_words(self.function_words)


def _lowered(word: bytes) -> bytes:
    return word.lower() if word.isascii() else word.decode("utf-8").lower().encode("utf-8")


@dataclass(frozen=True)
class WordGroups(Requirement[dict[str, Groups]]):
    """The words of a side by what makes words match: by form, by stem and by synset, as far as stages use them."""

    facts: FactsOfWords
    stages: tuple[str, ...]

    def compute(self, side: PreparedCaptions) -> dict[str, Groups]:
        """Group them."""
        words = self.facts.words
        found: dict[str, Groups] = {}
        if "exact" in self.stages:
            found["exact"] = side.get(Forms(words)).groups
        if "stem" in self.stages:
            found["stem"] = side.get(Stems(words)).groups
        if "synonym" in self.stages:
            facts = side.get(self.facts)
            counts = np.diff(facts.meaning_offsets)
            owners = np.repeat(np.arange(len(counts), dtype=np.int32), counts)
            found["synonym"] = group(facts.meanings, owners, int(facts.meanings.max(initial=-1)) + 1)
        return found


@dataclass(frozen=True)
class KnownWords(Requirement[npt.NDArray[np.int32]]):
    """What the paraphrase table knows about each word, of a side and of its base: see `Phrases.known_words`."""

    words: MeteorWords

    def compute(self, side: PreparedCaptions) -> npt.NDArray[np.int32]:
        """Look up what the base has not."""
        table = side.get(self.words).table
        base = side.base_value(self)
        phrases = resources.load().phrases
        if base is None:
            return phrases.known_words(table)
        if base.shape[1] == len(table):
            return base
        return np.concatenate([base, phrases.known_words(table, base.shape[1])], axis=1)


@dataclass(frozen=True)
class KnownPhrases(OfWords[Spans]):
    """Phrases of the paraphrase table in captions."""

    def compute(self, side: PreparedCaptions) -> Spans:
        """Find them."""
        known = side.get(KnownWords(self.words))
        return resources.load().phrases.find(side.get(self.words), side.jobs, known, side.base_value(self))
