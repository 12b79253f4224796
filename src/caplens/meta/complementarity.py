"""What metrics have in common, and what sums of them are worth."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.errors import UsageError
from caplens.files.progress import blocks
from caplens.meta.caption_level import CaptionRows, notes_of
from caplens.meta.correlations import plain
from caplens.meta.scoring import ScoringOptions
from caplens.meta.study import Study
from caplens.stats.correlation import correlate
from caplens.stats.correlation_tests import williams
from caplens.writers.tables import Column, NumberTable, Value

Floats = npt.NDArray[np.float64]

MOST_SCORES = 12
"""More would make too many subsets."""
SHOWN_SUBSETS = 15


def complementarity_study(on: str, rows: CaptionRows, options: ScoringOptions) -> Study:
    """Correlate metrics with each other, and sums of every subset of them with people.

    Parameters
    ----------
    on : str
        The study whose rows are used.
    rows, options
        The rows, and what to score with.
    """
    scores = rows.score(options).without_parts()
    human = rows.mean_human
    columns = {key: column[rows.place] for key, column in scores.columns.items()}
    known = np.logical_and.reduce([np.isfinite(column) for column in columns.values()])
    if not 2 <= len(columns) <= MOST_SCORES:
        raise UsageError(f"Complementarity needs 2 to {MOST_SCORES} scores, not {len(columns)}: choose with -m.")
    columns, human = {key: column[known] for key, column in columns.items()}, human[known]
    with_people = {key: correlate(column, human)["spearman"].value for key, column in columns.items()}
    order = sorted(columns, key=lambda key: -with_people[key])
    between = {
        key: {other: plain(correlate(columns[key], columns[other])["spearman"].value) for other in order}
        for key in order
    }
    data = {
        **rows.describe(),
        "on": on,
        "compared": int(known.sum()),
        "order": order,
        "spearman_with_people": {key: plain(with_people[key]) for key in order},
        "spearman_between": between,
        "subsets": subset_sums({key: columns[key] for key in order}, human),
        "metrics": {key: {"signature": scores.signatures[key]} for key in order},
    }
    return Study("complementarity", data, _tables(data, rows), scores.notices, rows.items())


def subset_sums(columns: Mapping[str, Floats], human: Floats) -> list[dict[str, Any]]:
    """Correlate the sum of every subset of scores with people, the best first.

    Returns
    -------
    list of dict
        ``metrics``; ``spearman`` and ``pearson`` of the sum of scores brought to [0, 1]; the same of the plain sum as
        ``raw_spearman``, ``raw_pearson``; ``williams_p``: the largest one-sided p-value of Williams' test (Pearson)
        that the sum correlates better with people than one of its scores alone.

    Examples
    --------
    >>> human = np.array([1.0, 2, 3, 4, 5])
    >>> best = subset_sums({"a": np.array([1.0, 3, 2, 5, 4]), "b": np.array([2.0, 1, 3, 4, 6])}, human)[0]
    >>> best["metrics"], round(best["spearman"], 3)
    (['a', 'b'], 1.0)
    """
    scaled = {key: _to_unit(column) for key, column in columns.items()}
    single = {key: correlate(column, human)["pearson"].value for key, column in columns.items()}
    subsets = [chosen for size in range(1, len(columns) + 1) for chosen in combinations(columns, size)]
    found = []
    for first, last in blocks("subsets", len(subsets), 16):
        for chosen in subsets[first:last]:
            sums = [np.sum([table[key] for key in chosen], axis=0) for table in (scaled, columns)]
            ours, raw = (correlate(total, human) for total in sums)
            tests = []
            for key in chosen if len(chosen) > 1 else ():
                shared = correlate(sums[0], columns[key])["pearson"].value
                tests.append(williams(ours["pearson"].value, single[key], shared, len(human)).p)
            found.append(
                {
                    "metrics": list(chosen),
                    "spearman": plain(ours["spearman"].value),
                    "pearson": plain(ours["pearson"].value),
                    "raw_spearman": plain(raw["spearman"].value),
                    "raw_pearson": plain(raw["pearson"].value),
                    "williams_p": plain(max(tests)) if tests else None,
                }
            )
    return sorted(found, key=lambda entry: -(entry["spearman"] or -1.0))


def _to_unit(column: Floats) -> Floats:
    """Bring scores to the range from 0 to 1."""
    low, high = float(column.min()), float(column.max())
    return np.zeros_like(column) if high == low else (column - low) / (high - low)


def _tables(data: dict[str, Any], rows: CaptionRows) -> tuple[NumberTable, ...]:
    order = data["order"]
    between = NumberTable(
        f"{data['on']}: Spearman correlation between metrics",
        (Column("metric", ".2f"), Column("people", ".2f"), *(Column(key, ".2f") for key in order)),
        tuple((key, data["spearman_with_people"][key], *data["spearman_between"][key].values()) for key in order),
        ("ordered by the correlation with people.", *notes_of(data, rows.preset)),
    )
    columns = (Column("sum of"), Column("Spearman"), Column("Pearson"), Column("raw Spearman"), Column("raw Pearson"))
    best = []
    for entry in data["subsets"][:SHOWN_SUBSETS]:
        cells: list[Value] = ["+".join(entry["metrics"])]
        cells += [entry[name] for name in ("spearman", "pearson", "raw_spearman", "raw_pearson", "williams_p")]
        best.append(tuple(cells))
    notes = (
        f"the best {len(best)} of {len(data['subsets']):,} subsets by Spearman; scores are brought to [0, 1] before "
        "they are added, raw ones are not.",
        "Williams p: the largest of the one-sided tests of the sum against each of its scores; nothing corrects for "
        "the choice of the best subset.",
    )
    subsets = NumberTable(
        f"{data['on']}: sums of metrics, correlation with people",
        (*columns, Column("Williams p", "p")),
        tuple(best),
        notes,
    )
    return between, subsets
