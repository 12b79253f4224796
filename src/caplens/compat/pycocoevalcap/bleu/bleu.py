"""BLEU with the calls of the original."""

from __future__ import annotations

import numpy as np

from caplens.compat.pycocoevalcap._captions import TokenisedCaptions, rows, score_words
from caplens.compat.pycocoevalcap.bleu.bleu_scorer import BleuScorer
from caplens.core.metric import Floats
from caplens.metrics.bleu.metric import SMALL, TINY
from caplens.metrics.bleu.metric import Bleu as _Bleu

__all__ = ["Bleu", "BleuScorer"]

COUNTED = 4
"""The original counts n-grams of one to four words, however many of them it reports."""


class Bleu:
    """BLEU-1 to BLEU-n.

    Parameters
    ----------
    n : int
        How many scores to return. (Above 4 the original fails with an IndexError; this one computes them.)

    Examples
    --------
    >>> scores, item_scores = Bleu(2).compute_score({1: ["a man on a horse"]}, {1: ["a man rides a horse"]}, verbose=0)
    >>> [round(score, 3) for score in scores], [len(of_images) for of_images in item_scores]
    ([0.8, 0.632], [1, 1])
    """

    def __init__(self, n: int = 4) -> None:
        self._n = n

    def compute_score(
        self, gts: TokenisedCaptions, res: TokenisedCaptions, verbose: int = 1
    ) -> tuple[list[float], list[list[float]]]:
        """Return corpus scores and, for each of them, the scores of the images.

        Parameters
        ----------
        gts, res : dict
            References and candidates by image: a list of tokenised captions each, of one caption in ``res``.
        verbose : int
            1 prints the sums and the length ratio, 2 also the counts of every image.
        """
        candidates, references = rows(gts, res)
        metric = _Bleu(n=max(self._n, COUNTED), tokenizer="none")
        table = np.zeros((0, 2 * metric.n + 2))
        if candidates:
            table = score_words(metric, candidates, references).runs[0].statistics.table
        sums = table.sum(axis=0)
        if verbose > 1:
            for statistics, texts in zip(table, references, strict=True):
                _print_image(metric.n, statistics, texts)
        if verbose > 0:
            _print_sums(metric.n, self._n, sums)
        scores: list[float] = metric.aggregate(sums, np.asarray(len(table))).tolist()
        item_scores: list[list[float]] = metric.aggregate(table, np.ones(len(table))).T.tolist()
        return scores[: self._n], item_scores[: self._n]

    def method(self) -> str:
        """Return the name of the metric."""
        return "Bleu"


def _print_image(orders: int, statistics: Floats, references: list[str]) -> None:
    counts = [int(count) for count in statistics]
    lengths = [len(reference.split()) for reference in references]
    shown = {
        "reflen": lengths,
        "testlen": counts[-2],
        "guess": counts[orders : 2 * orders],
        "correct": counts[:orders],
    }
    print(shown, counts[-1])


def _print_sums(orders: int, wanted: int, sums: Floats) -> None:
    *counts, length, reference_length = (int(total) for total in sums)
    print(
        {
            "testlen": length,
            "reflen": reference_length,
            "guess": counts[orders : orders + wanted],
            "correct": counts[:wanted],
        }
    )
    print("ratio:", (length + TINY) / (reference_length + SMALL))
