"""Captions made worse on purpose: permuted words (WP), random words (RW), captions of other images (RC).

References
----------
Y. Cui, G. Yang, A. Veit, X. Huang, S. Belongie: Learning to evaluate image captioning, CVPR 2018, eq. 7-9.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

LEAST_WORDS = 2
"""A transformation concerns at least this many words."""
ATTEMPTS = 50
"""A draw that changes nothing is repeated; a caption of equal words cannot be changed by permuting them."""


def concerned_words(words: int, strength: float) -> int:
    """Return how many of some words a transformation of a strength from 0 to 1 concerns.

    Examples
    --------
    >>> [concerned_words(10, strength) for strength in (0, 0.1, 0.55, 1)]
    [0, 2, 6, 10]
    """
    if strength <= 0:
        return 0
    return min(words, max(LEAST_WORDS, int(np.floor(strength * words + 0.5))))


def permute_words(words: Sequence[str], strength: float, generator: np.random.Generator) -> list[str]:
    """Permute some of the words, so that the caption changes.

    Examples
    --------
    >>> sorted(permute_words(["a", "red", "dog"], 1.0, np.random.default_rng(0)))
    ['a', 'dog', 'red']
    """
    original = list(words)
    number = concerned_words(len(original), strength)
    if len(set(original)) < 2 or number < 2:
        return original
    for _ in range(ATTEMPTS):
        places = generator.choice(len(original), number, replace=False)
        changed = list(original)
        for place, source in zip(places.tolist(), generator.permutation(places).tolist(), strict=True):
            changed[place] = original[source]
        if changed != original:
            return changed
    return original


def replace_words(
    words: Sequence[str], strength: float, vocabulary: Sequence[str], generator: np.random.Generator
) -> list[str]:
    """Replace some of the words by random words of a vocabulary, each by another than itself.

    Examples
    --------
    >>> replace_words(["a", "dog"], 1.0, ["cat"], np.random.default_rng(0))
    ['cat', 'cat']
    """
    changed = list(words)
    if not set(vocabulary) - set(changed) and len(set(vocabulary)) < 2:
        return changed
    for place in generator.choice(len(changed), concerned_words(len(changed), strength), replace=False).tolist():
        for _ in range(ATTEMPTS):
            chosen = vocabulary[int(generator.integers(len(vocabulary)))]
            if chosen != words[place]:
                changed[place] = chosen
                break
    return changed
