"""One row as words, for explanations: the slow, readable view of what the kernels see as numbers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from caplens.core.prepared import Prepared
from caplens.core.requirement import Requirement
from caplens.text.words import Words


@dataclass(frozen=True)
class RowTexts:
    """A candidate and its references, as given and as words."""

    candidate: str
    references: tuple[str, ...]
    words: list[str]
    reference_words: list[list[str]]


def row_texts(prepared: Prepared, words: Requirement[Words], row: int) -> RowTexts:
    """Return the texts of one row, cut into words as ``words`` says."""
    reference_set = prepared.reference_set[row]
    first, last = prepared.references.offsets[reference_set : reference_set + 2].tolist()
    reference_words = prepared.references.get(words)
    return RowTexts(
        candidate=prepared.candidates.captions[row],
        references=tuple(prepared.references.captions[caption] for caption in range(first, last)),
        words=prepared.candidates.get(words)[row],
        reference_words=[reference_words[caption] for caption in range(first, last)],
    )


def ngram_counts(words: Sequence[str], order: int) -> Counter[tuple[str, ...]]:
    """Count the n-grams of one order.

    Examples
    --------
    >>> ngram_counts(["a", "b", "a", "b"], 2).most_common(1)
    [(('a', 'b'), 2)]
    """
    return Counter(tuple(words[place : place + order]) for place in range(len(words) - order + 1))
