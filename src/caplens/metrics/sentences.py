"""The sentence that an explanation begins with: the score, and why it is what it is."""

from __future__ import annotations

import math

from caplens.errors import counted

NUMBERS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
NO_SHARED_WORD = "no word of the candidate occurs in a reference"


def stated(name: str, score: float, reason: str) -> str:
    """Say what a score is and why; one that does not exist is undefined.

    Examples
    --------
    >>> stated("BLEU-1", 0.0, NO_SHARED_WORD)
    'BLEU-1 is 0: no word of the candidate occurs in a reference.'
    >>> stated("SPICE", 0.25, "1 of 4 tuples matches")
    'SPICE is 0.2500: 1 of 4 tuples matches.'
    """
    if math.isnan(score):
        return f"{name} is undefined: {reason}."
    shown = f"{score:.4f}"
    return f"{name} is {'0' if float(shown) == 0 else shown}: {reason}."


def share(part: int, whole: int, noun: str) -> str:
    """Say how many of how many.

    Examples
    --------
    >>> share(3, 5, "word"), share(5, 5, "word"), share(1, 1, "word")
    ('3 of 5 words', 'all 5 words', 'the only word')
    """
    if part == whole:
        return f"the only {noun}" if whole == 1 else f"all {whole} {noun}s"
    return f"{part} of {counted(whole, noun)}"


def nothing_counts(side: str) -> str:
    """Say that a metric of word vectors has nothing to compare on one side.

    Examples
    --------
    >>> nothing_counts("candidate")
    'no word of the candidate counts (stop words and words without a vector do not)'
    """
    return f"no word of the {side} counts (stop words and words without a vector do not)"
