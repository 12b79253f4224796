"""ROUGE-L with the calls of the original."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caplens.compat.pycocoevalcap._captions import TokenisedCaptions, rows, score_single_spaces
from caplens.core.metric import Floats
from caplens.metrics.rouge.explanation import common_subsequence
from caplens.metrics.rouge.metric import RougeL


def my_lcs(string: Sequence[str], sub: Sequence[str]) -> int:
    """Return the length of the longest common subsequence of two lists of words.

    Examples
    --------
    >>> my_lcs(["a", "man", "rides"], ["a", "tall", "man"])
    2
    """
    return len(common_subsequence(string, sub))


class Rouge:
    """ROUGE-L; words are what stands between single spaces, so two spaces hold an empty word.

    Attributes
    ----------
    beta : float
        Weight of recall against precision; may be changed before scoring.

    Examples
    --------
    >>> score, scores = Rouge().compute_score({1: ["a man on a horse"]}, {1: ["a man rides a horse"]})
    >>> round(float(score), 3), scores.round(3).tolist()
    (0.8, [0.8])
    """

    def __init__(self) -> None:
        self.beta = 1.2

    def calc_score(self, candidate: list[str], refs: list[str]) -> float:
        """Return the score of one image: a list of one caption, and its references."""
        return float(self.compute_score({0: refs}, {0: candidate})[0])

    def compute_score(self, gts: TokenisedCaptions, res: TokenisedCaptions) -> tuple[np.float64, Floats]:
        """Return the mean and the scores of the images.

        Parameters
        ----------
        gts, res : dict
            References and candidates by image: a list of tokenised captions each, of one caption in ``res``.
        """
        candidates, references = rows(gts, res)
        scores = np.empty(0)
        if candidates:
            metric = RougeL(beta=self.beta, tokenizer="none")
            scores = score_single_spaces(metric, candidates, references)["ROUGE_L"].item_scores.copy()
        return np.float64(np.mean(scores)), scores

    def method(self) -> str:
        """Return the name of the metric."""
        return "Rouge"
