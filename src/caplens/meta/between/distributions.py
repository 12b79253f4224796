"""How scores spread for each human rating."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.arrays import Floats
from caplens.core.selection import MetricRequest
from caplens.meta.between.compared import BetweenMetrics
from caplens.meta.captions.rows import CaptionFacts
from caplens.meta.drawing import COLOURS, Axes, Figure, panels, plain_frame
from caplens.meta.outcome import INLINED, Outcome
from caplens.meta.scoring import OwnScores, ScoreFacts
from caplens.meta.systems.outcome import SystemFacts
from caplens.output.tables import Column, NumberTable, Value

MOST_LEVELS = 12
"""With more different ratings than this, ratings are rounded."""
FEWEST_LEVELS = 3
"""Ratings are rounded to whole numbers unless fewer levels than this would be left."""
QUANTILES = {"least": 0.0, "quarter": 0.25, "median": 0.5, "three quarters": 0.75, "most": 1.0}
_MOST_LEVEL_LABELS = 6  # more stand upright, lest they overlap
_SQUARE_ROOT = ("CIDEr", "SPICE")  # Kilickaya et al. (EACL 2017), figure 3


@dataclass(frozen=True)
class Spread:
    """The scores at one rating: how many, their mean and `QUANTILES`."""

    rating: float
    n: int
    mean: float
    quantiles: dict[str, float] = field(metadata=INLINED)


@dataclass(frozen=True)
class Distribution:
    """The scores of a metric by rating."""

    by_rating: list[Spread]
    score: ScoreFacts = field(metadata=INLINED)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class DistributionOutcome(Outcome):
    """How the scores of each metric spread for each human rating."""

    rows: CaptionFacts | SystemFacts = field(metadata=INLINED)
    on: str
    metrics: dict[str, Distribution]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return one line per metric and rating."""
        columns = (Column("metric"), Column("rating", "g"), Column("n"), Column("mean"), *map(Column, QUANTILES))
        cells: tuple[tuple[Value, ...], ...] = tuple(
            (key, entry.rating, entry.n, entry.mean, *entry.quantiles.values())
            for key, figures in self.metrics.items()
            for entry in figures.by_rating
        )
        return (NumberTable(f"{self.on}: scores by human rating", columns, cells, self.rows.notes),)

    def figure(self) -> Figure:
        """Draw boxes by rating, one panel a metric."""
        main = {key: entry for key, entry in self.metrics.items() if entry.score.detail_of is None}
        figure, axes_of = panels(len(main), 3, (2.9, 2.6))
        for axes, (key, entry) in zip(axes_of, main.items(), strict=True):
            _boxes(axes, entry.by_rating)
            if key in _SQUARE_ROOT:
                axes.set_yscale("function", functions=(lambda y: np.sqrt(np.maximum(y, 0)), np.square))
            # Few ticks: near 0 a square-root axis has no room for many.
            axes.locator_params(axis="y", nbins=4)
            axes.set_ylim(bottom=min([0.0, *(spread.quantiles["least"] for spread in entry.by_rating)]))
            axes.set_title(key, fontsize="small")
            axes.set_xlabel("human rating")
            axes.set_ylabel("score, square-root axis" if key in _SQUARE_ROOT else "score", fontsize="small")
            if len(entry.by_rating) > _MOST_LEVEL_LABELS:
                axes.tick_params(axis="x", labelrotation=90, labelsize="x-small")
            plain_frame(axes)
        figure.suptitle(f"{self.on}: scores by human rating (box: quartiles, whiskers: all)", fontsize="medium")
        return figure


def _boxes(axes: Axes, spreads: list[Spread]) -> None:
    names = {"least": "whislo", "quarter": "q1", "median": "med", "three quarters": "q3", "most": "whishi"}
    boxes = [
        {names[name]: value for name, value in spread.quantiles.items()} | {"fliers": [], "label": f"{spread.rating:g}"}
        for spread in spreads
    ]
    # A median of 0 lies on the axis: it must not be cut off there.
    axes.bxp(boxes, showfliers=False, medianprops={"color": COLOURS[1], "linewidth": 2, "clip_on": False})


@dataclass(frozen=True)
class Distributions(BetweenMetrics):
    """Scores at each human rating, described by quantiles."""

    name: ClassVar[str] = "distributions"

    @classmethod
    def for_all(cls) -> tuple[dict[str, str], ...]:
        """Return one set of captions."""
        return ({"preset": "kilickaya2017"},)

    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> DistributionOutcome:
        """Describe the scores at each human rating by quantiles."""
        rows = self.rows_of_set(data, metrics, scores)
        levels = rating_levels(rows.human)
        return DistributionOutcome(
            study=self.name,
            rows=rows.facts,
            on=rows.on,
            metrics={
                key: Distribution(by_rating(column, levels), rows.scores.describe(key))
                for key, column in rows.columns.items()
            },
            warnings=rows.scores.notices,
            items=rows.items,
        )


def rating_levels(ratings: Floats) -> Floats:
    """Return ratings as levels: as they are where they are few, else rounded to whole numbers or finer.

    Examples
    --------
    >>> rating_levels(np.linspace(0.1, 0.3, 21)).tolist()[::5]
    [0.1, 0.2, 0.2, 0.2, 0.3]
    """
    for digits in (None, 0, 1, 2):
        levels = ratings if digits is None else np.round(ratings, digits)
        number = len(np.unique(levels))
        if number <= MOST_LEVELS if digits is None else number >= FEWEST_LEVELS:
            return levels
    return levels


def by_rating(scores: Floats, ratings: Floats) -> list[Spread]:
    """Return for each rating the number of scores, their mean and quantiles.

    Examples
    --------
    >>> found = by_rating(np.array([0.1, 0.3, 0.8]), np.array([1.0, 1.0, 2.0]))
    >>> [(spread.rating, spread.n, spread.quantiles["median"]) for spread in found]
    [(1.0, 2, 0.2), (2.0, 1, 0.8)]
    """
    found = []
    for rating in np.unique(ratings[np.isfinite(ratings)]).tolist():
        inside = scores[(ratings == rating) & np.isfinite(scores)]
        if len(inside):
            quantiles = np.quantile(inside, list(QUANTILES.values())).tolist()
            quantiles_by_name = dict(zip(QUANTILES, quantiles, strict=True))
            found.append(Spread(rating, len(inside), float(inside.mean()), quantiles_by_name))
    return found
