"""Captions as METEOR's words."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from caplens.text.meteor.normalizer import Normalizer, looks_further
from caplens.text.words import Words, replace_captions, replace_words


def normalize_words(
    words: Words, normalizer: Normalizer, base: Words | None = None, text: Callable[[int], str] | None = None
) -> Words:
    """Normalise captions that are words already; words that ``base`` knows keep its ids.

    Each distinct word is normalised once. Only captions with a word whose fate may depend on its neighbours are looked
    at as a whole: as what ``text`` returns for them, by default their words with single spaces between.

    Examples
    --------
    >>> from caplens.text.captions import Captions
    >>> from caplens.text.tokenizers import get_tokenizer
    >>> from caplens.text.words import encode_words
    >>> captions, _ = Captions.from_texts(["a t-shirt", "5 p.m. on main st.", "st. louis"])
    >>> words = normalize_words(encode_words(captions, get_tokenizer("none")), Normalizer((), ()))
    >>> [words.text(caption) for caption in range(3)]
    ['a t shirt', '5 pm on main st .', 'st. louis']
    """
    depends = np.zeros(len(words.table), dtype=bool)

    def normalized(distinct: list[bytes]) -> list[tuple[bytes, ...]]:
        depends[words.used] = [not word.isalnum() and looks_further(word.decode("utf-8")) for word in distinct]
        # Of bytes, `isalnum` knows ASCII letters and digits only: most words by far.
        return [(word.lower(),) if word.isalnum() else _normalize_word(word, normalizer) for word in distinct]

    replaced = replace_words(words, normalized, base)
    places = np.flatnonzero(depends[words.ids])
    captions = np.flatnonzero(np.bincount(np.searchsorted(words.offsets, places, side="right") - 1)).tolist()
    if not captions:
        return replaced
    whole = text or words.text
    return replace_captions(
        replaced,
        {caption: [word.encode("utf-8") for word in normalizer.words(whole(caption))] for caption in captions},
    )


def lower_words(words: Words, base: Words | None = None) -> Words:
    """Put every word into lower case; words that ``base`` knows keep its ids."""
    return replace_words(words, lambda found: [(word.decode("utf-8").lower().encode("utf-8"),) for word in found], base)


def _normalize_word(word: bytes, normalizer: Normalizer) -> tuple[bytes, ...]:
    return tuple(part.encode("utf-8") for part in normalizer.words(word.decode("utf-8")))
