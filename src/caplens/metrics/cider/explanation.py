"""Where a CIDEr score comes from, n-gram by n-gram."""

from __future__ import annotations

import math
from collections import Counter
from typing import TYPE_CHECKING

from caplens.core.metric import Floats
from caplens.core.prepared import Prepared
from caplens.metrics.cider.document_frequencies import DocumentFrequencies
from caplens.metrics.row_texts import RowTexts, ngram_counts, row_texts
from caplens.metrics.sentences import NO_SHARED_WORD, stated
from caplens.output.explanation import Explanation, MarkedText, Table, mark_words

if TYPE_CHECKING:
    from caplens.metrics.cider.metric import Cider

Gram = tuple[str, ...]
MOST_ROWS = 12
MOST_KEPT = 500_000


class _Weights:
    """TF-IDF weights of n-grams, as the metric sees them."""

    def __init__(self, frequencies: DocumentFrequencies) -> None:
        self.frequencies = frequencies
        self._idf: dict[Gram, float] = {}
        self._log_documents = frequencies.log_documents
        self._documents: dict[Gram, int] = {}
        self._of_references: dict[tuple[Gram, int], tuple[dict[Gram, float], float]] = {}

    def limited(self) -> _Weights:
        """Forget what was kept, if it is much: a server explains captions for days."""
        if len(self._documents) > MOST_KEPT:
            for kept in (self._documents, self._idf, self._of_references):
                kept.clear()
        return self

    def document_frequency(self, gram: Gram) -> int:
        found = self._documents.get(gram)
        if found is None:
            found = self._documents[gram] = self._look_up(gram)
        return found

    def _look_up(self, gram: Gram) -> int:
        identifier = self.frequencies.index.find(gram)
        return int(self.frequencies.frequencies[len(gram) - 1][identifier]) if identifier >= 0 else 0

    def idf(self, gram: Gram) -> float:
        if gram not in self._idf:
            self._idf[gram] = self._log_documents - math.log(max(1, self.document_frequency(gram)))
        return self._idf[gram]

    def of(self, counts: Counter[Gram]) -> dict[Gram, float]:
        return {gram: count * self.idf(gram) for gram, count in counts.items()}

    def of_reference(self, words: Gram, order: int) -> tuple[dict[Gram, float], float]:
        """Return the weights of a reference and their norm, kept for its other captions."""
        found = self._of_references.get((words, order))
        if found is None:
            weights = self.of(ngram_counts(words, order))
            found = weights, math.sqrt(sum(weight**2 for weight in weights.values()))
            self._of_references[words, order] = found
        return found


def explain_row(
    metric: Cider, prepared: Prepared, frequencies: DocumentFrequencies, row: int, similarities: Floats
) -> Explanation:
    """Explain one row; ``similarities`` are its statistics."""
    texts = row_texts(prepared, metric.ngrams.words, row)
    weights = prepared.references.once((metric, frequencies), lambda: _Weights(frequencies)).limited()
    contributions, missed, unshared = _account(metric, texts, weights)
    matched_words = {
        place for place, word in enumerate(texts.words) if any(word in ref for ref in texts.reference_words)
    }
    columns = ("n-gram", "documents", "weight", "references", "adds to score")
    return Explanation(
        metric=str(metric.request()),
        candidate=texts.candidate,
        references=texts.references,
        scores={metric.result_keys[0]: float(similarities.mean())},
        facts={
            "documents": frequencies.documents,
            "words": len(texts.words),
            **{f"order {order}": float(value) for order, value in enumerate(similarities, 1)},
        },
        sections=(
            MarkedText("candidate (words that occur in a reference)", mark_words(texts.words, matched_words)),
            Table("most valuable matches", columns, _rows(contributions, texts, weights)),
            Table("most valuable misses (in references only)", columns[:4], _rows(missed, texts, weights, added=False)),
            Table("unshared n-grams of the candidate", columns[:3], _rows(unshared, texts, weights, shared=False)),
        ),
        summary=stated(metric.result_keys[0], float(similarities.mean()), _reason(contributions, frequencies)),
    )


def _reason(contributions: dict[Gram, float], frequencies: DocumentFrequencies) -> str:
    if not contributions:
        return NO_SHARED_WORD
    best = min(contributions, key=lambda gram: (-contributions[gram], gram))
    most = contributions[best]
    if most > 0:
        return f'of what the candidate shares with its references, "{" ".join(best)}" contributes most ({most:.4f})'
    if frequencies.documents <= 1:
        return "n-grams have no weight because all document frequencies come from a single row"
    return "every n-gram that it shares with its references occurs in every document and has no weight"


def _account(
    metric: Cider, texts: RowTexts, weights: _Weights
) -> tuple[dict[Gram, float], dict[Gram, float], dict[Gram, float]]:
    """Return what each shared n-gram adds to the score, and the weights of those only one side has."""
    gained: dict[Gram, float] = {}
    missed: dict[Gram, float] = {}
    unshared: dict[Gram, float] = {}
    share = metric.scale / (metric.n * max(len(texts.reference_words), 1))
    references = [tuple(words) for words in texts.reference_words]
    for order in range(1, metric.n + 1):
        ours = weights.of(ngram_counts(texts.words, order))
        our_norm = math.sqrt(sum(weight**2 for weight in ours.values()))
        everywhere: set[Gram] = set()
        for reference in references:
            theirs, their_norm = weights.of_reference(reference, order)
            everywhere |= theirs.keys()
            norm = our_norm * their_norm
            factor = share * _penalty(metric, len(texts.words), len(reference)) / norm if norm else 0.0
            for gram, weight in theirs.items():
                if gram in ours:
                    counted = min(ours[gram], weight) if metric.variant == "d" else ours[gram]
                    gained[gram] = gained.get(gram, 0.0) + factor * counted * weight
                else:
                    missed[gram] = missed.get(gram, 0.0) + weight
        unshared.update({gram: weight for gram, weight in ours.items() if gram not in everywhere})
    return gained, missed, unshared


def _penalty(metric: Cider, length: int, reference_length: int) -> float:
    if metric.variant == "plain" or metric.n == 1:
        return 1.0
    difference = max(length - 1, 0) - max(reference_length - 1, 0)
    return math.exp(-(difference**2) / (2 * metric.sigma**2))


def _rows(
    values: dict[Gram, float], texts: RowTexts, weights: _Weights, *, added: bool = True, shared: bool = True
) -> tuple[tuple[str | int | float, ...], ...]:
    """Return the rows of the greatest values."""
    rows = []
    references = [tuple(words) for words in texts.reference_words]
    for gram in sorted(values, key=lambda gram: (-values[gram], gram))[:MOST_ROWS]:
        entry: list[str | int | float] = [" ".join(gram), weights.document_frequency(gram), weights.idf(gram)]
        if shared:
            entry.append(sum(gram in weights.of_reference(words, len(gram))[0] for words in references))
        if shared and added:
            entry.append(values[gram])
        rows.append(tuple(entry))
    return tuple(rows)
