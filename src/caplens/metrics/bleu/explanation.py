"""Where a BLEU score comes from: the n-grams of each order that match, and the length."""

from __future__ import annotations

from dataclasses import dataclass
from operator import itemgetter
from typing import TYPE_CHECKING

from caplens.core.metric import State
from caplens.core.prepared import Prepared
from caplens.errors import counted
from caplens.metrics.bleu.metric import SMALL, TINY, brevity
from caplens.metrics.row_texts import Counts, RowTexts, texts_of_rows
from caplens.metrics.sentences import NO_SHARED_WORD, NUMBERS, share, stated
from caplens.output.explanation import Explanation, MarkedText, Table, mark_words

if TYPE_CHECKING:
    from caplens.metrics.bleu.metric import Bleu

_NO_MATCH = 2 * TINY / SMALL  # above the precision of no match, whatever the length
_TITLES = tuple(f"{order}-grams" for order in range(len(NUMBERS)))
_COLUMNS = ("n-gram", "in the candidate", "most in a reference", "matched")


@dataclass(frozen=True)
class _Numbers:
    """The numbers of one row, by order where there are several."""

    matches: list[int]
    ngrams: list[int]
    precisions: list[float]
    length: float
    reference_length: float
    brevity: float


class Explainer:
    """Explains rows of a corpus; what it has in common with other rows is computed once."""

    def __init__(self, metric: Bleu, prepared: Prepared, state: State) -> None:
        table, orders = metric.known_statistics(prepared, state).table, metric.n
        self._request, self._keys, self._orders = str(metric.request()), metric.result_keys, orders
        self._name = metric.label or metric.longest
        self._texts = texts_of_rows(prepared, metric.ngrams.words)
        self._sets = prepared.reference_set
        self._scores = metric.known_item_scores(prepared, state)
        self._statistics = table
        self._precisions = metric.precisions(table[:, :orders], table[:, orders : 2 * orders])
        self._brevity = brevity(table[:, -2], table[:, -1])
        self._most: dict[int, list[Counts]]
        self._most = prepared.references.once((metric.ngrams, orders, "most"), dict)

    def explain(self, row: int) -> Explanation:
        """Explain one row."""
        texts = self._texts[row]
        scores, numbers = self._scores[row].tolist(), self._numbers(row)
        most = self._most_of(int(self._sets[row]), texts)
        matched = {place for place, word in enumerate(texts.words) if (word,) in most[0]}
        return Explanation(
            metric=self._request,
            candidate=texts.candidate,
            references=texts.references,
            scores=dict(zip(self._keys, scores, strict=True)),
            facts={
                "length": numbers.length,
                "reference length": numbers.reference_length,
                "brevity penalty": numbers.brevity,
            },
            sections=(
                MarkedText("candidate (words that occur in a reference)", mark_words(texts.words, matched)),
                _by_order(numbers),
                *(_matches(order, texts.ngrams[order][0], found) for order, found in enumerate(most, 1)),
            ),
            summary=stated(self._name, scores[-1], _reason(numbers)),
        )

    def _numbers(self, row: int) -> _Numbers:
        *counts, length, reference_length = self._statistics[row].tolist()
        whole = [int(count) for count in counts]
        return _Numbers(
            whole[: self._orders],
            whole[self._orders :],
            self._precisions[row].tolist(),
            length,
            reference_length,
            float(self._brevity[row]),
        )

    def _most_of(self, number: int, texts: RowTexts) -> list[Counts]:
        """Return how often one reference of a set has each n-gram, at most, by order."""
        found = self._most.get(number)
        if found is None:
            orders = range(1, self._orders + 1)
            found = self._most[number] = [_most(texts.reference_ngrams[order]) for order in orders]
        return found


def _most(references: list[Counts]) -> Counts:
    most: Counts = {}
    for counts in references:
        for gram, count in counts.items():
            if count > most.get(gram, 0):
                most[gram] = count
    return most


def _by_order(numbers: _Numbers) -> Table:
    by_order = zip(numbers.matches, numbers.ngrams, numbers.precisions, strict=True)
    rows = tuple((order, *found) for order, found in enumerate(by_order, 1))
    return Table("by order", ("order", "matched", "n-grams", "precision"), rows)


def _matches(order: int, counts: Counts, most: Counts) -> Table:
    """List the candidate's n-grams of one order: matched first, then missed."""
    rows = [
        (" ".join(gram), count, found := most.get(gram, 0), count if count < found else found)
        for gram, count in counts.items()
    ]
    rows.sort(key=itemgetter(3), reverse=True)
    return Table(_TITLES[order], _COLUMNS, tuple(rows))


def _reason(numbers: _Numbers) -> str:
    """Say what decides the score of the longest n-grams, of one row."""
    matches, ngrams = numbers.matches, numbers.ngrams
    if not ngrams[0]:
        return "the candidate has no words"
    if not matches[0]:
        return NO_SHARED_WORD
    nothing = [order for order, precision in enumerate(numbers.precisions, 1) if precision < _NO_MATCH]
    if nothing:
        if ngrams[0] < nothing[0]:
            return f"the candidate has only {counted(ngrams[0], 'word')}"
        return f"no {NUMBERS[nothing[0]]} words in a row occur in a reference"
    longest = min(len(ngrams), ngrams[0])
    found = share(matches[0], ngrams[0], "word")
    if longest > 1:
        found += f" and {share(matches[longest - 1], ngrams[longest - 1], f'{NUMBERS[longest]}-word sequence')}"
    verb = "occurs" if longest == matches[0] == 1 else "occur"
    is_short = numbers.brevity < 1 - SMALL
    short = f", and the candidate is short (brevity penalty {numbers.brevity:.4f})" if is_short else ""
    return f"{found} {verb} in a reference{short}"
