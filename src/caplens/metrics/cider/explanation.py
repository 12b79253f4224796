"""Where a CIDEr score comes from, n-gram by n-gram."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING

import numpy as np

from caplens.core.metric import Floats
from caplens.core.prepared import Prepared
from caplens.metrics.cider.document_frequencies import DocumentFrequencies
from caplens.metrics.row_texts import Counts, Gram, RowTexts, texts_of_rows
from caplens.metrics.sentences import NO_SHARED_WORD, stated
from caplens.output.explanation import Explanation, MarkedText, Table, mark_words

if TYPE_CHECKING:
    from caplens.metrics.cider.metric import Cider

MOST_ROWS = 12
MOST_KEPT = 500_000
_COLUMNS = ("n-gram", "documents", "weight", "references", "adds to score")


class _Weights:
    """Document frequencies of n-grams and their logarithms, looked up once; and what all rows of an image share."""

    def __init__(self, frequencies: DocumentFrequencies, orders: int) -> None:
        self.frequencies = frequencies
        self.orders = orders
        self.images: dict[int, _Image] = {}
        self._idf: dict[Gram, float] = {}
        self._log_documents = frequencies.log_documents
        self._documents: dict[Gram, int] = {}

    def limited(self) -> _Weights:
        """Forget what was kept, if it is much: a server explains captions for days."""
        if len(self._documents) > MOST_KEPT:
            for kept in (self._documents, self._idf, self.images):
                kept.clear()
        return self

    def look_up(self, grams: Iterable[Gram]) -> None:
        """Look up the document frequencies of n-grams of one order, those that are new."""
        new = [gram for gram in grams if gram not in self._documents]
        if not new:
            return
        found = self.frequencies.index.find_all(new)
        numbers = np.zeros(len(new), np.int64)
        numbers[found >= 0] = self.frequencies.frequencies[len(new[0]) - 1][found[found >= 0]]
        for gram, number in zip(new, numbers.tolist(), strict=True):
            self._documents[gram] = number
            self._idf[gram] = self._log_documents - math.log(max(1, number))

    def facts(self, gram: Gram) -> tuple[str, int, float]:
        """Return an n-gram as text, its documents and its weight."""
        return " ".join(gram), self._documents[gram], self._idf[gram]

    def of(self, counts: Counts) -> dict[Gram, float]:
        """Return the weights of the n-grams of a caption, of one order."""
        self.look_up(counts)
        idf = self._idf
        return {gram: count * idf[gram] for gram, count in counts.items()}

    def of_image(self, number: int, texts: RowTexts) -> _Image:
        """Return the n-grams of a reference set, kept for its other candidates."""
        found = self.images.get(number)
        if found is None:
            orders = [self._references(texts.reference_ngrams[order]) for order in range(1, self.orders + 1)]
            totals = {
                gram: sum([weight for _, weight in having]) for order in orders for gram, having in order.having.items()
            }
            found = self.images[number] = _Image(orders, _greatest_first(totals))
        return found

    def _references(self, references: list[Counts]) -> _References:
        having: dict[Gram, list[tuple[int, float]]] = {}
        norms = []
        self.look_up(dict.fromkeys(gram for counts in references for gram in counts))  # together, which is faster
        for place, counts in enumerate(references):
            weights = self.of(counts)
            norms.append(norm_of(weights))
            for gram, weight in weights.items():
                having.setdefault(gram, []).append((place, weight))
        return _References(norms, having)


@dataclass(frozen=True)
class _References:
    """The n-grams of one order of a reference set.

    Attributes
    ----------
    norms : list of float
        The norm of the weights of each reference.
    having : dict
        For each n-gram the references that have it, with its weight there.
    """

    norms: list[float]
    having: dict[Gram, list[tuple[int, float]]]


@dataclass(frozen=True)
class _Image:
    """The n-grams of a reference set by order; and all of them, the greatest sum of weights first."""

    orders: list[_References]
    greatest: list[Gram]

    def references_with(self, gram: Gram) -> int:
        """Return how many references have an n-gram."""
        return len(self.orders[len(gram) - 1].having[gram])


def _greatest_first(values: dict[Gram, float]) -> list[Gram]:
    return [gram for _, gram in sorted(zip([-value for value in values.values()], values, strict=True))]


def norm_of(weights: dict[Gram, float]) -> float:
    """Return the Euclidean norm."""
    return math.sqrt(sum([weight**2 for weight in weights.values()]))


class Explainer:
    """Explains rows of a corpus; what they have in common is computed once.

    Parameters
    ----------
    metric : Cider
    prepared : Prepared
    frequencies : DocumentFrequencies
    similarities : numpy.ndarray
        The statistics of all rows.
    """

    def __init__(
        self, metric: Cider, prepared: Prepared, frequencies: DocumentFrequencies, similarities: Floats
    ) -> None:
        self._metric, self._frequencies, self._similarities = metric, frequencies, similarities
        self._request, self._key = str(metric.request()), metric.result_keys[0]
        self._means = similarities.mean(axis=-1)
        self._texts = texts_of_rows(prepared, metric.ngrams.words)
        self._sets = prepared.reference_set
        self._weights = prepared.references.once((metric, frequencies), lambda: _Weights(frequencies, metric.n))

    def explain(self, row: int) -> Explanation:
        """Explain one row."""
        texts, weights = self._texts[row], self._weights.limited()
        image = weights.of_image(int(self._sets[row]), texts)
        gained, unshared = self._account(texts, image)
        missed = islice((gram for gram in image.greatest if gram not in gained), MOST_ROWS)
        known = image.orders[0].having
        matched = {place for place, word in enumerate(texts.words) if (word,) in known}
        score = float(self._means[row])
        by_order = enumerate(self._similarities[row].tolist(), 1)
        return Explanation(
            metric=self._request,
            candidate=texts.candidate,
            references=texts.references,
            scores={self._key: score},
            facts={
                "documents": self._frequencies.documents,
                "words": len(texts.words),
                **{f"order {order}": value for order, value in by_order},
            },
            sections=(
                MarkedText("candidate (words that occur in a reference)", mark_words(texts.words, matched)),
                Table(
                    "most valuable matches",
                    _COLUMNS,
                    tuple(
                        (*weights.facts(gram), image.references_with(gram), gained[gram])
                        for gram in _greatest_first(gained)[:MOST_ROWS]
                    ),
                ),
                Table(
                    "most valuable misses (in references only)",
                    _COLUMNS[:4],
                    tuple((*weights.facts(gram), image.references_with(gram)) for gram in missed),
                ),
                Table(
                    "unshared n-grams of the candidate",
                    _COLUMNS[:3],
                    tuple(weights.facts(gram) for gram in _greatest_first(unshared)[:MOST_ROWS]),
                ),
            ),
            summary=stated(self._key, score, _reason(gained, self._frequencies)),
        )

    def _account(self, texts: RowTexts, image: _Image) -> tuple[dict[Gram, float], dict[Gram, float]]:
        """Return what each shared n-gram adds to the score, and the weights of those that only the candidate has."""
        metric = self._metric
        gained: dict[Gram, float] = {}
        unshared: dict[Gram, float] = {}
        lengths = [len(words) for words in texts.reference_words]
        share = metric.scale / (metric.n * max(len(lengths), 1))
        clips = metric.variant == "d"
        shares = [share * _penalty(metric, len(texts.words), length) for length in lengths]
        for order, theirs in enumerate(image.orders, 1):
            ours = self._weights.of(texts.ngrams[order][0])
            our_norm = norm_of(ours)
            norms = [our_norm * norm for norm in theirs.norms]
            factors = [share / norm if norm else 0.0 for share, norm in zip(shares, norms, strict=True)]
            for gram, weight in ours.items():
                found = theirs.having.get(gram)
                if found is None:
                    unshared[gram] = weight
                    continue
                added = 0.0
                for place, other in found:
                    added += factors[place] * (min(weight, other) if clips else weight) * other
                gained[gram] = added
        return gained, unshared


def _reason(contributions: dict[Gram, float], frequencies: DocumentFrequencies) -> str:
    if not contributions:
        return NO_SHARED_WORD
    most = max(contributions.values())
    best = min(gram for gram, value in contributions.items() if value == most)
    if most > 0:
        return f'of what the candidate shares with its references, "{" ".join(best)}" contributes most ({most:.4f})'
    if frequencies.documents <= 1:
        return "n-grams have no weight because all document frequencies come from a single row"
    return "every n-gram that it shares with its references occurs in every document and has no weight"


def _penalty(metric: Cider, length: int, reference_length: int) -> float:
    if metric.variant == "plain" or metric.n == 1:
        return 1.0
    difference = max(length - 1, 0) - max(reference_length - 1, 0)
    return math.exp(-(difference**2) / (2 * metric.sigma**2))
