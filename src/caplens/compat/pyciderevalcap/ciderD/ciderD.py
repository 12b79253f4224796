"""CIDEr-D with the calls of the original: the reward of self-critical training."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from caplens.compat.pyciderevalcap import _fast
from caplens.compat.pyciderevalcap.cider.cider import my_compute_score, rows_of
from caplens.compat.pyciderevalcap.cider.cider_scorer import CORPUS
from caplens.compat.pyciderevalcap.ciderD.ciderD_scorer import CiderScorer
from caplens.core.metric import Floats


class CiderD:
    """CIDEr-D of batches, with document frequencies of a training set.

    Parameters
    ----------
    n : int
        Longest n-grams.
    sigma : float
        Not used, as in the original: the width of the length penalty is 6.
    df : str
        ``corpus``, the name of a file in ``data`` (``coco-train-idxs`` means ``data/coco-train-idxs.p``), or a path.

    Examples
    --------
    >>> gts = {0: ["12 7 40 0", "12 7 9 0"], 1: ["3 4 5 0"]}
    >>> res = [{"image_id": 0, "caption": ["12 7 40 0"]}, {"image_id": 1, "caption": ["3 4 0"]}]
    >>> CiderD().compute_score(gts, res)[1].round(3).tolist()
    [6.25, 3.02]
    """

    def __init__(self, n: int = 4, sigma: float = 6.0, df: str = CORPUS) -> None:
        self._n = n
        self._sigma = sigma
        self._df = df
        self.cider_scorer = CiderScorer(n=n, df_mode=df)
        self._indexed: tuple[object, object, _fast.GivenFrequencies | None] | None = None

    def compute_score(self, gts: Mapping[Any, Any], res: Iterable[Mapping[str, Any]]) -> tuple[Any, Floats]:
        """Return the mean and the scores of the captions.

        Parameters
        ----------
        gts : dict
            Lists of references by image. Where several images share one list object, it is read once.
        res : list of dict
            ``{"image_id": ..., "caption": ["..."]}``; an image may have several.
        """
        candidates, references = rows_of(gts, res)
        scores = self._fast_scores(candidates, references)
        if scores is not None:
            return np.mean(scores), scores
        scorer = self.cider_scorer.copy_empty()
        for pair in zip(candidates, references, strict=True):
            scorer += pair
        return scorer.compute_score()

    def _fast_scores(self, candidates: list[str], references: list[list[str]]) -> Floats | None:
        """Score by the kernels; None where a script has changed the scorer, or captions have odd white space."""
        scorer = self.cider_scorer
        usual = type(scorer) is CiderScorer and scorer.n == _fast.ORDERS and scorer.sigma > 0
        if not usual or not candidates or not _fast.is_plain(candidates, references):
            return None
        if scorer.df_mode == CORPUS:
            words = any(text.split() for texts in references for text in texts)
            return _fast.cider_d(candidates, references, None, scorer.sigma) if words else None
        frequencies = self._frequencies()
        return None if frequencies is None else _fast.cider_d(candidates, references, frequencies, scorer.sigma)

    def _frequencies(self) -> _fast.GivenFrequencies | None:
        """Index the scorer's frequencies, again if a script has set others."""
        table, length = self.cider_scorer.document_frequency, self.cider_scorer.ref_len
        known = self._indexed
        if known is None or known[0] is not table or known[1] != length:
            known = self._indexed = (table, length, _fast.indexed(table, float(length)))
        return known[2]

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what the index is made of."""
        return {**self.__dict__, "_indexed": None}

    def my_compute_score(
        self, gts: Sequence[Sequence[str]], res: Sequence[Sequence[str]], avg_refs: bool = True
    ) -> tuple[Any, Floats]:
        """Return the mean and the scores of several captions for each image, with its references."""
        return my_compute_score(self.cider_scorer, gts, res)

    def my_self_cider(self, res: Iterable[Sequence[str]]) -> list[Floats]:
        """Return for each set of captions the matrix of their similarities, ten times (self-CIDEr)."""
        return [self.cider_scorer.my_get_self_cider(captions) for captions in res]

    def method(self) -> str:
        """Return the name of the metric."""
        return "CIDEr-D"
