"""One bootstrap for the whole package: resampling as sums of a table of statistics under random weights.

A unit (an item, or an image with all its rows) is drawn a Poisson number of times, of mean 1, or exchanged between two
systems by the toss of a coin. Either number follows from the seed, the number of the resample and the unit's label
alone, so it does not depend on the order of the rows, on what else is resampled, or on who asks.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Self

import numpy as np
import numpy.typing as npt

from caplens.arrays import Floats, Integers
from caplens.files.threads import for_each_block
from caplens.stats import SEED, _resampling
from caplens.stats.sums import ExactColumns

# Of so many units, the chance that a resample draws none, one or two is below 1e-80.
MANY = 200
# Weights that a thread holds at a time, 512 KB: they are used while they are in its cache. Resamples are even in
# number, since two of them share random bits.
BLOCK_RESAMPLES, BLOCK_UNITS = 250, 256
# Columns that the kernel adds up together.
TILE = 8


@dataclass(frozen=True, eq=False)
class Units:
    """What is resampled, and which rows belong to it.

    Attributes
    ----------
    keys : numpy.ndarray of uint64
        One key a unit, in rising order: what its weights are made from.
    owners : numpy.ndarray of int64
        The unit of each row.
    fewest : int
        Resamples with fewer different units are left out; so are all where there are fewer than two.

    Examples
    --------
    >>> units = Units.of(["dog.jpg", "cat.jpg", "dog.jpg"])
    >>> len(units), units.owners.tolist()
    (2, [0, 1, 0])
    """

    keys: npt.NDArray[np.uint64]
    owners: Integers
    fewest: int = 1

    @classmethod
    def of(cls, labels: Iterable[str], fewest: int = 1) -> Self:
        """Make the units of rows: one label per row, that of its item or image."""
        labels = list(labels)
        different = list(dict.fromkeys(labels))
        owners = np.arange(len(labels))
        if len(different) < len(labels):
            numbers = {label: number for number, label in enumerate(different)}
            owners = np.array([numbers[label] for label in labels], dtype=np.int64)
        keys = np.empty(len(different), dtype=np.uint64)
        _resampling.label_keys(different, keys)
        order = np.argsort(keys, kind="stable")
        places = np.empty(len(keys), dtype=np.int64)
        places[order] = np.arange(len(keys))
        return cls(keys[order], places[owners], fewest)

    def __len__(self) -> int:
        return len(self.keys)

    def take(self, rows: npt.NDArray[np.int64] | npt.NDArray[np.bool_]) -> Units:
        """Return the units of some rows, which keep their weights."""
        used, owners = np.unique(self.owners[rows], return_inverse=True)
        return Units(self.keys[used], owners, self.fewest)

    def bootstrap_weights(self, first: int, last: int, seed: int) -> Floats:
        """Return how often the units are drawn by the resamples ``first`` to ``last`` (not included)."""
        weights = np.empty((last - first, len(self)))
        _resampling.bootstrap_weights(seed, first, self.keys, weights)
        return weights

    def exchange_weights(self, first: int, last: int, seed: int) -> Floats:
        """Return 1 where resamples ``first`` to ``last`` (not included) exchange a unit, else 0."""
        weights = np.empty((last - first, len(self)))
        _resampling.exchange_weights(seed, first, self.keys, weights)
        return weights

    def are_few(self, weights: Floats, among: Integers | None = None) -> npt.NDArray[np.bool_]:
        """Tell which resamples draw too few units (of some units) to say anything, and are left out."""
        units = len(self) if among is None else len(among)
        if units < 2 or units >= MANY:
            return np.full(len(weights), units < 2)
        few: npt.NDArray[np.bool_]
        few = np.count_nonzero(weights if among is None else weights[:, among], axis=1) < self.fewest
        return few

    def draw_enough(self, resamples: int, seed: int) -> npt.NDArray[np.bool_]:
        """Tell which of the first resamples draw enough units, and so are not left out."""
        if len(self) >= MANY:
            return np.ones(resamples, dtype=bool)
        return ~self.are_few(self.bootstrap_weights(0, resamples, seed))

    def left_out(self, resamples: int, seed: int) -> int:
        """Return how many of the first resamples are left out because they draw too few units.

        Examples
        --------
        >>> Units.of("ab").left_out(1000, seed=1), Units.of("abcdefghij").left_out(1000, seed=1)
        (128, 0)
        """
        return resamples - int(np.count_nonzero(self.draw_enough(resamples, seed)))

    def sum_rows(self, table: Floats) -> Floats:
        """Add up the rows of each unit; the units are in the order of their keys."""
        if len(self) == len(self.owners):  # a row each, so there is nothing to add
            sums = np.empty_like(table)
            sums[self.owners] = table
            return sums
        columns = [np.bincount(self.owners, weights=column, minlength=len(self)) for column in table.T]
        return np.column_stack(columns) if columns else np.empty((len(self), 0))


def bootstrap_sums(
    table: Floats, units: Units, resamples: int, seed: int = SEED, jobs: int = 1, *, of_part: bool = False
) -> Floats:
    """Return the column sums of bootstrap samples of the units, shape (resamples, columns).

    Parameters
    ----------
    table : numpy.ndarray, shape (rows, columns)
        Statistics; a column of ones gives the number of rows drawn.
    units : Units
        What is drawn: the rows of a unit together. A unit is drawn a Poisson number of times, of mean 1.
    resamples : int
        How many samples to draw.
    seed : int
        The same seed draws the same units.
    jobs : int
        Threads that draw.
    of_part : bool
        Whether the rows are a part of those that are resampled: sums of parts can be added up, and none is left out.

    Returns
    -------
    numpy.ndarray
        The same to the last bit for every order of the rows and number of threads; NaN for resamples that are left out
        (`Units.are_few`).

    References
    ----------
    J. A. Hanley, B. MacGibbon: Creating non-parametric bootstrap samples using Poisson frequencies, Computer Methods
    and Programs in Biomedicine 83, 2006.

    Examples
    --------
    >>> sums = bootstrap_sums(np.ones((3, 1)), Units.of(["1", "2", "3"]), resamples=4)
    >>> sums.ravel().tolist()
    [4.0, 4.0, 1.0, 4.0]
    """
    are_few = None if of_part else units.are_few
    return _weighted_sums(table, units, resamples, seed, jobs, _resampling.bootstrap_weights, are_few)


def exchange_sums(table: Floats, units: Units, resamples: int, seed: int = SEED, jobs: int = 1) -> Floats:
    """Return the column sums of random halves of the units, shape (resamples, columns).

    Each unit is in with probability one half: those that approximate randomisation exchanges between two systems. The
    parameters are those of `bootstrap_sums`.
    """
    return _weighted_sums(table, units, resamples, seed, jobs, _resampling.exchange_weights, None)


def _weighted_sums(
    table: Floats,
    units: Units,
    resamples: int,
    seed: int,
    jobs: int,
    draw: Callable[[int, int, npt.NDArray[np.uint64], Floats], None],
    are_few: Callable[[Floats], npt.NDArray[np.bool_]] | None,
) -> Floats:
    columns = ExactColumns(table)
    parts = _tiled(units.sum_rows(columns.parts))
    sums = np.zeros((len(parts), resamples, TILE))

    # Not a product of matrices by NumPy: its libraries start threads of their own, which wait for each other in loops.
    def add_up(first: int, last: int) -> None:
        """Add up units, some at a time: sums of exact columns are the same in any order."""
        for start in range(0, max(len(units), 1), BLOCK_UNITS):
            keys = units.keys[start : start + BLOCK_UNITS]
            drawn = np.empty((last - first, len(keys)))
            draw(seed, first, keys, drawn)
            _resampling.add_weighted(drawn, parts, start, sums, first)
        if are_few is not None and len(units) <= BLOCK_UNITS:
            sums[:, first:last][:, are_few(drawn)] = np.nan

    label = "bootstrap" if draw is _resampling.bootstrap_weights else "randomisation"
    for_each_block(add_up, resamples, jobs, label, BLOCK_RESAMPLES)
    return columns.join(sums.transpose(1, 0, 2).reshape(resamples, -1)[:, : columns.parts.shape[1]])


def _tiled(table: Floats) -> Floats:
    """Return the columns of a table by eights, shape (tiles, rows, 8), with zeros behind the last."""
    rows, columns = table.shape
    tiles = np.zeros((-(-columns // TILE), rows, TILE))
    for first in range(0, columns, TILE):
        part = table[:, first : first + TILE]
        tiles[first // TILE, :, : part.shape[1]] = part
    return tiles


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
    finite.sort()
    return _quantile(finite, (1 - level) / 2), _quantile(finite, (1 + level) / 2)


def _quantile(ordered: Floats, share: float) -> float:
    """Return what `numpy.quantile` returns, to the last bit, without the modules that it loads."""
    place = (len(ordered) - 1) * share
    before = int(place)
    weight = place - before
    low, high = ordered[before], ordered[min(before + 1, len(ordered) - 1)]
    return float(low + (high - low) * weight if weight < 0.5 else high - (high - low) * (1 - weight))
