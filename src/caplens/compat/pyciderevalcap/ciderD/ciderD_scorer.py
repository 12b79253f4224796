"""CIDEr-D of captions that are added one by one, with document frequencies from them or from a file."""

from __future__ import annotations

from typing import ClassVar

from caplens.compat.pyciderevalcap.cider import cider_scorer
from caplens.compat.pyciderevalcap.cider.cider_scorer import cook_refs, cook_test, precook

__all__ = ["CiderScorer", "cook_refs", "cook_test", "precook"]


class CiderScorer(cider_scorer.CiderScorer):
    """CIDEr-D; the parameters are those of the scorer of CIDEr.

    Examples
    --------
    >>> scorer = CiderScorer()
    >>> scorer += ("two dogs", ["two dogs run"])
    >>> scorer += ("a cat", ["a black cat"])
    >>> scorer.compute_score()[1].round(3).tolist()
    [3.756, 2.013]
    """

    _clipped: ClassVar[bool] = True
