"""Totals: what is kept of rows once they are scored, when there are too many to keep.

Corpus scores and intervals follow from sums of statistics: those of all rows, and those of each bootstrap sample. The
weight of an item in a sample follows from its id alone, so both can be added up part by part.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caplens.arrays import Floats
from caplens.core.intervals import resampled_scores
from caplens.core.metric import Metric
from caplens.core.result import Result
from caplens.stats.resampling import MANY, bootstrap_sums


@dataclass(frozen=True, eq=False)
class Totals:
    """Sums of the statistics of some rows.

    Attributes
    ----------
    rows : int
        The number of rows in each sum.
    sums : numpy.ndarray, shape (columns,)
        Sums of the statistics of all metrics, side by side.
    resampled : numpy.ndarray, shape (resamples, columns + 1)
        The same sums over each bootstrap sample; last, how many rows it drew.
    units : numpy.ndarray of uint64
        Keys of the items (or images) that were drawn from; of many, only the first.

    Examples
    --------
    >>> import caplens
    >>> rouge = caplens.metric("rouge")
    >>> parts = [rouge({name: "a dog"}, {name: ["a dog", "dogs"]}) for name in "abc"]
    >>> totals = Totals.add([Totals.of(part) for part in parts])
    >>> totals.rows, totals.sums.tolist(), len(totals.units)
    (3, [3.0, 3.0, 3.0], 3)
    """

    rows: int
    sums: Floats
    resampled: Floats
    units: npt.NDArray[np.uint64]

    @classmethod
    def of(cls, result: Result) -> Totals:
        """Add up the rows of a result."""
        tables = [run.statistics.table for run in result.runs]
        rows = len(tables[0])
        drawn = result.intervals
        stacked = np.column_stack([*tables, np.ones(rows)])
        resampled = bootstrap_sums(stacked, drawn.units, drawn.resamples, drawn.seed, drawn.jobs, of_part=True)
        sums = np.concatenate([run.statistics.sums() for run in result.runs])
        return cls(rows, sums, resampled, drawn.units.keys[:MANY])

    @classmethod
    def add(cls, parts: Iterable[Totals]) -> Totals:
        """Add up parts, one after the other: the same parts in the same order give the same bits."""
        waiting = iter(parts)
        total = next(waiting)
        rows, sums, resampled, units = total.rows, total.sums.copy(), total.resampled.copy(), total.units
        for part in waiting:
            rows += part.rows
            sums += part.sums
            resampled += part.resampled
            if len(units) < MANY:
                units = np.union1d(units, part.units)[:MANY]
        return cls(rows, sums, resampled, units)

    @property
    def left_out(self) -> npt.NDArray[np.bool_]:
        """Which resamples say nothing, because they drew no rows or because there is only one unit to draw."""
        drawn: npt.NDArray[np.bool_] = self.resampled[:, -1] == 0
        return drawn if len(self.units) > 1 else np.ones_like(drawn)

    def scores_of_resamples(self, metrics: Sequence[Metric], widths: Sequence[int]) -> list[Floats]:
        """Return the scores (resamples, keys) of each metric, given how many columns of statistics each has."""
        sums = np.where(self.left_out[:, np.newaxis], np.nan, self.resampled)
        ends = np.cumsum(widths)
        return [
            resampled_scores(metric, sums[:, end - width : end], sums[:, -1])
            for metric, width, end in zip(metrics, widths, ends, strict=True)
        ]
