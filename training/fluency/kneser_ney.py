"""Modified Kneser-Ney estimates of n-gram probabilities, in backoff form.

S. F. Chen, J. Goodman: An empirical study of smoothing techniques for language modeling, 1998, section 5.

N-grams below the highest order are counted by the number of different words before them, except those that begin a
caption. N-grams that occur once are left out above single words; what they had goes to the order below, so the
probabilities after a context still add up to 1.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

import numpy as np

Ngram = tuple[int, ...]
USUAL = {1: 0.5, 2: 1.0, 3: 1.5}
"""Discounts where there are too few n-grams to estimate them, as among the words of a toy."""


@dataclass(frozen=True)
class Estimates:
    """By n-gram: the log probability of its last word, and the log weight of the order below after it."""

    logs: dict[Ngram, float]
    backoffs: dict[Ngram, float]


def estimate(captions: list[list[int]], order: int, begin: int, size: int) -> list[Estimates]:
    """Return the estimates of each order.

    Parameters
    ----------
    captions : list of list of int
        With the marks of beginning and end.
    order : int
        The longest n-grams.
    begin : int
        The mark of the beginning, which is never predicted.
    size : int
        How many words there are, marks included.
    """
    raw = [Counter(_ngrams(captions, length)) for length in range(1, order + 1)]
    found: list[Estimates] = []
    below: dict[Ngram, float] = {}
    for length in range(1, order + 1):
        counts = raw[-1] if length == order else _continuations(raw[length], raw[length - 1], begin)
        if length == 1:
            counts.pop((begin,), None)
        kept = {ngram for ngram in counts if length == 1 or raw[length - 1][ngram] > 1}
        logs, weights = _order(counts, kept, below, size)
        if found:
            found[-1] = Estimates(found[-1].logs, {**found[-1].backoffs, **weights})
        below = logs
        found.append(Estimates(logs, {}))
    return found


def _ngrams(captions: list[list[int]], length: int) -> list[Ngram]:
    return [tuple(words[place : place + length]) for words in captions for place in range(len(words) - length + 1)]


def _continuations(longer: Counter[Ngram], raw: Counter[Ngram], begin: int) -> Counter[Ngram]:
    """Count the different words before each n-gram; those at the beginning of a caption keep their count."""
    counts = Counter(ngram[1:] for ngram in longer)
    counts.update({ngram: number for ngram, number in raw.items() if ngram[0] == begin})
    return counts


def _order(
    counts: Counter[Ngram], kept: set[Ngram], below: dict[Ngram, float], size: int
) -> tuple[dict[Ngram, float], dict[Ngram, float]]:
    """Return log probabilities of the n-grams that are kept, and log weights of their contexts."""
    discounts = _discounts(counts)
    totals: Counter[Ngram] = Counter()
    spent: dict[Ngram, float] = {}
    for ngram, number in counts.items():
        totals[ngram[:-1]] += number
        if ngram in kept:
            spent[ngram[:-1]] = spent.get(ngram[:-1], 0.0) + number - discounts[min(number, 3)]
    weights = {context: 1 - spent.get(context, 0.0) / total for context, total in totals.items()}
    logs = {}
    for ngram in kept:
        context = ngram[:-1]
        # After no words at all, what is left is shared out evenly (the mark of the beginning is never predicted).
        lower = np.exp(below[ngram[1:]]) if context else 1 / (size - 1)
        share = (counts[ngram] - discounts[min(counts[ngram], 3)]) / totals[context]
        logs[ngram] = float(np.log(share + weights[context] * lower))
    # A context must be listed itself; the mark of the beginning always is, though it has no probability.
    listed = [context for context in weights if context in below or len(context) == 1]
    return logs, {context: float(np.log(weights[context])) for context in listed}


def _discounts(counts: Counter[Ngram]) -> dict[int, float]:
    """Return what is taken from n-grams that occur once, twice, and more often."""
    of = Counter(counts.values())
    if not all(of[number] for number in (1, 2, 3)):
        return dict(USUAL)
    share = of[1] / (of[1] + 2 * of[2])
    found = {number: number - (number + 1) * share * of[number + 1] / of[number] for number in (1, 2, 3)}
    return {number: discount if 0 < discount < number else USUAL[number] for number, discount in found.items()}
