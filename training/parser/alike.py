"""Words that the reference's parser treats alike, to be exchanged in training.

The reference is a grammar of tags: a word matters only through the tags that it can have. So words that always have
the same tag can be exchanged and the parse stays. In the silver parses, of the captions that differ from others in such
words only, 99.89 % have the parse of the majority (`phrases.py` prints it). A network does not know this, and learns
from 319,277 captions that surfers go with waves; exchanging words at random makes it look at structure, and shows it
rare words in all their places.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from silver import Parses

OPEN_TAGS = ("NN", "NNS", "JJ", "VBG", "VBZ", "VBN", "CD")
SAME_TAG = 0.99
"""Share of a word's occurrences that have its usual tag."""
SEEN = 5
"""Occurrences without which a word's tags are not known well enough."""
HELPERS = frozenset(("is", "has", "does", "was", "did", "had", "are", "have", "do", "were", "be", "being", "having"))
"""Words that grammars of this kind tell from others of their tag (Klein and Manning, 2003)."""
DISAGREEING = 0.03
"""Largest share of a word's captions that may differ from those that are the same but for such words."""
POWER = 0.5
"""Of a word's frequency: how often it takes the place of another one."""


@dataclass(frozen=True)
class Alike:
    """Groups of words that can be exchanged.

    Attributes
    ----------
    group
        Group of each form, -1 for one that must stay.
    members, cumulated
        For each group its forms, and their cumulated probabilities.
    """

    group: np.ndarray
    members: list[np.ndarray]
    cumulated: list[np.ndarray]

    def exchange(self, form: np.ndarray, rate: float, generator: np.random.Generator) -> np.ndarray:
        """Give forms of which a share was exchanged for others of their group."""
        exchanged = form.copy()
        chosen = generator.random(form.shape) < rate
        groups = np.where(chosen, self.group[form], -1)
        for number, (members, cumulated) in enumerate(zip(self.members, self.cumulated, strict=True)):
            places = np.nonzero(groups == number)
            exchanged[places] = members[np.searchsorted(cumulated, generator.random(len(places[0])), side="right")]
        return exchanged


def group_words(parses: Parses) -> Alike:
    """Find the groups: words with one open tag each, without those whose captions then disagree."""
    counts = np.zeros((len(parses.forms), len(parses.tags)), np.int64)
    np.add.at(counts, (parses.form, parses.tag), 1)
    seen, usual = counts.sum(axis=1), counts.argmax(axis=1)
    tags = [parses.tags.index(tag) for tag in OPEN_TAGS if tag in parses.tags]
    steady = (seen >= SEEN) & (counts.max(axis=1) >= SAME_TAG * seen) & np.isin(usual, tags)
    steady &= ~np.isin(parses.forms, sorted(HELPERS))
    group = np.where(steady, np.searchsorted(np.sort(tags), usual), -1)
    group[_is_disagreeing(parses, group)] = -1
    members = [np.flatnonzero(group == number) for number in range(len(tags))]
    weights = [seen[forms] ** POWER for forms in members]
    return Alike(group, members, [np.cumsum(each) / each.sum() for each in weights])


def find_twins(
    parses: Parses, masked: np.ndarray, compared: np.ndarray | None = None
) -> Iterator[list[tuple[int, bool]]]:
    """Find captions that are the same but for what is masked, and those of them that have the usual parse.

    Parameters
    ----------
    parses
        The captions.
    masked
        One number a token: equal where a difference does not count.
    compared
        The tokens whose parse is compared; without it all.

    Yields
    ------
    list of tuple of int and bool
        Two captions or more: where they stand, and whether their parse is that of most.
    """
    columns = np.stack([parses.tag, parses.head, parses.label], axis=1)
    if compared is not None:
        columns = np.where(compared[:, np.newaxis], columns, -1)
    twins = defaultdict(list)
    for place, (first, last) in enumerate(pairwise(parses.offsets.tolist())):
        twins[masked[first:last].tobytes()].append((place, columns[first:last].tobytes()))
    for several in twins.values():
        if len(several) > 1:
            usual = Counter(parse for _, parse in several).most_common(1)[0][0]
            yield [(place, parse == usual) for place, parse in several]


def _is_disagreeing(parses: Parses, group: np.ndarray) -> np.ndarray:
    """Tell of each form whether its captions have other parses than their twins too often."""
    captions, disagreeing = (np.zeros(len(group), np.int64) for _ in range(2))
    for several in find_twins(parses, mask_words(parses, group)):
        for place, agrees in several:
            forms = np.unique(parses.form[parses.offsets[place] : parses.offsets[place + 1]])
            captions[forms] += 1
            disagreeing[forms] += not agrees
    return disagreeing > DISAGREEING * np.maximum(captions, 1)


def mask_words(parses: Parses, group: np.ndarray) -> np.ndarray:
    """Give each token the number of its form, or a negative one of its group."""
    groups = group[parses.form]
    return np.where(groups >= 0, -1 - groups, parses.form)
