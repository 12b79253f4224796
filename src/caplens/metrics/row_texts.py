"""Rows as words, for explanations: the slow, readable view of what the kernels see as numbers."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from caplens.core.prepared import Prepared
from caplens.core.requirement import Requirement
from caplens.text.words import Words

Gram = tuple[str, ...]
Counts = dict[Gram, int]


class NgramsOf:
    """The n-grams of captions, counted when an order is first asked for."""

    def __init__(self, captions: Sequence[Sequence[str]]) -> None:
        self._captions = captions
        self._orders: dict[int, list[Counts]] = {}

    def __getitem__(self, order: int) -> list[Counts]:
        found = self._orders.get(order)
        if found is None:
            found = self._orders[order] = [ngram_counts(words, order) for words in self._captions]
        return found


@dataclass(frozen=True)
class RowTexts:
    """A candidate and its references, as given, as words, and as n-grams by order."""

    candidate: str
    references: tuple[str, ...]
    words: list[str]
    reference_words: list[list[str]]
    ngrams: NgramsOf = field(repr=False, compare=False)
    reference_ngrams: NgramsOf = field(repr=False, compare=False)


class TextsOfRows:
    """The texts of all rows of a corpus, each made when it is asked for, those of a reference set once for all rows.

    Parameters
    ----------
    prepared : Prepared
        The corpus.
    words : Requirement
        How captions are cut into words.

    Examples
    --------
    >>> import caplens
    >>> from caplens.core.prepared import prepare
    >>> from caplens.core.requirement import WordIds
    >>> texts = TextsOfRows(prepare(caplens.score(["A dog."], [["two dogs"]], "rouge").corpus), WordIds())
    >>> texts[0]
    RowTexts(candidate='A dog.', references=('two dogs',), words=['a', 'dog'], reference_words=[['two', 'dogs']])
    """

    def __init__(self, prepared: Prepared, words: Requirement[Words]) -> None:
        self._captions, self._words = prepared.candidates.captions, prepared.candidates.get(words)
        self._references, self._reference_words = prepared.references.captions, prepared.references.get(words)
        self._offsets = prepared.references.offsets
        self._sets = prepared.reference_set
        # Other systems have the same references, and explain their rows beside these.
        self._known: dict[int, tuple[tuple[str, ...], list[list[str]], NgramsOf]]
        self._known = prepared.references.once((words, "texts"), dict)
        self._last: tuple[int, RowTexts] | None = None

    def __getitem__(self, row: int) -> RowTexts:
        last = self._last
        if last is None or last[0] != row:  # metrics explain a row one after the other
            last = self._last = row, self._texts(row)
        return last[1]

    def _texts(self, row: int) -> RowTexts:
        number = int(self._sets[row])
        found = self._known.get(number)
        if found is None:
            captions = range(*self._offsets[number : number + 2].tolist())
            words = [self._reference_words[each] for each in captions]
            texts = tuple(self._references[each] for each in captions)
            found = self._known[number] = texts, words, NgramsOf(words)
        ours = self._words[row]
        return RowTexts(self._captions[row], found[0], ours, found[1], NgramsOf([ours]), found[2])


def texts_of_rows(prepared: Prepared, words: Requirement[Words]) -> TextsOfRows:
    """Return the texts of a corpus, which explanations by several metrics share."""
    return prepared.once((words, "texts"), lambda: TextsOfRows(prepared, words))


def row_texts(prepared: Prepared, words: Requirement[Words], row: int) -> RowTexts:
    """Return the texts of one row, cut into words as ``words`` says."""
    return texts_of_rows(prepared, words)[row]


def ngram_counts(words: Sequence[str], order: int) -> Counts:
    """Count the n-grams of one order.

    Examples
    --------
    >>> ngram_counts(["a", "b", "a", "b"], 2)
    {('a', 'b'): 2, ('b', 'a'): 1}
    """
    counts: Counts = {}
    for gram in zip(*[words[place:] for place in range(order)], strict=False):
        counts[gram] = counts.get(gram, 0) + 1
    return counts
