"""What METEOR derives from captions, once for each side: its own words, their stems and synsets, known phrases."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caplens.core.prepared import PreparedCaptions
from caplens.core.requirement import Requirement, WordIds
from caplens.text import wordnet
from caplens.text.meteor import resources
from caplens.text.meteor.phrases import Spans
from caplens.text.meteor.words import normalize_words
from caplens.text.ragged import offsets_of
from caplens.text.words import Words, stem_words


@dataclass(frozen=True)
class MeteorWords(Requirement[Words]):
    """The words of a tokenizer, then METEOR's own normaliser."""

    tokenizer: str = "ptb"
    normalize: bool = True

    def compute(self, side: PreparedCaptions) -> Words:
        """Tokenise, then normalise."""
        words = side.get(WordIds(self.tokenizer))
        return normalize_words(words, resources.load().normalizer, side.base_value(self)) if self.normalize else words


@dataclass(frozen=True)
class Stems(Requirement[Words]):
    """A Snowball stem in the place of each word."""

    words: MeteorWords

    def compute(self, side: PreparedCaptions) -> Words:
        """Stem each distinct word."""
        return stem_words(side.get(self.words), side.base_value(self))


@dataclass(frozen=True, eq=False)
class WordFacts:
    """By word id: is it a function word, and its synsets (numbered from 0 on) as ``(offsets, synsets)``."""

    is_function: npt.NDArray[np.uint8]
    meaning_offsets: npt.NDArray[np.int64]
    meanings: npt.NDArray[np.int32]

    def shared(self) -> WordFacts:
        """Leave out synsets that only one word has: they make no synonyms, and are most."""
        several = np.bincount(self.meanings)[self.meanings] > 1
        return WordFacts(self.is_function, offsets_of(several)[self.meaning_offsets], self.meanings[several])


@dataclass(frozen=True)
class FactsOfWords(Requirement[WordFacts]):
    """What is known about each word of a side and of its base."""

    words: MeteorWords

    def compute(self, side: PreparedCaptions) -> WordFacts:
        """Look up what the base has not."""
        table = side.get(self.words).table
        base = side.base_value(self)
        first = len(base.is_function) if base is not None else 0
        added = table.keys(np.arange(first, len(table)))
        network = wordnet.load()
        offsets, synsets = network.meanings(table, first)
        meanings = np.searchsorted(network.numbers, synsets).astype(np.int32)
        # METEOR knows its function words in capitals too, the only look-up in which it minds no case.
        function_words = resources.load().function_words
        is_function = np.array([word.lower() in function_words for word in added], np.uint8)
        if base is None:
            return WordFacts(is_function, offsets, meanings)
        return WordFacts(
            np.concatenate([base.is_function, is_function]),
            np.concatenate([base.meaning_offsets, base.meaning_offsets[-1] + offsets[1:]]),
            np.concatenate([base.meanings, meanings]),
        )


@dataclass(frozen=True)
class KnownWords(Requirement[npt.NDArray[np.int32]]):
    """The place of each word, of a side and of its base, in the vocabulary of the paraphrase table; -1 for others."""

    words: MeteorWords

    def compute(self, side: PreparedCaptions) -> npt.NDArray[np.int32]:
        """Look up what the base has not."""
        table = side.get(self.words).table
        base = side.base_value(self)
        vocabulary = resources.load().phrases.vocabulary
        if base is None:
            return vocabulary.find(table)
        return np.concatenate([base, vocabulary.find(table, len(base))])


@dataclass(frozen=True)
class KnownPhrases(Requirement[Spans]):
    """Phrases of the paraphrase table in captions."""

    words: MeteorWords

    def compute(self, side: PreparedCaptions) -> Spans:
        """Find them."""
        return resources.load().phrases.find(side.get(self.words), side.jobs, side.get(KnownWords(self.words)))
