"""CIDEr-D with aimagelab's calls: document frequencies can be those of a training set."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from caplens.compat.aimagelab.evaluation.cider.cider_scorer import CiderScorer
from caplens.compat.pyciderevalcap import _fast
from caplens.compat.pycocoevalcap._captions import TokenisedCaptions, require
from caplens.core.metric import Floats


class Cider:
    """CIDEr-D.

    Parameters
    ----------
    gts : dict, optional
        References by image whose document frequencies are used from now on (a training set); by default those of the
        references that are scored.
    n : int
        Longest n-grams.
    sigma : float
        Width of the length penalty.

    Examples
    --------
    >>> train = {1: ["two dogs run"], 2: ["a black cat"], 3: ["two cats"]}
    >>> score, scores = Cider(train).compute_score({7: ["two dogs"]}, {7: ["two dogs"]})
    >>> round(float(score), 3)
    5.0
    """

    def __init__(self, gts: TokenisedCaptions | None = None, n: int = 4, sigma: float = 6.0) -> None:
        self._n = n
        self._sigma = sigma
        self.doc_frequency: Any = None
        self.ref_len: Any = None
        self._indexed: tuple[object, _fast.GivenFrequencies | None] | None = None
        if gts is not None:
            counted = CiderScorer(gts, n=n, sigma=sigma)
            self.doc_frequency, self.ref_len = counted.doc_frequency, counted.ref_len

    def compute_score(self, gts: Mapping[Any, list[str]], res: Mapping[Any, list[str]]) -> tuple[Any, Floats]:
        """Return the mean and the scores of the images; of several captions in ``res`` the first counts."""
        require(gts.keys() == res.keys(), "gts and res must have the same ids")
        candidates, references = [res[image][0] for image in gts], list(gts.values())
        scores = self._fast_scores(candidates, references)
        if scores is not None:
            return np.mean(scores), scores
        scorer = CiderScorer(
            gts, test=res, n=self._n, sigma=self._sigma, doc_frequency=self.doc_frequency, ref_len=self.ref_len
        )
        return scorer.compute_score()

    def _fast_scores(self, candidates: list[str], references: list[list[str]]) -> Floats | None:
        """Score by the kernels; None for other options, and where captions have odd white space."""
        usual = self._n == _fast.ORDERS and self._sigma > 0 and candidates
        if not usual or not _fast.is_plain(candidates, references):
            return None
        if self.doc_frequency is None:
            if not any(text.split() for texts in references for text in texts):
                return None
            return _fast.cider_d(candidates, references, None, self._sigma)
        if self._indexed is None or self._indexed[0] is not self.doc_frequency:
            self._indexed = (self.doc_frequency, _fast.indexed(self.doc_frequency, float(self.ref_len)))
        frequencies = self._indexed[1]
        return None if frequencies is None else _fast.cider_d(candidates, references, frequencies, self._sigma)

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what the index is made of."""
        return {**self.__dict__, "_indexed": None}

    def __str__(self) -> str:
        return "CIDEr"
