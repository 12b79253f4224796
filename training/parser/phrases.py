"""Noun phrases that can take each other's place in training, as words can (`alike.py`).

    python training/parser/phrases.py    # how often captions that differ in such words or phrases only have one parse

In a context-free grammar a phrase matters only through its category. So `a white cat` can stand where `the tennis
court` stood, and the rest of the parse stays. Phrases of one length are exchanged, so that captions keep their lengths
and batches their shape, and only those with the same tag of the noun that both have a determiner or both have none;
every word of a phrase depends on its noun, the last one. Of the silver captions that differ from others in such phrases
and in exchangeable words only, 99.0 % have the parse of the majority.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

import numpy as np
from alike import find_twins, group_words, mask_words
from runs import CACHE, SILVER, say
from silver import Batch, Parses, load_parses
from split import split

NOUNS = ("NN", "NNS")
WITHIN = ("det", "amod", "compound", "nummod")
"""Labels of the words before the noun."""
BEFORE = ("DT", "JJ", "CD", *NOUNS)
"""Their tags."""
SPECIAL = ("compound", "nmod:tmod", "nmod:npmod")
"""Labels of nouns that depend on which noun it is, or that are within another phrase."""
SPECIAL_SHARE = 0.01
"""Nouns that have such a label more often than this, as days and years do, stay where they are."""


@dataclass(frozen=True)
class Phrases:
    """Where the phrases of captions stand.

    Attributes
    ----------
    offsets
        Caption ``i`` owns phrases ``offsets[i]:offsets[i + 1]``.
    first, length
        First token of each phrase, counted over all captions, and its number of words.
    group
        Phrases of one group can be exchanged.
    order, bounds
        Phrases by group: group ``g`` has ``order[bounds[g]:bounds[g + 1]]``.
    """

    offsets: np.ndarray
    first: np.ndarray
    length: np.ndarray
    group: np.ndarray
    order: np.ndarray
    bounds: np.ndarray

    def exchange(self, parses: Parses, batch: Batch, rate: float, generator: np.random.Generator) -> Batch:
        """Give a batch in which a share of the phrases was exchanged for others of all captions."""
        begins, counts = self.offsets[batch.order], np.diff(self.offsets)[batch.order]
        rows = np.repeat(np.arange(len(counts)), counts)
        phrases = np.arange(len(rows)) + np.repeat(begins - np.cumsum(counts) + counts, counts)
        chosen = generator.random(len(rows)) < rate
        rows, phrases = rows[chosen], phrases[chosen]
        low, high = self.bounds[self.group[phrases]], self.bounds[self.group[phrases] + 1]
        others = self.order[(low + generator.random(len(rows)) * (high - low)).astype(np.int64)]
        # Token by token: the row in the batch, the place in the caption, the token that comes there.
        lengths = self.length[phrases]
        steps = np.arange(lengths.sum()) - np.repeat(np.cumsum(lengths) - lengths, lengths)
        row = np.repeat(rows, lengths)
        place = np.repeat(self.first[phrases] - parses.offsets[batch.order][rows], lengths) + steps
        token = np.repeat(self.first[others], lengths) + steps
        before = steps + 1 < np.repeat(lengths, lengths)
        form, tag, label = batch.form.copy(), batch.tag.copy(), batch.label.copy()
        form[row, place], tag[row, place] = parses.form[token], parses.tag[token]
        # The noun keeps its own part in the caption.
        label[row[before], place[before]] = parses.label[token[before]]
        return replace(batch, form=form, tag=tag, label=label)


def find_phrases(parses: Parses) -> Phrases:
    """Find the noun phrases of captions."""
    tags, labels = np.array(parses.tags), np.array(parses.labels)
    lengths = parses.lengths
    start = np.repeat(parses.offsets[:-1], lengths)
    head = np.where(parses.head > 0, start + parses.head - 1, -1)
    noun = np.isin(tags, NOUNS)[parses.tag] & ~np.isin(labels, SPECIAL)[parses.label] & ~_special(parses)[parses.form]
    inside = np.isin(tags, BEFORE)[parses.tag] & np.isin(labels, WITHIN)[parses.label]
    # How far the words before each noun reach that depend on it.
    tokens = np.arange(len(head))
    first = tokens.copy()
    reaching = noun.copy()
    for step in range(1, int(lengths.max())):
        before = tokens - step
        reaching &= (before >= start) & inside[before] & (head[before] == tokens)
        if not reaching.any():
            break
        first[reaching] = before[reaching]
    # A word within a phrase on which another depends makes it more than a list of words.
    carrying = np.bincount(head[head >= 0], minlength=len(head)) > 0
    carried = np.concatenate([[0], np.cumsum(carrying)])
    simple = noun & (carried[tokens] == carried[first])
    last = tokens[simple]
    length = last - first[simple] + 1
    determined = np.isin(tags, "DT")[parses.tag[first[simple]]]
    group = np.unique((2 * length + determined) * len(tags) + parses.tag[last], return_inverse=True)[1]
    order = np.argsort(group, kind="stable")
    return Phrases(
        offsets=np.searchsorted(last, parses.offsets),
        first=first[simple],
        length=length,
        group=group,
        order=order,
        bounds=np.concatenate([[0], np.cumsum(np.bincount(group))]),
    )


def _special(parses: Parses) -> np.ndarray:
    """Tell of each form whether its label often depends on which word it is."""
    special = np.isin(parses.labels, [label for label in SPECIAL if label != "compound"])[parses.label]
    seen = np.bincount(parses.form, minlength=len(parses.forms))
    return np.bincount(parses.form, special, minlength=len(parses.forms)) > SPECIAL_SHARE * seen


def mask_phrases(parses: Parses, phrases: Phrases, masked: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Give exchangeable phrases the same numbers, and tell which tokens are outside of them.

    The noun of a phrase counts as outside: its place in the tree must stay.
    """
    masked, outside = masked.copy(), np.ones(len(masked), bool)
    lowest = masked.min() - 1 - phrases.group
    tokens = np.repeat(phrases.first - np.cumsum(phrases.length) + phrases.length, phrases.length)
    tokens += np.arange(phrases.length.sum())
    masked[tokens] = np.repeat(lowest, phrases.length)
    outside[tokens] = False
    outside[phrases.first + phrases.length - 1] = True
    return masked, outside


def main() -> None:
    """Print how often captions that should have one parse do."""
    parses = split(load_parses(sorted(SILVER.glob("part-*.jsonl.gz")), CACHE)).training
    words = mask_words(parses, group_words(parses).group)
    phrases = mask_phrases(parses, find_phrases(parses), words)
    for name, twins in (("words", find_twins(parses, words)), ("words and phrases", find_twins(parses, *phrases))):
        agreeing = [agrees for several in twins for _, agrees in several]
        say(f"{name}: {len(agreeing):,} captions with twins, {np.mean(agreeing):.2%} of them with the usual parse")


if __name__ == "__main__":
    main()
