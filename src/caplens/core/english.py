"""Whether references are English: metrics that were made for English say so where they are not."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caplens.core.prepared import PreparedReferences
from caplens.core.requirement import WordIds
from caplens.errors import Notice

SAMPLED_REFERENCES = 200
LEAST_KNOWN, MOST_KNOWN = 0.5, 0.9
LEAST_FUNCTION_WORDS = 0.03
"""Of all words: a fifth in English captions, at most one in eighty in those of 36 other languages."""
# Words that no other language writes in the same way, at least not as often: so neither `a` nor `in`.
_FUNCTION_WORDS = frozenset(
    [
        *("the", "with", "and", "of", "to", "that", "are", "by", "from", "his", "her", "their", "while", "next"),
        *("some", "this", "there", "two", "near", "has"),
    ]
)


def sampled_references(references: PreparedReferences, words: WordIds) -> list[list[str]]:
    """Return the words of some references, enough to tell their language; of scene graphs there are none."""
    found = references.get(words)
    places = np.flatnonzero(found.lengths)
    if references.graphs is not None:
        places = np.setdiff1d(places, references.graphs.places)
    return [found[place] for place in places[:: -(-len(places) // SAMPLED_REFERENCES) or 1].tolist()]


def not_english(metric: str, captions: Sequence[Sequence[str]], known: float) -> list[Notice]:
    """Warn if captions do not look English: a ``metric`` for English knows the share ``known`` of their words.

    English captions of unusual things have many unknown words, but also words such as `with` and `the`; captions in
    related languages share half of their words with English ones, but hardly any of these.

    Examples
    --------
    >>> not_english("Lens", [["un", "homme", "sur", "un", "cheval"]], known=0.6)[0].code
    'not-english'
    >>> not_english("Lens", [["quokkas", "with", "the", "ranger"]], known=0.75)
    []
    """
    words = [word for caption in captions for word in caption]
    function_words = sum(map(_FUNCTION_WORDS.__contains__, words))
    if known >= MOST_KNOWN or (known >= LEAST_KNOWN and function_words >= LEAST_FUNCTION_WORDS * len(words)):
        return []
    wording = (
        f"{metric} knows only {{0}} of {{1:sampled word}} of the references: it supports English only, and scores for "
        "other languages are meaningless"
    )
    return [Notice.worded("not-english", wording, [round(known * len(words)), len(words)])]
