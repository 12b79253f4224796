"""N-grams of a caption counted in a dictionary, as the scorers keep them where scripts can see them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence

Ngram = tuple[str, ...]
Counts = dict[Ngram, int]


def precook(s: str, n: int = 4, out: bool = False) -> Counts:
    """Count the n-grams of one to ``n`` words between white space; ``out`` is not used, as in the original.

    Examples
    --------
    >>> dict(precook("a b a", 2))
    {('a',): 2, ('b',): 1, ('a', 'b'): 1, ('b', 'a'): 1}
    """
    words = s.split()
    counts: Counts = defaultdict(int)
    for order in range(1, n + 1):
        for place in range(len(words) - order + 1):
            counts[tuple(words[place : place + order])] += 1
    return counts


def cook_refs(refs: Sequence[str], n: int = 4) -> list[Counts]:
    """Count the n-grams of each reference of an image."""
    return [precook(reference, n) for reference in refs]


def cook_test(test: str, n: int = 4) -> Counts:
    """Count the n-grams of a candidate."""
    return precook(test, n)
