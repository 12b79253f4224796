"""CIDEr-D of captions that are added one by one; what was counted can be seen, changed and pickled."""

from __future__ import annotations

import math
from collections import defaultdict
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from caplens.compat.pycocoevalcap._captions import require
from caplens.compat.pycocoevalcap._ngrams import Counts, Ngram, cook_refs, cook_test, precook
from caplens.core.metric import Floats

__all__ = ["CiderScorer", "cook_refs", "cook_test", "precook"]

Vector = tuple[list[dict[Ngram, float]], list[float], int]
"""Weights of the n-grams by order, their norms, and the number of bigrams."""


class CiderScorer:
    """CIDEr-D, the way scripts extend it.

    `caplens.compat.pycocoevalcap.cider.cider.Cider` is many times as fast; this class is for scripts that add captions
    themselves, derive from it or look inside.

    Parameters
    ----------
    test : str, optional
        A candidate.
    refs : list of str, optional
        Its references.
    n : int
        Longest n-grams.
    sigma : float
        Width of the length penalty.

    Attributes
    ----------
    crefs, ctest : list
        The n-gram counts of the references of each image, and of its candidate (None where there is none).
    document_frequency : dict
        In how many images each n-gram occurs; may be set.
    ref_len : float or None
        The logarithm of the number of images.

    Examples
    --------
    >>> scorer = CiderScorer()
    >>> scorer += ("a man on a horse", ["a man rides a horse"])
    >>> scorer += ("two dogs", ["two dogs run"])
    >>> score, scores = scorer.compute_score()
    >>> round(float(score), 3), scorer.document_frequency["two", "dogs"]
    (3.575, 1.0)
    """

    _clipped: ClassVar[bool] = True

    def __init__(
        self, test: str | None = None, refs: Sequence[str] | None = None, n: int = 4, sigma: float = 6.0
    ) -> None:
        self.n = n
        self.sigma = sigma
        self.crefs: list[list[Counts]] = []
        self.ctest: list[Counts | None] = []
        self.document_frequency: Any = defaultdict(float)
        self.cook_append(test, refs)
        self.ref_len: Any = None

    def copy(self) -> CiderScorer:
        """Return a scorer with the same captions."""
        new = CiderScorer(n=self.n)
        new.ctest = list(self.ctest)
        new.crefs = list(self.crefs)
        return new

    def cook_append(self, test: str | None, refs: Sequence[str] | None) -> None:
        """Add an image; without references nothing is added."""
        if refs is None:
            return
        self.crefs.append(cook_refs(refs))
        self.ctest.append(None if test is None else cook_test(test))

    def size(self) -> int:
        """Return how many images were added."""
        require(len(self.crefs) == len(self.ctest), f"refs/test mismatch! {len(self.crefs)}<>{len(self.ctest)}")
        return len(self.crefs)

    def __iadd__(self, other: Any) -> Self:  # noqa: ANN401 (a pair, or another scorer)
        if type(other) is tuple:
            self.cook_append(other[0], other[1])
        else:
            self.ctest.extend(other.ctest)
            self.crefs.extend(other.crefs)
        return self

    def compute_doc_freq(self) -> None:
        """Count in how many images each n-gram occurs, on top of what was counted before."""
        for references in self.crefs:
            for ngram in {ngram for counts in references for ngram in counts}:
                self.document_frequency[ngram] += 1

    def compute_cider(self) -> list[Any]:
        """Return the score of each image by the document frequencies as they are."""
        self.ref_len = np.log(float(len(self.crefs)))
        return self._image_scores()

    def compute_score(self, option: object = None, verbose: int = 0) -> tuple[Any, Floats]:
        """Count document frequencies; return the mean and the scores of the images."""
        self.compute_doc_freq()
        require(
            len(self.ctest) >= max(self.document_frequency.values()), "an n-gram occurs in more images than there are"
        )
        scores = np.array(self.compute_cider())
        return np.mean(scores), scores

    def _image_scores(self) -> list[Any]:
        scores = []
        for test, references in zip(self.ctest, self.crefs, strict=False):
            candidate = self.counts2vec(test or {})
            similarity = sum(self.similarities(candidate, self.counts2vec(reference)) for reference in references)
            scores.append(np.float64(np.mean(similarity) / len(references) * 10.0))
        return scores

    def counts2vec(self, cnts: Counts) -> Vector:
        """Weigh n-gram counts by the inverse document frequencies."""
        weights: list[dict[Ngram, float]] = [{} for _ in range(self.n)]
        squares = [0.0] * self.n
        length = 0
        for ngram, count in cnts.items():
            order = len(ngram) - 1
            weight = float(count) * (self.ref_len - math.log(max(1.0, self.document_frequency.get(ngram, 0.0))))
            weights[order][ngram] = weight
            squares[order] += weight * weight
            if order == 1:
                length += count
        return weights, [math.sqrt(square) for square in squares], length

    def similarities(self, candidate: Vector, reference: Vector) -> Floats:
        """Return the similarity of two captions by order."""
        found = np.zeros(self.n)
        for order in range(self.n):
            ours, theirs = candidate[0][order], reference[0][order]
            norm = candidate[1][order] * reference[1][order]
            shared = (ngram for ngram in ours if ngram in theirs)
            if self._clipped:
                found[order] = sum(min(ours[ngram], theirs[ngram]) * theirs[ngram] for ngram in shared)
            else:
                found[order] = sum(ours[ngram] * theirs[ngram] for ngram in shared)
            if norm:
                found[order] /= norm
        if self._clipped:
            difference = float(candidate[2] - reference[2])
            found *= math.exp(-(difference**2) / (2 * self.sigma**2))
        return found
