"""CIDEr of captions that are added one by one, with document frequencies from them or from a file."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any, ClassVar, Self

import numpy as np

from caplens.compat.pyciderevalcap import _files
from caplens.compat.pycocoevalcap._captions import require
from caplens.compat.pycocoevalcap._ngrams import cook_refs, cook_test, precook
from caplens.compat.pycocoevalcap.cider import cider_scorer
from caplens.core.metric import Floats
from caplens.metrics.cider import pickles

__all__ = ["CiderScorer", "cook_refs", "cook_test", "precook"]

CORPUS = "corpus"


class CiderScorer(cider_scorer.CiderScorer):
    """CIDEr without clipping and length penalty, words as they are.

    Parameters
    ----------
    df_mode : str
        ``corpus``: frequencies of the references that are added; otherwise ``data/DF_MODE.p``, or a path.
    test, refs, n, sigma
        As for the scorer of pycocoevalcap.

    Examples
    --------
    >>> scorer = CiderScorer()
    >>> scorer += ("two dogs", ["two dogs run"])
    >>> scorer += ("a cat", ["a black cat"])
    >>> scorer.compute_score()[1].round(3).tolist()
    [3.809, 2.041]
    """

    _clipped: ClassVar[bool] = False

    def __init__(
        self,
        df_mode: str = CORPUS,
        test: str | None = None,
        refs: Sequence[str] | None = None,
        n: int = 4,
        sigma: float = 6.0,
    ) -> None:
        super().__init__(test, refs, n, sigma)
        self.df_mode = df_mode
        if df_mode != CORPUS:
            found = pickles.read(_files.find(df_mode))
            self.ref_len = np.log(found.documents)
            self.document_frequency = found.document_frequency

    def copy(self) -> Self:
        """Return a scorer with the same captions."""
        new = type(self)(n=self.n)
        new.ctest, new.crefs = list(self.ctest), list(self.crefs)
        return new

    def copy_empty(self) -> Self:
        """Return a scorer without captions and with the same document frequencies."""
        new = type(self)(n=self.n, sigma=self.sigma)
        new.df_mode = self.df_mode
        new.ref_len = self.ref_len
        new.document_frequency = self.document_frequency
        return new

    def clear(self) -> None:
        """Forget the captions."""
        self.crefs = []
        self.ctest = []

    def compute_cider(self) -> list[Any]:
        """Return the score of each image by the document frequencies as they are."""
        if self.df_mode == CORPUS:
            self.ref_len = np.log(float(len(self.crefs)))
        return self._image_scores()

    def compute_score(self, option: object = None, verbose: int = 0) -> tuple[Any, Floats]:
        """Return the mean and the scores of the images; with ``corpus`` document frequencies are counted first."""
        if self.df_mode == CORPUS:
            self.document_frequency = defaultdict(float)
            self.compute_doc_freq()
            most = max(self.document_frequency.values())
            require(len(self.ctest) >= most, "an n-gram occurs in more images than there are")
        scores = np.array(self.compute_cider())
        return np.mean(scores), scores

    def my_get_cider(self, gts: Sequence[str], res: Sequence[str]) -> Floats:
        """Return the similarity of each caption of ``res`` with each of ``gts``."""
        require(self.ref_len is not None, "the number of documents is not known: count document frequencies first")
        theirs = [self.counts2vec(precook(text, self.n)) for text in gts]
        ours = [self.counts2vec(precook(text, self.n)) for text in res]
        table = [[np.mean(self.similarities(one, other)) * 10.0 for other in theirs] for one in ours]
        return np.array(table, dtype=np.float64).reshape(len(ours), len(theirs))

    def my_get_self_cider(self, res: Sequence[str]) -> Floats:
        """Return the similarities of captions among themselves."""
        return self.my_get_cider(res, res)
