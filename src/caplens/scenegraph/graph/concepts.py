"""Concepts: what a node, an attribute or a relation of a scene graph stands for.

A concept is a set of words that mean the same and the set of WordNet synsets they belong to. Two concepts are similar
if they share a word or a synset.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field

from caplens.text import wordnet
from caplens.text._tables import BytesTable


@dataclass(frozen=True, slots=True, eq=False)
class Concept:
    """Words that mean the same, with all their synsets.

    Attributes
    ----------
    words : tuple of str
        Lower-case terms; a term may be several words with spaces between them (`next to`). They stand in the order
        in which SPICE 1.0 prints them, see `in_print_order`.
    synsets : frozenset of int
        The synsets of all the words. Empty if synonyms are not wanted.
    name : str
        The words with slashes between them, as SPICE 1.0 prints them: `bicycle/bike`.
    marks : frozenset of str and int
        Words and synsets together: similar concepts share a mark.
    """

    words: tuple[str, ...]
    synsets: frozenset[int]
    name: str = field(init=False)
    marks: frozenset[str | int] = field(init=False, repr=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "name", "/".join(self.words))
        object.__setattr__(self, "marks", self.synsets.union(self.words))

    def similarity(self, other: Concept) -> float:
        """Return 1 if the concepts share a word, else the share of common synsets in all their synsets (Jaccard)."""
        if not set(self.words).isdisjoint(other.words):
            return 1.0
        common = len(self.synsets & other.synsets)
        return common / (len(self.synsets) + len(other.synsets) - common) if common else 0.0

    def is_similar(self, other: Concept) -> bool:
        """Return whether the concepts share a word or a synset."""
        return not self.marks.isdisjoint(other.marks)

    def merged(self, other: Concept) -> Concept:
        """Return the concept with the words and the synsets of both."""
        new_words = [word for word in other.words if word not in self.words]
        return Concept(in_print_order([*self.words, *new_words]), self.synsets | other.synsets)


def in_print_order(words: list[str]) -> tuple[str, ...]:
    """Return the words of a concept in the order in which SPICE 1.0 prints them.

    It keeps them in a hash table of Java (observed: this explains the order of all the merged names in its output).
    The order matters beyond the looks: by it tuples are sorted, and the first similar one is the match.
    """
    if len(words) == 1:
        return (words[0],)
    buckets = 16
    while len(words) > 0.75 * buckets:
        buckets *= 2
    return tuple(sorted(words, key=lambda word: _java_hash(word) % buckets))


def _java_hash(word: str) -> int:
    """Return the documented hash of a string in Java, mixed as its hash tables do before they choose a bucket."""
    units = word.encode("utf-16-le")
    value = 0
    for low, high in zip(units[::2], units[1::2], strict=True):
        value = (31 * value + (high << 8 | low)) & 0xFFFFFFFF
    return value ^ value >> 16


class Concepts(dict[str, Concept]):
    """The concept of each distinct term, looked up once.

    Synsets are those that METEOR takes for the meaning of a word (`caplens.text.wordnet.WordNet.meaning`), with `_`
    between the words of a longer term.

    Parameters
    ----------
    synonyms : bool
        Without them concepts have no synsets, so that only equal words are similar (SPICE-exact).

    Examples
    --------
    >>> concepts = Concepts()
    >>> sofa, couch, truck = concepts["sofa"], concepts["couch"], concepts["truck"]
    >>> sofa.similarity(couch), sofa.similarity(truck)
    (0.25, 0.0)
    >>> both = sofa.merged(couch)
    >>> both.name, sorted(both.synsets)
    ('sofa/couch', [981276, 3115762, 3115897, 4256520])
    >>> exact = Concepts(synonyms=False)
    >>> exact["sofa"].is_similar(exact["couch"])
    False
    """

    def __init__(self, *, synonyms: bool = True) -> None:
        super().__init__()
        self.synonyms = synonyms

    def __missing__(self, term: str) -> Concept:
        self.add((term,))
        return self[term]

    def add(self, terms: Iterable[str]) -> None:
        """Look up many terms at once, which takes a fraction of the time that they take one by one."""
        new = [term for term in dict.fromkeys(terms) if term not in self]
        if not self.synonyms:
            self.update((term, Concept((term,), frozenset())) for term in new)
            return
        table = BytesTable()
        places = table.insert_all([term.replace(" ", "_").encode() for term in new]).tolist()
        offsets, synsets = (array.tolist() for array in wordnet.load().meanings(table))
        for term, place in zip(new, places, strict=True):
            self[term] = Concept((term,), frozenset(synsets[offsets[place] : offsets[place + 1]]))
