"""Which metrics correlate better with people than which: Williams' test and its companions over all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from itertools import combinations, permutations
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.arrays import Floats
from caplens.core.options import option
from caplens.core.selection import MetricRequest
from caplens.errors import Notice, counted
from caplens.meta.between.compared import BetweenMetrics, Compared
from caplens.meta.captions.rows import CaptionFacts
from caplens.meta.correlations import TITLES, CoefficientName
from caplens.meta.drawing import Figure, heat_map, or_nan
from caplens.meta.outcome import INLINED, Outcome, Resamples
from caplens.meta.scoring import OwnScores, ScoreFacts
from caplens.meta.study import Resampled, Resampling
from caplens.meta.systems.outcome import SystemFacts
from caplens.output.document import number
from caplens.output.tables import Column, NumberTable, cell
from caplens.stats.correlation import SortedPairs, bootstrap_coefficients, correlate
from caplens.stats.correlation_tests import exchanged_coefficients, williams
from caplens.stats.resampling import percentile_interval
from caplens.stats.significance import holm, resamples_for, two_sided_p

ALPHA = 0.05
# Beyond these, West, Finch and Curran (1995) call a sample far from normal.
MOST_SKEWNESS, MOST_KURTOSIS = 2.0, 7.0
FEWEST_ROWS = 20


@dataclass(frozen=True)
class WilliamsTest:
    """Whether the first metric correlates better with people than the second, one-sided; ``p_holm`` is corrected."""

    first: str
    second: str
    between: float | None
    t: float | None
    p: float | None
    p_holm: float | None


@dataclass(frozen=True)
class Difference:
    """The difference of two metrics' coefficients with people, and two tests of it."""

    first: str
    second: str
    difference: float | None
    interval: tuple[float | None, float | None]
    p_bootstrap: float | None
    p_randomisation: float | None
    p_bootstrap_holm: float | None = None
    p_randomisation_holm: float | None = None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class WilliamsOutcome(Outcome):
    """Which metrics correlate better with people than which."""

    rows: CaptionFacts | SystemFacts = field(metadata=INLINED)
    on: str
    coefficient: str
    correlations: dict[str, float | None]
    williams: list[WilliamsTest]
    differences: list[Difference]
    difference_coefficient: str
    resampling: Resamples
    metrics: dict[str, ScoreFacts]

    @property
    def _order(self) -> list[str]:
        """The metrics, the best first."""
        return sorted(self.correlations, key=lambda key: -(self.correlations[key] or 0.0))

    @property
    def _p_values(self) -> dict[tuple[str, str], float | None]:
        return {(test.first, test.second): test.p_holm for test in self.williams}

    def tables(self) -> tuple[NumberTable, ...]:
        """Return the matrix of Williams' test, and the differences."""
        return self._matrix(), self._differences()

    def _matrix(self) -> NumberTable:
        order, p_values = self._order, self._p_values
        columns = (Column("metric"), Column(TITLES[self.coefficient]), *(Column(f"> {key}", "p") for key in order))
        cells = tuple((key, self.correlations[key], *(p_values.get((key, other)) for other in order)) for key in order)
        first = (
            "p-values, one-sided, corrected by Holm's method over the matrix: the metric of the row correlates "
            "better with human judgments than that of the column."
        )
        return NumberTable(f"{self.on}: Williams' test", columns, cells, (first, *self.rows.notes))

    def _differences(self) -> NumberTable:
        columns = (
            *(Column("metric"), Column("against"), Column("difference"), Column("low"), Column("high")),
            *(Column("p boot.", "p"), Column("Holm", "p"), Column("p rand.", "p"), Column("Holm", "p")),
        )
        cells = tuple(
            (
                *(test.first, test.second, test.difference, *test.interval),
                *(test.p_bootstrap, test.p_bootstrap_holm, test.p_randomisation, test.p_randomisation_holm),
            )
            for test in self.differences
        )
        how = self.resampling
        note = f"two-sided; {how.resamples:,} resamples of {how.units} each, seed {how.seed}; Holm over the pairs."
        title = f"{self.on}: differences of {TITLES[self.difference_coefficient]}"
        return NumberTable(title, columns, cells, (note,))

    def figure(self) -> Figure:
        """Draw the matrix, green where the metric of a row is significantly better than that of a column."""
        order, p_values = self._order, self._p_values
        values = np.array([[or_nan(p_values.get((key, other))) for other in order] for key in order])
        texts = [[cell(value, "p") for value in row] for row in values.tolist()]
        title = (
            f"{self.on}: Williams' test, one-sided p, Holm\n"
            f"green: the row correlates better with people than the column (p < {ALPHA:g})"
        )
        figure, axes = heat_map(order, texts, np.where(values < ALPHA, 1.0, 0.0), title, "Greens")
        axes.set_ylabel("better ...")
        axes.set_xlabel("... than")
        return figure


@dataclass(frozen=True)
class Williams(BetweenMetrics, Resampled):
    """Williams' test of one coefficient over all pairs of metrics, bootstrap and randomisation of the preset's."""

    name: ClassVar[str] = "williams"

    coefficient: CoefficientName = option("pearson", "correlation coefficient compared by Williams' test")

    @classmethod
    def for_all(cls) -> tuple[dict[str, str], ...]:
        """Return the sets of the papers: one of captions, one of systems."""
        return {"preset": "kilickaya2017"}, {"on": "coco2015", "preset": "anderson2016"}

    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> WilliamsOutcome:
        """Test all pairs of metrics; there are more resamples where the family of tests is large."""
        rows = self.rows_of_set(data, metrics, scores).common()
        columns, human = rows.columns, rows.human
        matrix = williams_matrix(columns, human, self.coefficient)
        resamples = max(self.resamples, resamples_for(len(list(combinations(columns, 2))), ALPHA))
        resampling = replace(self.resampling, resamples=resamples)
        return WilliamsOutcome(
            study=self.name,
            rows=rows.facts,
            on=rows.on,
            coefficient=self.coefficient,
            correlations={
                key: number(correlate(column, human)[self.coefficient].value) for key, column in columns.items()
            },
            williams=matrix,
            differences=difference_tests(rows, resampling),
            difference_coefficient=rows.coefficient,
            resampling=resampling.of(rows.owners, rows.units),
            metrics=rows.described,
            warnings=(*rows.scores.notices, *assumptions(rows, self.coefficient, matrix)),
            items=rows.items,
        )


def williams_matrix(columns: Mapping[str, Floats], human: Floats, coefficient: str = "pearson") -> list[WilliamsTest]:
    """Test every ordered pair of metrics; Holm's correction is over all of them.

    Examples
    --------
    >>> human = np.array([1.0, 2, 3, 4, 5, 6])
    >>> found = williams_matrix({"good": human ** 2, "poor": np.array([3.0, 1, 2, 6, 5, 4])}, human)
    >>> [(test.first, test.second, round(test.p, 3)) for test in found]
    [('good', 'poor', 0.032), ('poor', 'good', 0.968)]
    """
    found = []
    for first, second in permutations(columns, 2):
        known = np.isfinite(columns[first]) & np.isfinite(columns[second]) & np.isfinite(human)
        ours, theirs, people = columns[first][known], columns[second][known], human[known]
        values = [correlate(*pair)[coefficient].value for pair in ((ours, people), (theirs, people), (ours, theirs))]
        found.append((first, second, values[2], williams(values[0], values[1], values[2], len(people))))
    corrected = holm([test.p for *_, test in found])
    return [
        WilliamsTest(first, second, number(between), number(test.t), number(test.p), number(p))
        for (first, second, between, test), p in zip(found, corrected, strict=True)
    ]


def difference_tests(rows: Compared, resampling: Resampling) -> list[Difference]:
    """Test the differences of the preset's coefficient: paired bootstrap and approximate randomisation, by image."""
    coefficient, columns, human, owners = rows.coefficient, rows.columns, rows.human, rows.owners
    sorted_pairs = {key: SortedPairs(column, human, owners.owners) for key, column in columns.items()}
    drawn = bootstrap_coefficients(sorted_pairs, owners, resampling.resamples, resampling.seed, resampling.threads)
    kept = owners.draw_enough(resampling.resamples, resampling.seed)
    observed = {key: correlate(column, human)[coefficient].value for key, column in columns.items()}
    tests = []
    for first, second in combinations(columns, 2):
        difference = observed[first] - observed[second]
        samples = (drawn[first][coefficient] - drawn[second][coefficient])[kept]
        ours, theirs = exchanged_coefficients(
            columns[first],
            columns[second],
            human,
            coefficient,
            owners,
            resamples=resampling.resamples,
            seed=resampling.seed,
            jobs=resampling.threads,
        )
        low, high = percentile_interval(samples)
        p_values = two_sided_p(samples - difference, difference), two_sided_p(ours - theirs, difference)
        tests.append(Difference(first, second, number(difference), (number(low), number(high)), *map(number, p_values)))
    corrected = zip(
        holm([or_nan(test.p_bootstrap) for test in tests]),
        holm([or_nan(test.p_randomisation) for test in tests]),
        strict=True,
    )
    return [
        replace(test, p_bootstrap_holm=number(bootstrap), p_randomisation_holm=number(randomisation))
        for test, (bootstrap, randomisation) in zip(tests, corrected, strict=True)
    ]


def assumptions(rows: Compared, coefficient: str, matrix: list[WilliamsTest]) -> list[Notice]:
    """Say where the assumptions of Williams' test fail: Pearson's coefficient, independent rows, normal scores."""
    notices = []
    number, independent = len(rows.human), len(rows.owners)
    if independent < number:
        message = (
            f"Williams' test assumes independent rows, but its {number:,} rows are about {independent:,} "
            f"{rows.units}: its p-values are too small; bootstrap and randomisation resample {rows.units}"
        )
        notices.append(Notice("rows-not-independent", message))
    if coefficient != "pearson":
        notices.append(
            Notice("not-pearson", f"Williams' test is designed for Pearson's coefficient, not for {coefficient}")
        )
    if number < FEWEST_ROWS:
        notices.append(
            Notice("few-rows", f"Williams' test is approximate, and there are only {counted(number, 'row')}")
        )
    scores = {**rows.columns, "the human score": rows.human}
    far = [key for key, column in scores.items() if _far_from_normal(column)]
    if far:
        message = f"Williams' test assumes normally distributed scores; these are far from normal: {', '.join(far)}"
        notices.append(Notice("not-normal", message, len(far)))
    without = [f"{test.first} - {test.second}" for test in matrix if test.t is None]
    if without:
        message = "Williams' test is undefined for some pairs: too few rows, a constant score, or exact opposites"
        notices.append(Notice("no-test", message, len(without), tuple(without[:5])))
    return notices


def _far_from_normal(column: Floats) -> bool:
    values = column[np.isfinite(column)]
    spread = float(values.std()) if len(values) else 0.0
    if spread == 0:
        return False
    centred = (values - values.mean()) / spread
    return abs(float((centred**3).mean())) > MOST_SKEWNESS or float((centred**4).mean()) - 3 > MOST_KURTOSIS
