"""CIDEr-D of a batch by caplens' kernels, with document frequencies that came from elsewhere."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from caplens.core.evaluator import Evaluator
from caplens.core.metric import Floats
from caplens.core.prepared import Usage
from caplens.core.requirement import WordIds
from caplens.corpus import KnownReferences, batch_table
from caplens.metrics.cider.document_frequencies import DocumentFrequencies, index_ngrams
from caplens.metrics.cider.metric import Cider, CiderState

ORDERS = 4
_WORDS = WordIds("none", split=True)


@dataclass(frozen=True, eq=False)
class GivenFrequencies(DocumentFrequencies):
    """Document frequencies with the logarithm of the number of documents as it was given."""

    logarithm: float = 0.0

    @property
    def log_documents(self) -> float:
        """As it was given."""
        return self.logarithm


def indexed(frequencies: Mapping[tuple[str, ...], float], logarithm: float) -> GivenFrequencies | None:
    """Index frequencies for the kernels; None where they are not whole numbers of n-grams of up to four words."""
    ngrams, counts = [], []
    for ngram, count in frequencies.items():
        if count > 1:  # 0 and 1 weigh alike
            if not 1 <= len(ngram) <= ORDERS or count != int(count):
                return None
            ngrams.append(" ".join(ngram))
            counts.append(int(count))
    index, by_order = index_ngrams(ngrams, np.array(counts, dtype=np.int64), ORDERS)
    digest = hashlib.blake2b(f"{len(ngrams)} {logarithm}".encode(), digest_size=6).hexdigest()
    return GivenFrequencies(index, by_order, round(float(np.exp(logarithm))), _WORDS, digest, logarithm=logarithm)


def cider_d(
    candidates: Sequence[str],
    references: Sequence[list[str]],
    frequencies: DocumentFrequencies | None,
    sigma: float,
) -> Floats:
    """Return the scores of captions; a list of references that several of them share is taken in once.

    Without ``frequencies`` each caption's references are a document, as in the original.
    """
    place: dict[int, int] = {}
    sets: list[list[str]] = []
    rows = []
    for texts in references:
        number = place.setdefault(id(texts), len(sets))
        if number == len(sets):
            sets.append(texts)
        rows.append(number)
    known = KnownReferences.of(sets)
    corpus = known.assign(batch_table(list(candidates), ids=rows), repeats=True)
    metric = Cider(sigma=sigma, tokenizer="none")
    evaluator = Evaluator(metric, known.sets, documents=Usage.of(corpus))
    prepared = evaluator.prepared(corpus)
    state = evaluator.states[metric] if frequencies is None else CiderState((), frequencies)
    return metric.item_scores(metric.statistics(prepared, state))[:, 0]


def is_plain(candidates: Sequence[str], references: Sequence[list[str]]) -> bool:
    """Tell whether the kernels see the same words as ``str.split``: captions without control characters."""
    seen: set[int] = set()
    for texts in references:
        if id(texts) not in seen:
            seen.add(id(texts))
            if not "".join(texts).isprintable():
                return False
    return "".join(candidates).isprintable()
