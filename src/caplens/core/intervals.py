"""Bootstrap intervals of scores, from one set of resamples for all scores of a result."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property

import numpy as np

from caplens.arrays import Floats
from caplens.core.metric import Metric
from caplens.core.plan import Run
from caplens.stats.resampling import Units, bootstrap_sums, percentile_interval


class Intervals:
    """95 % bootstrap intervals of all scores of a result, from one set of resamples, made when first asked for."""

    def __init__(self, runs: Sequence[Run], labels: Sequence[str], resamples: int, seed: int, jobs: int = 1) -> None:
        self.runs = runs
        self.labels = labels
        self.jobs = jobs
        self.resamples = resamples
        self.seed = seed

    @cached_property
    def units(self) -> Units:
        """What is resampled: items, or images where several rows share one."""
        return Units.of(self.labels)

    @cached_property
    def by_key(self) -> dict[str, tuple[float, float]]:
        """The interval of every score."""
        return self._from_samples(self.samples())

    def samples(self) -> list[Floats]:
        """Return the scores of every resample, one array (resamples, keys) per metric."""
        read = [_read_columns(run) for run in self.runs]
        tables = [run.statistics.table[:, places] for run, places in zip(self.runs, read, strict=True)]
        stacked = np.column_stack([*tables, np.ones(len(tables[0]))])
        drawn = bootstrap_sums(stacked, self.units, self.resamples, self.seed, self.jobs)
        samples = []
        column = 0
        for run, places in zip(self.runs, read, strict=True):
            sums = np.full((len(drawn), len(run.statistics.columns)), np.nan)
            sums[:, places] = drawn[:, column : column + len(places)]
            samples.append(resampled_scores(run.metric, sums, drawn[:, -1]))
            column += len(places)
        return samples

    @cached_property
    def left_out(self) -> int:
        """How many resamples have no rows, and are left out."""
        return self.units.left_out(self.resamples, self.seed)

    def facts(self) -> dict[str, int]:
        """Return how the intervals were drawn, as plain data."""
        return {"resamples": self.resamples, "left_out": self.left_out, "seed": self.seed}

    def adopt(self, samples: Sequence[Floats], left_out: int | None = None) -> None:
        """Take over bootstrap scores that were drawn elsewhere with this seed: one array (resamples, keys) per run.

        ``left_out`` is how many of the resamples have no rows, where the labels of the rows are not known here.
        """
        self.__dict__["by_key"] = self._from_samples([scores[: self.resamples] for scores in samples])
        if left_out is not None:
            self.__dict__["left_out"] = left_out

    def _from_samples(self, samples: Sequence[Floats]) -> dict[str, tuple[float, float]]:
        return {
            key: percentile_interval(scores[:, place])
            for run, scores in zip(self.runs, samples, strict=True)
            for place, key in enumerate(run.metric.result_keys)
        }


def _read_columns(run: Run) -> list[int]:
    """Return the places of the statistics that scores are made from."""
    unread = run.metric.unread_statistics
    return [place for place, name in enumerate(run.statistics.columns) if name not in unread]


def resampled_scores(metric: Metric, sums: Floats, rows: Floats) -> Floats:
    """Return the scores (resamples, keys) of resamples by their sums; NaN for those that were left out."""
    drawn = np.isfinite(rows)
    scores = np.full((len(sums), len(metric.result_keys)), np.nan)
    if drawn.any():
        scores[drawn] = metric.aggregate(sums[drawn], rows[drawn])
    return scores
