"""What metrics have in common, and what sums of them are worth."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.arrays import Floats
from caplens.core.options import option
from caplens.core.selection import MetricRequest
from caplens.errors import UsageError
from caplens.files.progress import blocks
from caplens.meta.between.compared import BetweenMetrics
from caplens.meta.captions.rows import CaptionFacts
from caplens.meta.drawing import Figure, heat_map, or_nan
from caplens.meta.outcome import INLINED, Outcome
from caplens.meta.scoring import OwnScores, ScoreFacts
from caplens.meta.systems.outcome import SystemFacts
from caplens.output.document import number
from caplens.output.tables import Column, NumberTable, Value
from caplens.stats.clustering import leaf_order
from caplens.stats.correlation import correlate, mean_ranks, standardised
from caplens.stats.correlation_tests import williams

MOST_SCORES = 12
"""More would make too many subsets."""
SHOWN_SUBSETS = 15


@dataclass(frozen=True)
class SubsetSum:
    """How the sum of some scores correlates with people.

    Attributes
    ----------
    metrics : list of str
        The scores that are added.
    spearman, pearson : float or None
        Of the sum of scores brought to [0, 1].
    raw_spearman, raw_pearson : float or None
        Of the plain sum.
    williams : dict of str to float or None
        For each single score the one-sided p-value of Williams' test (Pearson) that the sum correlates better with
        people.
    williams_p : float or None
        The largest of them.
    """

    metrics: list[str]
    spearman: float | None
    pearson: float | None
    raw_spearman: float | None
    raw_pearson: float | None
    williams: dict[str, float | None]
    williams_p: float | None


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class ComplementarityOutcome(Outcome):
    """How metrics correlate with each other, and sums of them with people."""

    rows: CaptionFacts | SystemFacts = field(metadata=INLINED)
    on: str
    ordered_by: str
    order: list[str]
    spearman_with_people: dict[str, float | None]
    spearman_between: dict[str, dict[str, float | None]]
    subsets: list[SubsetSum]
    metrics: dict[str, ScoreFacts]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return the matrix of metrics, and the best subsets."""
        between = NumberTable(
            f"{self.on}: Spearman correlation between metrics",
            (Column("metric", ".2f"), Column("people", ".2f"), *(Column(key, ".2f") for key in self.order)),
            tuple((key, self.spearman_with_people[key], *self.spearman_between[key].values()) for key in self.order),
            (f"ordered by {self.ordered_by}.", *self.rows.notes),
        )
        return between, self._subsets()

    def _subsets(self) -> NumberTable:
        names = ("sum of", "Spearman", "Pearson", "raw Spearman", "raw Pearson")
        best: list[tuple[Value, ...]] = [
            (
                *("+".join(entry.metrics), entry.spearman, entry.pearson, entry.raw_spearman),
                *(entry.raw_pearson, entry.williams_p),
            )
            for entry in self.subsets[:SHOWN_SUBSETS]
        ]
        explained = (
            f"the best {len(best)} of {len(self.subsets):,} subsets by Spearman; scores are rescaled to [0, 1] "
            f"before they are added; raw scores are not.",
            "Williams p: the largest of the one-sided tests (Pearson) of the sum against each single score; not "
            "corrected for selecting the best subset.",
        )
        title = f"{self.on}: sums of metrics, correlation with human judgments"
        return NumberTable(title, (*map(Column, names), Column("Williams p", "p")), tuple(best), explained)

    def figure(self) -> Figure:
        """Draw the matrix of metrics."""
        order = self.order
        values = np.array([[or_nan(self.spearman_between[key][other]) for other in order] for key in order])
        least = float(np.nanmin(values))
        shades = (values - least) / max(1 - least, 1e-9)
        texts = [[f"{value:.2f}" for value in row] for row in values.tolist()]
        title = f"{self.on}: Spearman between metrics\nordered by {self.ordered_by}; darker is larger"
        return heat_map(order, texts, shades, title)[0]


@dataclass(frozen=True)
class Complementarity(BetweenMetrics):
    """Correlation of metrics with each other, and of sums of every subset of them with people."""

    name: ClassVar[str] = "complementarity"

    cluster: bool = option(False, "place similar metrics side by side; otherwise, sort by agreement with people")

    @classmethod
    def for_all(cls) -> tuple[dict[str, str], ...]:
        """Return the sets of the papers: one of captions, one of systems."""
        return {"preset": "kilickaya2017"}, {"on": "coco2015", "preset": "anderson2016"}

    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> ComplementarityOutcome:
        """Correlate metrics with each other, and sums of every subset of them with people."""
        rows = self.rows_of_set(data, metrics, scores).common()
        columns, human = rows.columns, rows.human
        if len(columns) > MOST_SCORES:
            raise UsageError(f"Complementarity takes at most {MOST_SCORES} scores, not {len(columns)}: choose with -m.")
        with_people = {key: correlate(column, human)["spearman"].value for key, column in columns.items()}
        best_first = sorted(columns, key=lambda key: -np.nan_to_num(with_people[key], nan=-1.0))
        between = {
            key: {other: number(correlate(columns[key], columns[other])["spearman"].value) for other in best_first}
            for key in best_first
        }
        order = cluster(between) if self.cluster else best_first
        described = rows.described
        return ComplementarityOutcome(
            study=self.name,
            rows=rows.facts,
            on=rows.on,
            ordered_by="their similarity" if self.cluster else "the correlation with human judgments",
            order=order,
            spearman_with_people={key: number(with_people[key]) for key in order},
            spearman_between={key: {other: between[key][other] for other in order} for key in order},
            subsets=subset_sums({key: columns[key] for key in best_first}, human),
            metrics={key: described[key] for key in order},
            warnings=rows.scores.notices,
            items=rows.items,
        )


def cluster(similarity: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """Order names so that similar ones are neighbours (average linkage, the best order of its leaves).

    Examples
    --------
    >>> rows = {"a": (1.0, 0.1, 0.9), "b": (0.1, 1.0, 0.2), "c": (0.9, 0.2, 1.0)}
    >>> cluster({name: dict(zip("abc", row, strict=True)) for name, row in rows.items()})
    ['a', 'c', 'b']
    """
    names = list(similarity)
    distance = np.array([[1.0 - (similarity[key][other] or 0.0) for other in names] for key in names])
    np.fill_diagonal(distance, 0.0)
    order = leaf_order(np.maximum(distance, 0.0))
    # A tree has no left and right: the first name stands in the first half.
    return [names[leaf] for leaf in (order if 2 * order.index(0) < len(order) else reversed(order))]


def subset_sums(columns: Mapping[str, Floats], human: Floats) -> list[SubsetSum]:
    """Correlate the sum of every subset of scores with people, the best first.

    Examples
    --------
    >>> human = np.array([1.0, 2, 3, 4, 5])
    >>> best = subset_sums({"a": np.array([1.0, 3, 2, 5, 4]), "b": np.array([2.0, 1, 3, 4, 6])}, human)[0]
    >>> best.metrics, round(best.spearman, 3)
    (['a', 'b'], 1.0)
    """
    scaled = {key: _to_unit(column) for key, column in columns.items()}
    ranks, people = standardised(mean_ranks(human)), standardised(human)
    alone = {key: standardised(column) for key, column in columns.items()}
    single = {key: _correlation(column, people) for key, column in alone.items()}

    def both(table: Mapping[str, Floats], chosen: Sequence[str]) -> tuple[float | None, float | None]:
        total = np.sum([table[key] for key in chosen], axis=0)
        return (
            number(_correlation(standardised(mean_ranks(total)), ranks)),
            number(_correlation(standardised(total), people)),
        )

    subsets = [chosen for size in range(1, len(columns) + 1) for chosen in combinations(columns, size)]
    found = []
    for first, last in blocks("subsets", len(subsets), 16):
        for chosen in subsets[first:last]:
            spearman, pearson = both(scaled, chosen)
            tests = {}
            if len(chosen) > 1 and pearson is not None:
                ours = standardised(np.sum([scaled[key] for key in chosen], axis=0))
                for key, column in alone.items():
                    tests[key] = number(williams(pearson, single[key], _correlation(ours, column), len(human)).p)
            known = [p for p in tests.values() if p is not None]
            most = max(known, default=None)
            found.append(SubsetSum(list(chosen), spearman, pearson, *both(columns, chosen), tests, most))
    return sorted(found, key=lambda entry: -(-1.0 if entry.spearman is None else entry.spearman))


def _correlation(first: Floats, second: Floats) -> float:
    """Return Pearson's coefficient of standardised numbers; NaN where either are all equal."""
    if not (first.any() and second.any()):
        return float("nan")
    return float(np.clip(first @ second / len(first), -1.0, 1.0))


def _to_unit(column: Floats) -> Floats:
    """Bring scores to the range from 0 to 1."""
    low, high = float(column.min()), float(column.max())
    return np.zeros_like(column) if high == low else (column - low) / (high - low)
