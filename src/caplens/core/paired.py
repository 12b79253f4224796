"""Paired tests of systems, from resamples that all of them share."""

from __future__ import annotations

import math
from dataclasses import dataclass
from typing import Any

import numpy as np

from caplens.arrays import Floats
from caplens.core.intervals import resampled_scores
from caplens.core.metric import Metric
from caplens.core.replicates import Replicates
from caplens.core.result import Result
from caplens.output.document import number
from caplens.stats.resampling import Units, bootstrap_sums, exchange_sums, percentile_interval
from caplens.stats.runs import RunVariance, run_test
from caplens.stats.significance import paired_effect_size, two_sided_p
from caplens.stats.sums import column_sums


@dataclass(frozen=True)
class PairTest:
    """The difference of two systems in one score, with two paired tests.

    Where a system has several training runs, there is one test, which takes images and runs as samples
    (`caplens.stats.runs.run_test`), in the place of the bootstrap test.

    Attributes
    ----------
    score : str
        Key of the score.
    first, second : str
        Names of the systems.
    difference : float
        Corpus score of the first minus that of the second.
    interval : tuple of float
        95 % interval of the difference.
    effect : float
        Mean of the item differences in units of their standard deviation.
    p_bootstrap, p_randomisation : float
        Two-sided p-values of paired bootstrap and approximate randomisation, as computed.
    p_bootstrap_holm, p_randomisation_holm : float
        The same, corrected by Holm's method over the pairs that were tested for this score.
    degrees_of_freedom : float or None
        Of the test of several training runs; None where no system that is compared has several.
    preferred : float or None
        The share of items for which people would prefer the first system, where a metric can tell; NaN for other
        scores of the comparison, None where no metric can.
    """

    score: str
    first: str
    second: str
    difference: float
    interval: tuple[float, float]
    effect: float
    p_bootstrap: float
    p_randomisation: float
    p_bootstrap_holm: float = 1.0
    p_randomisation_holm: float = 1.0
    degrees_of_freedom: float | None = None
    preferred: float | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a number that does not exist is None."""
        data: dict[str, Any] = {}
        for key, value in self.__dict__.items():
            if value is None:
                continue
            numbers = value if isinstance(value, tuple) else (value,)
            clean = [one if isinstance(one, str) else number(one) for one in numbers]
            data[key] = clean if isinstance(value, tuple) else clean[0]
        return data


class Resampled:
    """The scores of all systems on shared resamples: both kinds from one matrix product each.

    Parameters
    ----------
    systems : dict of str to Result
        All of the same metrics and rows.
    pairs : list of (str, str)
        Those that will be tested.
    units : Units
        What is resampled.
    resamples, seed, jobs : int
        As for `caplens.stats.resampling.bootstrap_sums`.
    """

    def __init__(
        self,
        systems: dict[str, Result],
        pairs: list[tuple[str, str]],
        units: Units,
        resamples: int,
        seed: int,
        jobs: int,
    ) -> None:
        self.systems = systems
        self._units = units
        self.metrics = [entry.metric for entry in next(iter(systems.values())).runs]
        self._each = {
            name: result.each if isinstance(result, Replicates) else (result,) for name, result in systems.items()
        }
        tables: list[Floats] = []
        self._columns: dict[tuple[str, Metric], list[slice]] = {}
        width = 0
        for name, results in self._each.items():
            for entry in (entry for result in results for entry in result.runs):
                tables.append(entry.statistics.table)
                self._columns.setdefault((name, entry.metric), []).append(slice(width, width + tables[-1].shape[1]))
                width += tables[-1].shape[1]
        stacked = np.column_stack([*tables, np.ones(len(tables[0]))])
        self._totals = column_sums(stacked)
        nothing = np.zeros(0)
        self._tell_preference = any(metric.preference(nothing, nothing) is not None for metric in self.metrics)
        self._exchanged = np.empty((0, width + 1))
        if not all(map(self._have_runs, pairs)):
            self._exchanged = exchange_sums(stacked, units, resamples, seed, jobs)
        drawn = bootstrap_sums(stacked, units, resamples, seed, jobs)
        self._drawn = np.isfinite(drawn[:, -1])
        # By system and metric, shape (runs, resamples, keys).
        self._bootstrap = {
            (name, metric): np.stack([resampled_scores(metric, drawn[:, run], drawn[:, -1]) for run in columns])
            for (name, metric), columns in self._columns.items()
        }
        for name, result in systems.items():
            result.intervals.adopt([self._bootstrap[name, metric].mean(axis=0) for metric in self.metrics])

    def test(self, metric: Metric, first: str, second: str) -> list[PairTest]:
        """Return the tests of two systems for all scores of a metric."""
        if self._have_runs((first, second)):
            return [self._test_runs(metric, place, first, second) for place in range(len(metric.result_keys))]
        (left,), (right,) = self._columns[first, metric], self._columns[second, metric]
        moved = self._exchanged[:, right] - self._exchanged[:, left]
        rows = np.broadcast_to(self._totals[-1], len(moved))
        exchanged = metric.aggregate(self._totals[left] + moved, rows)
        exchanged -= metric.aggregate(self._totals[right] - moved, rows)
        if len(self._units) < 2:  # there is nothing to compare an exchange with
            exchanged = np.full_like(exchanged, np.nan)
        drawn = self._differences(metric, first, second)
        any_runs = any(len(results) > 1 for results in self._each.values())
        tests = []
        for place, key in enumerate(metric.result_keys):
            observed, effect = self._observed(key, first, second)
            tests.append(
                PairTest(
                    score=key,
                    first=first,
                    second=second,
                    difference=observed,
                    interval=percentile_interval(drawn[:, place]),
                    effect=effect,
                    # Centred on the observed difference, the bootstrap samples show what chance alone does.
                    p_bootstrap=two_sided_p(drawn[:, place] - observed, observed),
                    p_randomisation=two_sided_p(exchanged[:, place], observed),
                    degrees_of_freedom=math.nan if any_runs else None,
                    preferred=self._preferred(metric, key, first, second),
                )
            )
        return tests

    def _test_runs(self, metric: Metric, place: int, first: str, second: str) -> PairTest:
        """Test one score where a system has several runs; an exchange of captions would take the runs as given."""
        key = metric.result_keys[place]
        observed, effect = self._observed(key, first, second)
        drawn = self._differences(metric, first, second)[:, place]
        by_image = float(np.var(drawn, ddof=1)) if len(drawn) > 1 else math.nan
        variances = [
            RunVariance.of(
                np.array([result[key].score for result in self._each[name]]),
                self._bootstrap[name, metric][:, self._drawn, place],
            )
            for name in (first, second)
        ]
        found = run_test(observed, by_image, len(self._units), *variances)
        return PairTest(
            score=key,
            first=first,
            second=second,
            difference=observed,
            interval=found.interval,
            effect=effect,
            p_bootstrap=found.p,
            p_randomisation=math.nan,
            p_randomisation_holm=math.nan,
            degrees_of_freedom=found.degrees_of_freedom,
            preferred=self._preferred(metric, key, first, second),
        )

    def _have_runs(self, pair: tuple[str, str]) -> bool:
        return any(len(self._each[name]) > 1 for name in pair)

    def _observed(self, key: str, first: str, second: str) -> tuple[float, float]:
        """Return the difference of two systems and its size in standard deviations over items."""
        ours, theirs = self.systems[first][key], self.systems[second][key]
        return ours.score - theirs.score, paired_effect_size(ours.item_scores - theirs.item_scores)

    def _preferred(self, metric: Metric, key: str, first: str, second: str) -> float | None:
        """Return the share of items for which people would prefer the first of two systems."""
        if not self._tell_preference:
            return None
        if key in metric.details:
            return math.nan
        found = metric.preference(self.systems[first][key].item_scores, self.systems[second][key].item_scores)
        return math.nan if found is None or not len(found) else float(np.nanmean(found))

    def _differences(self, metric: Metric, first: str, second: str) -> Floats:
        """Return the differences of two systems on bootstrap samples, shape (samples, keys)."""
        drawn: Floats = self._bootstrap[first, metric].mean(axis=0) - self._bootstrap[second, metric].mean(axis=0)
        return drawn[self._drawn]
