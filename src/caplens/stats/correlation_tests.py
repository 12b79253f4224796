"""Do two metrics correlate differently with people? Williams' test, paired bootstrap, approximate randomisation."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from caplens.arrays import Floats
from caplens.files.threads import for_each_block
from caplens.stats import SEED
from caplens.stats.correlation import BLOCK_SAMPLES, SortedPairs, mean_ranks, standardised
from caplens.stats.resampling import Units
from caplens.stats.student import student_cdf

# Below this, a correlation of 1 that rounding blurred is not told from one that is a little less.
ROUNDING = 1e-12


@dataclass(frozen=True)
class WilliamsTest:
    """The outcome of Williams' test.

    Attributes
    ----------
    t : float
        The statistic; NaN where it does not exist.
    p : float
        One-sided: how likely a t at least as large is if both metrics correlate equally well with people.
    degrees : int
        Degrees of freedom, rows - 3.
    """

    t: float
    p: float
    degrees: int


def williams(first_human: float, second_human: float, between: float, rows: int) -> WilliamsTest:
    r"""Test whether the first metric correlates better with people than the second.

    .. math:: t(n-3) = \frac{(r_{13} - r_{23}) \sqrt{(n-1)(1+r_{12})}}
                            {\sqrt{2 K \frac{n-1}{n-3} + \frac{(r_{23}+r_{13})^2}{4} (1-r_{12})^3}}
    .. math:: K = 1 - r_{12}^2 - r_{13}^2 - r_{23}^2 + 2 r_{12} r_{13} r_{23}

    Parameters
    ----------
    first_human, second_human : float
        Correlation of either metric with people (:math:`r_{13}, r_{23}`).
    between : float
        Correlation between the metrics (:math:`r_{12}`).
    rows : int
        How many rows the correlations were computed from.

    Notes
    -----
    Two metrics that order the rows in the same way (:math:`r_{12} = 1`) have t = 0. Three correlations that no data can
    have together (K < 0) and fewer than four rows have no t. The test supposes Pearson's coefficient, normal scores and
    independent rows.

    References
    ----------
    E. J. Williams: Regression Analysis, Wiley, 1959. J. H. Steiger: Tests for comparing elements of a correlation
    matrix, Psychological Bulletin 87, 1980, eq. 7.

    Examples
    --------
    >>> test = williams(0.5, 0.4, 0.6, 100)
    >>> round(test.t, 4), round(test.p, 4), test.degrees
    (1.2763, 0.1024, 97)
    """
    degrees = rows - 3
    determinant = 1 - between**2 - first_human**2 - second_human**2 + 2 * between * first_human * second_human
    if degrees < 1 or math.isnan(determinant) or determinant < -ROUNDING:
        return WilliamsTest(float("nan"), float("nan"), degrees)
    if between >= 1 - ROUNDING and abs(first_human - second_human) <= math.sqrt(ROUNDING):
        return WilliamsTest(0.0, 0.5, degrees)
    noise = 2 * max(determinant, 0.0) * (rows - 1) / degrees
    noise += (first_human + second_human) ** 2 / 4 * (1 - between) ** 3
    signal = (first_human - second_human) * math.sqrt((rows - 1) * max(1 + between, 0.0))
    if noise <= ROUNDING**2:
        return WilliamsTest(float("nan"), float("nan"), degrees)
    t = signal / math.sqrt(noise)
    return WilliamsTest(t, student_cdf(degrees, -t), degrees)


def exchanged_coefficients(
    first: Floats,
    second: Floats,
    human: Floats,
    coefficient: str,
    units: Units,
    *,
    resamples: int,
    seed: int = SEED,
    jobs: int = 1,
) -> tuple[Floats, Floats]:
    """Return a coefficient of two metrics with human scores after random exchanges of the metrics' scores.

    Where a coin says so, the two metrics exchange their scores of an image. To be exchangeable these must be on one
    scale: Pearson's coefficient takes them standardised, the others as ranks.

    Parameters
    ----------
    first, second, human : numpy.ndarray
        One number per row.
    coefficient : str
        One of `caplens.stats.correlation.COEFFICIENTS`.
    units : Units
        What is exchanged: the images of the rows.
    resamples, seed, jobs
        As for `caplens.stats.resampling.exchange_sums`, whose exchanges these are.

    Examples
    --------
    >>> human = np.arange(6.0)
    >>> ours, theirs = exchanged_coefficients(human, human, human, "kendall_b", Units.of("abcdef"), resamples=2)
    >>> ours.tolist(), theirs.tolist()
    ([1.0, 1.0], [1.0, 1.0])
    """
    kept = np.flatnonzero(np.isfinite(first) & np.isfinite(second) & np.isfinite(human))
    # In an order of the rows' own, so that the one in which they are given cannot change the last bit of a mean.
    kept = kept[np.lexsort((second[kept], first[kept], human[kept], units.owners[kept]))]
    owners, human = units.owners[kept], human[kept]
    scale = standardised if coefficient == "pearson" else mean_ranks
    # Every row stands there twice, with either metric's score; the weights choose one of them.
    pairs = SortedPairs(
        np.concatenate([scale(first[kept]), scale(second[kept])]),
        np.concatenate([human, human]),
        np.concatenate([owners, owners + len(units)]),
    )
    samples = np.empty((2, resamples))

    def one_block(start: int, end: int) -> None:
        coins = units.exchange_weights(start, end, seed)
        samples[0, start:end] = pairs.coefficients(np.hstack([1 - coins, coins]))[coefficient]
        samples[1, start:end] = pairs.coefficients(np.hstack([coins, 1 - coins]))[coefficient]

    for_each_block(one_block, resamples, jobs, "randomisation", BLOCK_SAMPLES)
    return samples[0], samples[1]
