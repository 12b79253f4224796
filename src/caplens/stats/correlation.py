"""Pearson's, Spearman's and Kendall's coefficients, also of many bootstrap samples at once.

Rows are sorted once; a sample only changes how often a row counts, so a coefficient of a resample costs one pass over
the rows. scipy has no weighted Kendall coefficient of this kind, and sorting again for every sample takes minutes.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from caplens.arrays import Floats, Integers
from caplens.files.threads import for_each_block
from caplens.stats import SEED, _rank_counting
from caplens.stats.correlation_p import kendall_p, linear_p
from caplens.stats.resampling import Units

COEFFICIENTS = ("pearson", "spearman", "kendall_b", "kendall_c")
# What the kernel adds up: weights, concordant less discordant pairs, squared sizes of ties and numbers of values on
# either side, products of centred ranks, and sums and products of the values.
_COLUMNS = (
    *("rows", "balance", "xties", "yties", "xvalues", "yvalues"),
    *("rxrx", "ryry", "rxry"),
    *("x", "xx", "y", "yy", "xy"),
)
# Of the samples that one thread draws at a time: few, so that progress is seen and weights take little memory.
BLOCK_SAMPLES = 32


@dataclass(frozen=True)
class Coefficient:
    """A correlation coefficient and its two-sided p-value; NaN where it does not exist (one value on either side)."""

    value: float
    p: float


class SortedPairs:
    """Two numbers a row, ready for counting: rows where one of them is not finite are left out.

    Parameters
    ----------
    first, second : numpy.ndarray
        The numbers.
    owners : numpy.ndarray of int, optional
        Which weight counts each row (that of its image); by default every row has its own.

    Attributes
    ----------
    rows : int
        How many have both numbers.
    units : numpy.ndarray of int
        Their owners, each once.

    Examples
    --------
    >>> pairs = SortedPairs(np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 3.0]))
    >>> pairs.coefficients(np.ones((1, 3)))["kendall_b"].round(4).tolist()
    [0.3333]
    """

    def __init__(self, first: Floats, second: Floats, owners: Integers | None = None) -> None:
        owners = np.arange(len(first)) if owners is None else owners
        kept = np.flatnonzero(np.isfinite(first) & np.isfinite(second))
        # By all that a row has, so that the order in which rows are given cannot change the last bit of a sum.
        order = kept[np.lexsort((owners[kept], second[kept], first[kept]))]
        values = first[order]
        _, level = np.unique(second[order], return_inverse=True)
        self.rows = len(order)
        self._levels = int(level.max()) + 1 if self.rows else 0
        self._level = level.astype(np.int32)
        self._owner = owners[order].astype(np.int32)
        self.units = np.unique(owners[order])
        self._begins = np.ones(self.rows, dtype=np.uint8)
        self._begins[1:] = values[1:] != values[:-1]
        self._first = standardised(values)
        self._second = standardised(second[order])

    def sums(self, weights: Floats) -> Floats:
        """Return the kernel's sums for each row of weights."""
        sums = np.empty((len(weights), len(_COLUMNS)))
        _rank_counting.weighted_sums(
            self._owner, self._level, self._begins, self._first, self._second, self._levels, weights, sums
        )
        return sums

    def coefficients(self, weights: Floats) -> dict[str, Floats]:
        """Return every coefficient for each row of weights; NaN where it does not exist."""
        return coefficients_of(self.sums(weights))


def standardised(values: Floats) -> Floats:
    """Centre and scale, so that sums of products keep their digits."""
    if not len(values):
        return values
    spread = float(values.std())
    return np.ascontiguousarray((values - values.mean()) / (spread if spread > 0 else 1.0))


def coefficients_of(sums: Floats) -> dict[str, Floats]:
    """Turn the kernel's sums into coefficients."""
    column = dict(zip(_COLUMNS, sums.T, strict=True))
    rows = column["rows"]
    with np.errstate(divide="ignore", invalid="ignore"):
        pairs_x, pairs_y = (rows**2 - column["xties"]) / 2, (rows**2 - column["yties"]) / 2
        fewer = np.minimum(column["xvalues"], column["yvalues"])
        found = {
            "pearson": (rows * column["xy"] - column["x"] * column["y"])
            / np.sqrt((rows * column["xx"] - column["x"] ** 2) * (rows * column["yy"] - column["y"] ** 2)),
            "spearman": column["rxry"] / np.sqrt(column["rxrx"] * column["ryry"]),
            "kendall_b": column["balance"] / np.sqrt(pairs_x * pairs_y),
            "kendall_c": 2 * column["balance"] / (rows**2 * (fewer - 1) / fewer),
        }
    return {name: np.where(fewer >= 2, np.clip(values, -1, 1), np.nan) for name, values in found.items()}


def correlate(first: Floats, second: Floats) -> dict[str, Coefficient]:
    """Return all four coefficients of two columns with their p-values; rows with a NaN are left out.

    Parameters
    ----------
    first, second : numpy.ndarray
        One number per row.

    Returns
    -------
    dict of str to Coefficient
        By the names in `COEFFICIENTS`. Kendall's p-value is exact for up to 33 rows without ties, else that of the
        normal approximation; both variants share it, as in scipy.

    References
    ----------
    W. R. Knight: A computer method for calculating Kendall's tau with ungrouped data, JASA 61, 1966.
    A. Stuart: The estimation and comparison of strengths of association in contingency tables, Biometrika 40, 1953.

    Examples
    --------
    >>> found = correlate(np.array([1.0, 2.0, 3.0, 4.0]), np.array([1.0, 2.0, 4.0, 3.0]))
    >>> {name: round(coefficient.value, 3) for name, coefficient in found.items()}
    {'pearson': 0.8, 'spearman': 0.8, 'kendall_b': 0.667, 'kendall_c': 0.667}
    """
    pairs = SortedPairs(first, second)
    sums = pairs.sums(np.ones((1, len(first))))
    values = {name: float(value[0]) for name, value in coefficients_of(sums).items()}
    kept = np.isfinite(first) & np.isfinite(second)
    p_kendall = kendall_p(float(sums[0, 1]), first[kept], second[kept])
    return {
        name: Coefficient(value, p_kendall if name.startswith("kendall") else linear_p(value, pairs.rows))
        for name, value in values.items()
    }


def bootstrap_coefficients(
    columns: Mapping[str, SortedPairs],
    units: Units,
    resamples: int,
    seed: int = SEED,
    jobs: int = 1,
) -> dict[str, dict[str, Floats]]:
    """Return the coefficients of bootstrap samples: by column, then by coefficient, one number a sample.

    Parameters
    ----------
    columns : mapping of str to SortedPairs
        All are resampled with the same draws, so that differences between them can be tested.
    units : Units
        What is drawn (images, systems); its owners are those of the columns.
    resamples, seed, jobs
        As for `caplens.stats.resampling.bootstrap_sums`, whose draws these are.

    Returns
    -------
    dict of str to dict of str to numpy.ndarray
        NaN for resamples that are left out, as too few of the units with a value were drawn, and where a coefficient
        does not exist.

    Examples
    --------
    >>> human = np.array([1.0, 2.0, 2.0, 4.0, 5.0])
    >>> units = Units.of(["1", "2", "3", "4", "5"])
    >>> samples = bootstrap_coefficients({"a": SortedPairs(human, human, units.owners)}, units, resamples=3)
    >>> samples["a"]["spearman"].tolist()
    [1.0, 1.0, 1.0]
    """
    sums = {name: np.empty((resamples, len(_COLUMNS))) for name in columns}

    def one_block(first: int, last: int) -> None:
        weights = units.bootstrap_weights(first, last, seed)
        for name, pairs in columns.items():
            sums[name][first:last] = pairs.sums(weights)
            sums[name][first:last][units.are_few(weights, pairs.units)] = np.nan

    for_each_block(one_block, resamples, jobs, "bootstrap", BLOCK_SAMPLES)
    return {name: coefficients_of(values) for name, values in sums.items()}


def mean_ranks(values: Floats) -> Floats:
    """Return the rank of every value from 1; equal values share the mean of their ranks.

    Examples
    --------
    >>> mean_ranks(np.array([0.3, 0.1, 0.3])).tolist()
    [2.5, 1.0, 2.5]
    """
    _, inverse, counts = np.unique(values, return_inverse=True, return_counts=True)
    ranks: Floats = (np.cumsum(counts) - (counts - 1) / 2)[inverse]
    return ranks
