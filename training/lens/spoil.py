"""Captions made wrong or ill-formed on purpose: the negatives of training, and pairs to test on.

Words are exchanged for words of the same kind (tag), half of the time for near ones such as ``dog`` for ``cat``,
never for a word that a caption of the image has.
"""

from __future__ import annotations

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from caplens.embeddings import shipped
from caplens.scenegraph.parser.caption_parser import load
from caplens.text.transformations import permute_words, repeat_words, replace_words
from caplens.text.wordnet import load as load_wordnet
from corpus import Corpus, say

COLOURS = ("red", "blue", "green", "yellow", "black", "white", "brown", "orange", "pink", "purple", "gray", "grey")
NUMBERS = ("one", "two", "three", "four", "five", "six", "seven", "eight")
RELATIONS = (
    *("on", "in", "under", "near", "beside", "behind", "above", "below", "inside", "outside", "over", "with"),
    *("without", "through", "across", "against", "around", "between", "towards"),
)
GREY = {"gray", "grey"}
LIGHT = frozenset(
    [
        "picture",
        "image",
        "photo",
        "photograph",
        "view",
        "background",
        "front",
        "side",
        "top",
        "group",
        "couple",
        "bunch",
        "lot",
        "it",
        "them",
    ]
)
PARSED = 40_000
NEAR = 40
CERTAIN = 0.7

Words = list[str]


@dataclass(frozen=True, eq=False)
class Lexicon:
    """Kinds of words: the tag of most occurrences, and for nouns, adjectives and verbs the words nearest to each."""

    tags: dict[str, str]
    pools: dict[str, list[str]]
    near: dict[str, list[str]]

    @classmethod
    def of(cls, data: Corpus, folder: Path) -> Lexicon:
        """Tag some captions; the result is kept."""
        path = folder / "lexicon.json"
        if not path.is_file():
            content = _make(data)
            path.write_text(json.dumps(content))
        content = json.loads(path.read_text())
        return cls(content["tags"], content["pools"], content["near"])

    def other(self, word: str, taken: set[str], generator: np.random.Generator) -> str | None:
        """Return a word of the same kind that is not taken, or None."""
        near = self.near.get(word, [])
        pool = near if near and generator.random() < 0.6 else self.pools.get(self.tags.get(word, ""), [])
        for _ in range(8 if pool else 0):
            found = pool[int(generator.integers(len(pool)))]
            if found not in taken:
                return found
        return None


def _make(data: Corpus) -> dict[str, object]:
    say("tagging captions")
    generator = np.random.default_rng(0)
    drawn = generator.choice(len(data.words), PARSED, replace=False).tolist()
    counts: dict[str, Counter[str]] = defaultdict(Counter)
    for parse in load().parse([data.words[place] for place in drawn]):
        for sentence in parse:
            for word, tag in zip(sentence.words, sentence.tags, strict=True):
                counts[word][tag] += 1
    tags: dict[str, str] = {}
    for word, found in counts.items():
        tag, number = found.most_common(1)[0]
        if found.total() >= 4 and number >= CERTAIN * found.total() and word.isalpha():
            tags[word] = tag
    pools: dict[str, list[str]] = defaultdict(list)
    for word, tag in tags.items():
        if tag in ("NN", "NNS", "JJ", "VBG", "VBZ") and word not in LIGHT:
            pools[tag].append(word)
    return {"tags": tags, "pools": pools, "near": _near(pools)}


def _near(pools: dict[str, list[str]]) -> dict[str, list[str]]:
    """Return for each word those of its pool that are near by GloVe, without synonyms."""
    table = shipped.load(shipped.RAW)
    net = load_wordnet()
    found: dict[str, list[str]] = {}
    for pool in pools.values():
        known = [word for word in pool if table.vector(word) is not None]
        vectors = np.array([table.vector(word) for word in known])
        vectors -= vectors.mean(axis=0)
        vectors /= np.linalg.norm(vectors, axis=1, keepdims=True)
        order = np.argsort(-(vectors @ vectors.T), axis=1)[:, 1 : NEAR + 1]
        synsets = {word: set(net.meaning(word.encode())) for word in known}
        for word, places in zip(known, order, strict=True):
            others = [known[place] for place in places]
            found[word] = [other for other in others if not synsets[word] & synsets[other] and other[:4] != word[:4]]
    return found


class Spoiler:
    """Makes captions wrong; each method returns another caption, or None where the caption has nothing to change.

    Parameters
    ----------
    lexicon : Lexicon
        Kinds of words.
    vocabulary : list of str
        Words that are drawn at random.
    phrases : list of list of str
        Ends of other captions (``with a red hat``), to be added.
    """

    def __init__(self, lexicon: Lexicon, vocabulary: list[str], phrases: list[Words]) -> None:
        self.lexicon, self.vocabulary, self.phrases = lexicon, vocabulary, phrases
        self.facts: dict[str, Callable[[Words, set[str], np.random.Generator], Words | None]] = {
            "noun": self.noun,
            "attribute": self.attribute,
            "number": self.number,
            "relation": self.relation,
            "roles": self.roles,
            "colours": self.colours,
            "phrase": self.phrase,
        }
        self.forms: dict[str, Callable[[Words, np.random.Generator], Words | None]] = {
            "permuted": lambda words, generator: permute_words(words, float(generator.uniform(0.1, 1)), generator),
            "repeated": self.repeated,
            "cut": self.cut,
            "random": lambda words, generator: replace_words(
                words, float(generator.uniform(0.05, 0.7)), self.vocabulary, generator
            ),
            "swapped": self.swapped,
            "doubled": self.doubled,
            "dropped": self.dropped,
        }

    def _exchange(
        self, words: Words, taken: set[str], tags: Sequence[str], generator: np.random.Generator
    ) -> Words | None:
        places = [
            place
            for place, word in enumerate(words)
            if self.lexicon.tags.get(word) in tags and word not in LIGHT and word not in COLOURS
        ]
        if not places:
            return None
        place = places[int(generator.integers(len(places)))]
        other = self.lexicon.other(words[place], taken, generator)
        return None if other is None else _with(words, place, other)

    def noun(self, words: Words, taken: set[str], generator: np.random.Generator) -> Words | None:
        """Exchange an object."""
        return self._exchange(words, taken, ("NN", "NNS"), generator)

    def attribute(self, words: Words, taken: set[str], generator: np.random.Generator) -> Words | None:
        """Exchange an attribute."""
        return self._exchange(words, taken, ("JJ",), generator)

    def _of_list(
        self, words: Words, taken: set[str], listed: Sequence[str], generator: np.random.Generator
    ) -> Words | None:
        places = [place for place, word in enumerate(words) if word in listed]
        others = [word for word in listed if word not in taken and not (word in GREY and taken & GREY)]
        if not places or not others:
            return None
        place = places[int(generator.integers(len(places)))]
        return _with(words, place, others[int(generator.integers(len(others)))])

    def number(self, words: Words, taken: set[str], generator: np.random.Generator) -> Words | None:
        """Exchange a number."""
        return self._of_list(words, taken, NUMBERS, generator)

    def colours(self, words: Words, taken: set[str], generator: np.random.Generator) -> Words | None:
        """Exchange a colour."""
        return self._of_list(words, taken, COLOURS, generator)

    def relation(self, words: Words, taken: set[str], generator: np.random.Generator) -> Words | None:
        """Exchange an action or a preposition."""
        if generator.random() < 0.5:
            found = self._exchange(words, taken, ("VBG", "VBZ"), generator)
            if found is not None:
                return found
        return self._of_list(words, taken, RELATIONS, generator)

    def roles(self, words: Words, taken: set[str], generator: np.random.Generator) -> Words | None:
        """Exchange two nouns of one number with each other, not neighbours."""
        for tag in ("NN", "NNS") if generator.random() < 0.8 else ("NNS", "NN"):
            places = [
                place
                for place, word in enumerate(words)
                if self.lexicon.tags.get(word) == tag
                and word not in LIGHT
                and (place + 1 == len(words) or self.lexicon.tags.get(words[place + 1]) not in ("NN", "NNS"))
            ]
            if len({words[place] for place in places}) < 2:
                continue
            for _ in range(4):
                left, right = sorted(generator.choice(places, 2, replace=False).tolist())
                between = words[left + 1 : right]
                if words[left] != words[right] and not {"and", "or"} & set(between) and len(between) >= 1:
                    changed = list(words)
                    changed[left], changed[right] = words[right], words[left]
                    return _articles(changed)
        return None

    def phrase(self, words: Words, taken: set[str], generator: np.random.Generator) -> Words | None:
        """Add the end of another caption that nothing bears out."""
        for _ in range(6):
            phrase = self.phrases[int(generator.integers(len(self.phrases)))]
            if not {word for word in phrase if self.lexicon.tags.get(word) in ("NN", "NNS")} & taken:
                return [*words, *phrase]
        return None

    def repeated(self, words: Words, generator: np.random.Generator) -> Words | None:
        """Say the last words again, after "and" or at once."""
        strength = float(generator.uniform(0.1, 1))
        found = repeat_words(words, strength)
        if generator.random() < 0.3:
            del found[len(words)]
        return found

    def cut(self, words: Words, generator: np.random.Generator) -> Words | None:
        """Stop after a word that no caption ends with."""
        places = [place for place, word in enumerate(words) if word in ("a", "the", "of", "with", "in", "on", "and")]
        places = [place for place in places if place >= 2]
        return words[: places[int(generator.integers(len(places)))] + 1] if places else None

    def swapped(self, words: Words, generator: np.random.Generator) -> Words | None:
        """Exchange two neighbours."""
        if len(words) < 3:
            return None
        place = int(generator.integers(len(words) - 1))
        if words[place] == words[place + 1]:
            return None
        return [*words[:place], words[place + 1], words[place], *words[place + 2 :]]

    def doubled(self, words: Words, generator: np.random.Generator) -> Words | None:
        """Say a word or two twice."""
        place, length = int(generator.integers(len(words))), int(generator.integers(1, 4))
        return [*words[: place + length], *words[place : place + length], *words[place + length :]]

    def dropped(self, words: Words, generator: np.random.Generator) -> Words | None:
        """Leave out articles and prepositions, or a word inside."""
        if len(words) < 5:
            return None
        place = int(generator.integers(1, len(words) - 1))
        return [*words[:place], *words[place + 1 :]]


def _with(words: Words, place: int, word: str) -> Words:
    return _articles([*words[:place], word, *words[place + 1 :]])


def _articles(words: Words) -> Words:
    """Say "a" or "an" as the next word demands, so that no article betrays what was changed."""
    changed = list(words)
    for place, word in enumerate(words[:-1]):
        if word in ("a", "an"):
            changed[place] = "an" if words[place + 1][0] in "aeiou" else "a"
    return changed


def phrases_of(captions: Sequence[Words], number: int, generator: np.random.Generator) -> list[Words]:
    """Return ends of captions that begin with a preposition or "and"."""
    found: list[Words] = []
    for place in generator.permutation(len(captions))[: 3 * number].tolist():
        words = captions[place]
        starts = [
            at for at, word in enumerate(words) if word in ("with", "and", "near", "beside", "behind") and at >= 3
        ]
        if starts and 3 <= len(words) - starts[-1] <= 7:
            found.append(words[starts[-1] :])
        if len(found) == number:
            break
    return found
