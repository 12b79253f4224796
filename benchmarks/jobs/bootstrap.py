"""Resample correlations with crowd judgments: ``bootstrap.py caplens|scipy FLICKR8K METRICS RESAMPLES OUT``.

Scores are made up, rounded so that some are equal; judgments and images are those of Flickr8k's crowd. The values that
both tools write are the coefficients of the whole set.
"""

from __future__ import annotations

import json
import sys
import time
from collections.abc import Callable
from pathlib import Path

import numpy as np

from caplens.meta.datasets.flickr8k import Flickr8kCrowd
from caplens.stats.correlation import COEFFICIENTS, SortedPairs, bootstrap_coefficients, correlate
from caplens.stats.resampling import Units


def main(tool: str, folder: str, metrics: str, resamples: str, output: str) -> None:
    """Resample and write."""
    judged = Flickr8kCrowd().load(Path(folder), Path(folder))
    human = judged.ratings["share of yes"][:, 0]
    _, image = np.unique(judged.images, return_inverse=True)
    generator = np.random.default_rng(8)
    scores = [np.round(human + generator.normal(size=len(human)), 3) for _ in range(int(metrics))]
    start = time.perf_counter()
    if tool == "caplens":
        units = Units.of(judged.images)
        pairs = {str(number): SortedPairs(values, human, units.owners) for number, values in enumerate(scores)}
        bootstrap_coefficients(pairs, units, int(resamples))
    else:
        _loop(scores, human, image, int(resamples))
    seconds = time.perf_counter() - start
    compute = _by_caplens if tool == "caplens" else _by_scipy
    values = [value for column in scores for value in compute(column, human)]
    Path(output).write_text(
        json.dumps({"seconds": seconds, "resamples": int(resamples), "rows": len(human), "values": values})
    )


def _loop(scores: list[np.ndarray], human: np.ndarray, image: np.ndarray, resamples: int) -> None:
    """Draw images, take their rows, call scipy."""
    rows = [np.flatnonzero(image == number) for number in range(int(image.max()) + 1)]
    generator = np.random.default_rng(1)
    for _ in range(resamples):
        drawn = np.concatenate([rows[number] for number in generator.integers(len(rows), size=len(rows))])
        for column in scores:
            _by_scipy(column[drawn], human[drawn])


def _by_scipy(scores: np.ndarray, human: np.ndarray) -> list[float]:
    from scipy.stats import kendalltau, pearsonr, spearmanr

    coefficients: list[Callable[[], float]] = [
        lambda: pearsonr(scores, human).statistic,
        lambda: spearmanr(scores, human).statistic,
        lambda: kendalltau(scores, human, variant="b").statistic,
        lambda: kendalltau(scores, human, variant="c").statistic,
    ]
    return [float(coefficient()) for coefficient in coefficients]


def _by_caplens(scores: np.ndarray, human: np.ndarray) -> list[float]:
    found = correlate(scores, human)
    return [found[name].value for name in COEFFICIENTS]


if __name__ == "__main__":
    main(*sys.argv[1:])
