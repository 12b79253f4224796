"""How scores spread for each human rating."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.meta.captions.study import JudgedRows, notes_of
from caplens.meta.scoring import ScoringOptions
from caplens.meta.study import Study
from caplens.output.tables import Column, NumberTable

Floats = npt.NDArray[np.float64]

MOST_LEVELS = 12
"""With more different ratings than this, ratings are rounded to whole numbers."""
QUANTILES = {"least": 0.0, "quarter": 0.25, "median": 0.5, "three quarters": 0.75, "most": 1.0}


def distribution_study(on: str, rows: JudgedRows, options: ScoringOptions) -> Study:
    """Describe the scores at each human rating by quantiles."""
    scores = rows.score(options)
    human = rows.mean_human
    levels = human if len(np.unique(human)) <= MOST_LEVELS else np.round(human)
    metrics: dict[str, Any] = {}
    for key, column in scores.columns.items():
        metrics[key] = {"by_rating": by_rating(column[rows.place], levels), **scores.describe(key)}
    data = {**rows.describe(), "on": on, "metrics": metrics}
    return Study("distributions", data, (_table(data, rows),), scores.notices, rows.items())


def by_rating(scores: Floats, ratings: Floats) -> list[dict[str, float]]:
    """Return for each rating the number of scores, their mean and quantiles.

    Examples
    --------
    >>> found = by_rating(np.array([0.1, 0.3, 0.8]), np.array([1.0, 1.0, 2.0]))
    >>> [(entry["rating"], entry["n"], entry["median"]) for entry in found]
    [(1.0, 2, 0.2), (2.0, 1, 0.8)]
    """
    found = []
    for rating in np.unique(ratings[np.isfinite(ratings)]).tolist():
        inside = scores[(ratings == rating) & np.isfinite(scores)]
        if len(inside):
            quantiles = np.quantile(inside, list(QUANTILES.values())).tolist()
            entry = {"rating": rating, "n": len(inside), "mean": float(inside.mean())}
            found.append({**entry, **dict(zip(QUANTILES, quantiles, strict=True))})
    return found


def _table(data: dict[str, Any], rows: JudgedRows) -> NumberTable:
    columns = (
        Column("metric"),
        Column("rating", "g"),
        Column("n"),
        Column("mean"),
        *(Column(name) for name in QUANTILES),
    )
    cells = tuple((key, *entry.values()) for key, figures in data["metrics"].items() for entry in figures["by_rating"])
    return NumberTable(f"{data['on']}: scores by human rating", columns, cells, notes_of(data, rows.preset))
