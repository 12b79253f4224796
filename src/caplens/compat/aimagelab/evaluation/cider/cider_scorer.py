"""CIDEr-D of captions by image, with aimagelab's names."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from caplens.compat.pycocoevalcap.cider import cider_scorer
from caplens.core.metric import Floats


class CiderScorer(cider_scorer.CiderScorer):
    """CIDEr-D of the captions of images.

    Parameters
    ----------
    refs : dict
        Lists of references by image.
    test : dict, optional
        Lists of one candidate by image.
    n, sigma
        As for `Cider`.
    doc_frequency, ref_len : optional
        Document frequencies and the logarithm of the number of documents; by default those of ``refs``.
    """

    def __init__(
        self,
        refs: Mapping[Any, list[str]],
        test: Mapping[Any, list[str]] | None = None,
        n: int = 4,
        sigma: float = 6.0,
        doc_frequency: Any = None,  # noqa: ANN401 (a dictionary, or what a script puts in its place)
        ref_len: Any = None,  # noqa: ANN401 (a Python or a numpy float)
    ) -> None:
        super().__init__(n=n, sigma=sigma)
        for image, texts in refs.items():
            self.cook_append(None if test is None else test[image][0], texts)
        if doc_frequency is None and ref_len is None:
            self.compute_doc_freq()
            self.ref_len = np.log(float(len(self.crefs)))
        else:
            self.document_frequency, self.ref_len = doc_frequency, ref_len

    @property
    def doc_frequency(self) -> Any:  # noqa: ANN401
        """In how many images each n-gram occurs."""
        return self.document_frequency

    def compute_cider(self) -> list[Any]:
        """Return the score of each image."""
        return self._image_scores()

    def compute_score(self, option: object = None, verbose: int = 0) -> tuple[Any, Floats]:
        """Return the mean and the scores of the images."""
        scores = np.array(self.compute_cider())
        return np.mean(scores), scores
