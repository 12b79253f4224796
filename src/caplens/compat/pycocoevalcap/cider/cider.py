"""CIDEr-D with the calls of the original."""

from __future__ import annotations

import numpy as np

from caplens.compat.pycocoevalcap._captions import TokenisedCaptions, rows, score_words
from caplens.compat.pycocoevalcap.cider.cider_scorer import CiderScorer
from caplens.core.metric import Floats
from caplens.metrics.cider.metric import Cider as _Cider

__all__ = ["Cider", "CiderScorer"]

COUNTED = 4
"""The original counts n-grams of one to four words, whatever ``n`` is."""


class Cider:
    """CIDEr-D, document frequencies from the references that are scored.

    Parameters
    ----------
    test, refs : object
        Not used, as in the original.
    n : int
        Longest n-grams. Orders above 4 count as 0, as in the original; below 4 the original fails with an IndexError
        on longer captions, this one computes the score.
    sigma : float
        Width of the length penalty.

    Examples
    --------
    >>> gts = {1: ["a man on a horse", "a man rides a horse"], 2: ["two dogs run in the park"]}
    >>> score, scores = Cider().compute_score(gts, {1: ["a man on a horse"], 2: ["two dogs in a park"]})
    >>> round(float(score), 3), scores.round(3).tolist()
    (4.524, [6.696, 2.352])
    """

    def __init__(self, test: object = None, refs: object = None, n: int = 4, sigma: float = 6.0) -> None:
        self._n = n
        self._sigma = sigma

    def compute_score(self, gts: TokenisedCaptions, res: TokenisedCaptions) -> tuple[np.float64, Floats]:
        """Return the mean and the scores of the images.

        Parameters
        ----------
        gts, res : dict
            References and candidates by image: a list of tokenised captions each, of one caption in ``res``.

        Raises
        ------
        ValueError
            If there is not a single word in the references.
        """
        candidates, references = rows(gts, res)
        if not any(reference.split() for texts in references for reference in texts):
            raise ValueError("CIDEr needs at least one word in the references")
        if self._sigma == 0:
            raise ZeroDivisionError("sigma must not be 0")
        orders = min(self._n, COUNTED)
        metric = _Cider(n=orders, sigma=abs(float(self._sigma)), tokenizer="none")
        scores = score_words(metric, candidates, references)["CIDEr"].item_scores * (orders / self._n)
        return np.float64(np.mean(scores)), scores

    def method(self) -> str:
        """Return the name of the metric."""
        return "CIDEr"
