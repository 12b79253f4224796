"""Resampling of rows as matrix products: random weights times a table of statistics.

A bootstrap sample is a row of counts, a random exchange of two systems' rows is a row of zeros and ones; either way the
sums of all columns (of all metrics and systems at once) over all resamples are one product.
"""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import numpy.typing as npt

from caplens.files.progress import blocks
from caplens.stats import SEED, _resampling

Floats = npt.NDArray[np.float64]
BLOCK_ELEMENTS = 1 << 22  # weights held at a time: 32 MB; smaller blocks make slow matrix products


def bootstrap_sums(
    table: Floats, resamples: int, seed: int = SEED, groups: npt.NDArray[np.int64] | None = None, jobs: int = 1
) -> Floats:
    """Return the column sums of bootstrap samples of the rows, shape (resamples, columns).

    Parameters
    ----------
    table : numpy.ndarray, shape (rows, columns)
        Statistics; a column of ones gives the number of rows drawn.
    resamples : int
        How many samples to draw.
    seed : int
        The same seed draws the same rows.
    groups : numpy.ndarray of int, optional
        Rows of one group (an image) are drawn together.
    jobs : int
        Threads that draw; the result does not depend on it.

    Examples
    --------
    >>> sums = bootstrap_sums(np.ones((10, 1)), resamples=3)
    >>> sums.ravel().tolist()
    [10.0, 10.0, 10.0]
    """
    return _weighted_sums(table, resamples, seed, groups, jobs, _resampling.bootstrap_weights, "bootstrap")


def exchange_sums(
    table: Floats, resamples: int, seed: int = SEED, groups: npt.NDArray[np.int64] | None = None, jobs: int = 1
) -> Floats:
    """Return the column sums of random halves of the rows, shape (resamples, columns).

    Each row (or group) is in with probability one half: the rows that approximate randomisation exchanges between
    two systems.
    """
    return _weighted_sums(table, resamples, seed, groups, jobs, _resampling.exchange_weights, "randomisation")


def sum_groups(table: Floats, groups: npt.NDArray[np.int64]) -> Floats:
    """Add up the rows of each group."""
    numbers, inverse = np.unique(groups, return_inverse=True)
    columns = [np.bincount(inverse, weights=column, minlength=len(numbers)) for column in table.T]
    return np.column_stack(columns) if columns else np.empty((len(numbers), 0))


def _weighted_sums(
    table: Floats,
    resamples: int,
    seed: int,
    groups: npt.NDArray[np.int64] | None,
    jobs: int,
    draw: Callable[[int, int, Floats], None],
    label: str,
) -> Floats:
    if groups is not None:
        table = sum_groups(table, groups)
    rows, columns = table.shape
    sums = np.empty((resamples, columns))
    size = max(1, BLOCK_ELEMENTS // max(rows, 1))
    weights = np.empty((min(size, resamples), rows))
    with ThreadPoolExecutor(jobs) as threads:
        for first, last in blocks(label, resamples, size):
            drawn = weights[: last - first]
            parts = np.array_split(drawn, jobs)
            starts = first + np.cumsum([0, *(len(part) for part in parts)])
            list(threads.map(draw, [seed] * len(parts), starts.tolist(), parts))
            np.matmul(drawn, table, out=sums[first:last])
    return sums


def percentile_interval(values: Floats, level: float = 0.95) -> tuple[float, float]:
    """Return the central interval that holds ``level`` of the values; NaN where there is none.

    Examples
    --------
    >>> [round(bound, 6) for bound in percentile_interval(np.arange(101.0))]
    [2.5, 97.5]
    """
    finite = values[np.isfinite(values)]
    if not len(finite):
        return float("nan"), float("nan")
    low, high = np.quantile(finite, [(1 - level) / 2, (1 + level) / 2]).tolist()
    return low, high
