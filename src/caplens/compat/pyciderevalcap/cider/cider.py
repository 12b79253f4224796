"""CIDEr with the calls of the original."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caplens.compat.pyciderevalcap.cider.cider_scorer import CORPUS, CiderScorer
from caplens.compat.pycocoevalcap._captions import require
from caplens.core.metric import Floats


def rows_of(gts: Mapping[Any, Any], res: Iterable[Mapping[str, Any]]) -> tuple[list[str], list[list[str]]]:
    """Return candidates and references of a list of ``{"image_id": ..., "caption": ["..."]}``; an image may repeat."""
    candidates, references = [], []
    for entry in res:
        captions, texts = entry["caption"], gts[entry["image_id"]]
        require(type(captions) is list, "a caption must be in a list")
        require(len(captions) == 1, f"an entry must have exactly one caption, not {len(captions)}")
        require(type(texts) is list, "references must be a list")
        require(len(texts) > 0, f"{entry['image_id']!r} has no references")
        candidates.append(captions[0])
        references.append(texts)
    return candidates, references


class Cider:
    """CIDEr without clipping and length penalty.

    Parameters
    ----------
    n : int
        Longest n-grams.
    df : str
        ``corpus``, the name of a file in ``data``, or a path.

    Examples
    --------
    >>> gts = {1: ["two dogs run"], 2: ["a black cat"]}
    >>> res = [{"image_id": 1, "caption": ["two dogs"]}, {"image_id": 2, "caption": ["a cat"]}]
    >>> Cider().compute_score(gts, res)[1].round(3).tolist()
    [3.809, 2.041]
    """

    def __init__(self, n: int = 4, df: str = CORPUS) -> None:
        self._n = n
        self._df = df
        self.cider_scorer = CiderScorer(n=n, df_mode=df)

    def compute_score(self, gts: Mapping[Any, Any], res: Iterable[Mapping[str, Any]]) -> tuple[Any, Floats]:
        """Return the mean and the scores of the captions.

        Parameters
        ----------
        gts : dict
            Lists of references by image.
        res : list of dict
            ``{"image_id": ..., "caption": ["..."]}``; an image may have several.
        """
        self.cider_scorer.clear()
        for candidate, references in zip(*rows_of(gts, res), strict=True):
            self.cider_scorer += (candidate, references)
        return self.cider_scorer.compute_score()

    def my_compute_score(
        self, gts: Sequence[Sequence[str]], res: Sequence[Sequence[str]], avg_refs: bool = True
    ) -> tuple[Any, Floats]:
        """Return the mean and the scores of several captions for each image, with its references."""
        return my_compute_score(self.cider_scorer, gts, res)

    def my_self_cider(self, res: Iterable[Sequence[str]]) -> list[Floats]:
        """Return for each set of captions the matrix of their similarities, ten times (self-CIDEr).

        Document frequencies must be known: from a file, or counted by the scorer, with ``ref_len`` set.
        """
        return [self.cider_scorer.my_get_self_cider(captions) for captions in res]

    def method(self) -> str:
        """Return the name of the metric."""
        return "CIDEr"


def my_compute_score(
    scorer: CiderScorer, gts: Sequence[Sequence[str]], res: Sequence[Sequence[str]]
) -> tuple[Any, Floats]:
    """Return the mean and the scores of several captions for each image, with its references."""
    import numpy as np

    scores = np.array(
        [scorer.my_get_cider(texts, captions).mean(axis=1) for texts, captions in zip(gts, res, strict=False)]
    )
    return np.mean(scores), scores
