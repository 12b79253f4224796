"""The words that name COCO's 80 categories, and where a caption has one of them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import msgspec
import numpy as np
import numpy.typing as npt

import caplens.data
from caplens.core.prepared import PreparedCaptions
from caplens.core.requirement import Requirement, WordIds
from caplens.text import wordnet

FILE = Path(caplens.data.__file__).parent / "chair" / "words.json"
# WordNet's suffix rules for nouns (morphy(7WN)), shortened: xes -> x and its like are es -> ''.
_PLURALS = (("s", ""), ("es", ""), ("ies", "y"), ("men", "man"))


class Vocabulary(msgspec.Struct, frozen=True, dict=True):
    """The categories, the words that name them, and pairs of words that are read as one.

    Examples
    --------
    >>> vocabulary = load()
    >>> vocabulary.lemma("puppies"), vocabulary.lemma("children"), vocabulary.lemma("sky")
    ('puppy', 'child', None)
    """

    categories: tuple[str, ...]
    words: dict[str, str]
    pairs: dict[str, str]

    @cached_property
    def places(self) -> dict[str, int]:
        """The number of the category of each word."""
        numbers = {name: number for number, name in enumerate(self.categories)}
        return {word: numbers[name] for word, name in self.words.items()}

    @cached_property
    def known(self) -> frozenset[str]:
        """Every word that matters alone or in a pair."""
        return frozenset(self.words) | {word for pair in self.pairs for word in pair.split()}

    def lemma(self, word: str) -> str | None:
        """Return the singular of a lower-case word if it matters, else None."""
        for base in wordnet.load().bases_of_irregular(word.encode()):
            if base.decode() in self.known:
                return base.decode()
        for suffix, replacement in _PLURALS:
            if word.endswith(suffix):
                base_form = word.removesuffix(suffix) + replacement
                if base_form in self.known:
                    return base_form
        return word if word in self.known else None

    def category(self, name: str) -> int | None:
        """Return the number of the category that a name of an object means: its own, or a word for it."""
        lowered = name.strip().lower()
        return self.places.get(lowered, self.places.get(self.lemma(lowered) or ""))


@cache
def load() -> Vocabulary:
    """Return the words that ship with caplens."""
    return msgspec.json.decode(FILE.read_bytes(), type=Vocabulary)


@dataclass(frozen=True)
class Mention:
    """A place of a caption that names a category.

    Attributes
    ----------
    first, length : int
        Its words: the place of the first, and how many (2 for a pair such as ``hot dog``).
    word : str
        What it is read as.
    category : int
        The number of the category.
    """

    first: int
    length: int
    word: str
    category: int


def find_mentions(lemmas: Sequence[tuple[int, str]]) -> list[Mention]:
    """Return what names a category among the words of a caption that matter, given with their places.

    Two words that follow each other may be one (``teddy bear`` is no bear). A seat is no chair beside a toilet.

    Examples
    --------
    >>> [mention.word for mention in find_mentions([(1, "baby"), (2, "bear"), (5, "dog")])]
    ['bear', 'dog']
    """
    vocabulary = load()
    joined: list[tuple[int, int, str]] = []
    at = 0
    while at < len(lemmas):
        place, word = lemmas[at]
        follows = at + 1 < len(lemmas) and lemmas[at + 1][0] == place + 1
        pair = vocabulary.pairs.get(f"{word} {lemmas[at + 1][1]}") if follows else None
        joined.append((place, 1, word) if pair is None else (place, 2, pair))
        at += 1 if pair is None else 2
    present = {word for _, _, word in joined}
    if {"toilet", "seat"} <= present:
        joined = [entry for entry in joined if entry[2] != "seat"]
    return [
        Mention(place, length, word, vocabulary.places[word])
        for place, length, word in joined
        if word in vocabulary.places
    ]


@dataclass(frozen=True)
class Mentions(Requirement[list[list[Mention]]]):
    """What each caption names."""

    words: WordIds

    def compute(self, side: PreparedCaptions) -> list[list[Mention]]:
        """Look each distinct word up once, then read the captions that have some that matter."""
        words = side.get(self.words)
        vocabulary = load()
        lemmas: dict[int, str] = {}
        for number in words.used.tolist():
            lemma = vocabulary.lemma(words.table.key(number).decode("utf-8").lower())
            if lemma is not None:
                lemmas[number] = lemma
        matters = np.zeros(len(words.table), dtype=bool)
        matters[list(lemmas)] = True
        return [
            find_mentions([(place, lemmas[number]) for place, number in found])
            for found in _relevant(words.ids, words.offsets, matters)
        ]


def _relevant(
    ids: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64], matters: npt.NDArray[np.bool_]
) -> Iterator[list[tuple[int, int]]]:
    """Return for each caption the places and numbers of the words that matter."""
    places = np.flatnonzero(matters[ids])
    bounds = np.searchsorted(places, offsets)
    numbers = ids[places]
    for caption, (first, last) in enumerate(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)):
        inside = (places[first:last] - offsets[caption]).tolist()
        yield list(zip(inside, numbers[first:last].tolist(), strict=True))
