"""What metrics have in common, and what sums of them are worth."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.errors import UsageError
from caplens.files.progress import blocks
from caplens.meta.between.compared import Compared
from caplens.meta.correlations import plain
from caplens.meta.study import Study
from caplens.output.tables import Column, NumberTable, Value
from caplens.stats.correlation import correlate, mean_ranks, standardised
from caplens.stats.correlation_tests import williams

Floats = npt.NDArray[np.float64]

MOST_SCORES = 12
"""More would make too many subsets."""
SHOWN_SUBSETS = 15


def complementarity_study(rows: Compared, clustered: bool = False) -> Study:
    """Correlate metrics with each other, and sums of every subset of them with people.

    Parameters
    ----------
    rows : Compared
        The scores of captions or of systems.
    clustered : bool
        Whether similar metrics stand beside each other in the matrix; else the best by people comes first.
    """
    columns, human = rows.columns, rows.human
    if len(columns) > MOST_SCORES:
        raise UsageError(f"Complementarity takes at most {MOST_SCORES} scores, not {len(columns)}: choose with -m.")
    with_people = {key: correlate(column, human)["spearman"].value for key, column in columns.items()}
    best_first = sorted(columns, key=lambda key: -np.nan_to_num(with_people[key], nan=-1.0))
    between = {
        key: {other: plain(correlate(columns[key], columns[other])["spearman"].value) for other in best_first}
        for key in best_first
    }
    order = cluster(between) if clustered else best_first
    data = {
        **rows.facts,
        "on": rows.on,
        "ordered_by": "their similarity" if clustered else "the correlation with people",
        "order": order,
        "spearman_with_people": {key: plain(with_people[key]) for key in order},
        "spearman_between": {key: {other: between[key][other] for other in order} for key in order},
        "subsets": subset_sums({key: columns[key] for key in best_first}, human),
        "metrics": {key: rows.signatures[key] for key in order},
    }
    return Study("complementarity", data, _tables(data, rows.notes), rows.scores.notices, rows.items)


def cluster(similarity: Mapping[str, Mapping[str, float | None]]) -> list[str]:
    """Order names so that similar ones are neighbours (average linkage, the best order of its leaves).

    Examples
    --------
    >>> rows = {"a": (1.0, 0.1, 0.9), "b": (0.1, 1.0, 0.2), "c": (0.9, 0.2, 1.0)}
    >>> cluster({name: dict(zip("abc", row, strict=True)) for name, row in rows.items()})
    ['a', 'c', 'b']
    """
    from scipy.cluster.hierarchy import leaves_list, linkage
    from scipy.spatial.distance import squareform

    names = list(similarity)
    distance = np.array([[1.0 - (similarity[key][other] or 0.0) for other in names] for key in names])
    np.fill_diagonal(distance, 0.0)
    tree = linkage(squareform(np.maximum(distance, 0.0), checks=False), "average", optimal_ordering=True)
    order = leaves_list(tree).tolist()
    # A tree has no left and right: the first name stands in the first half.
    return [names[leaf] for leaf in (order if 2 * order.index(0) < len(order) else reversed(order))]


def subset_sums(columns: Mapping[str, Floats], human: Floats) -> list[dict[str, Any]]:
    """Correlate the sum of every subset of scores with people, the best first.

    Returns
    -------
    list of dict
        ``metrics``; ``spearman`` and ``pearson`` of the sum of scores brought to [0, 1]; the same of the plain sum as
        ``raw_spearman``, ``raw_pearson``; ``williams``: for each single score the one-sided p-value of Williams' test
        (Pearson) that the sum correlates better with people; ``williams_p``: the largest of them.

    Examples
    --------
    >>> human = np.array([1.0, 2, 3, 4, 5])
    >>> best = subset_sums({"a": np.array([1.0, 3, 2, 5, 4]), "b": np.array([2.0, 1, 3, 4, 6])}, human)[0]
    >>> best["metrics"], round(best["spearman"], 3)
    (['a', 'b'], 1.0)
    """
    scaled = {key: _to_unit(column) for key, column in columns.items()}
    people = {"spearman": standardised(mean_ranks(human)), "pearson": standardised(human)}
    alone = {key: standardised(column) for key, column in columns.items()}
    single = {key: _correlation(column, people["pearson"]) for key, column in alone.items()}
    subsets = [chosen for size in range(1, len(columns) + 1) for chosen in combinations(columns, size)]
    found = []
    for first, last in blocks("subsets", len(subsets), 16):
        for chosen in subsets[first:last]:
            entry: dict[str, Any] = {"metrics": list(chosen)}
            for prefix, table in (("", scaled), ("raw_", columns)):
                total = np.sum([table[key] for key in chosen], axis=0)
                entry[f"{prefix}spearman"] = plain(_correlation(standardised(mean_ranks(total)), people["spearman"]))
                entry[f"{prefix}pearson"] = plain(_correlation(standardised(total), people["pearson"]))
            tests = {}
            if len(chosen) > 1 and entry["pearson"] is not None:
                ours = standardised(np.sum([scaled[key] for key in chosen], axis=0))
                for key, column in alone.items():
                    test = williams(entry["pearson"], single[key], _correlation(ours, column), len(human))
                    tests[key] = plain(test.p)
            known = [p for p in tests.values() if p is not None]
            found.append({**entry, "williams": tests, "williams_p": max(known, default=None)})
    return sorted(found, key=lambda entry: -(-1.0 if entry["spearman"] is None else entry["spearman"]))


def _correlation(first: Floats, second: Floats) -> float:
    """Return Pearson's coefficient of standardised numbers; NaN where either are all equal."""
    if not (first.any() and second.any()):
        return float("nan")
    return float(np.clip(first @ second / len(first), -1.0, 1.0))


def _to_unit(column: Floats) -> Floats:
    """Bring scores to the range from 0 to 1."""
    low, high = float(column.min()), float(column.max())
    return np.zeros_like(column) if high == low else (column - low) / (high - low)


def _tables(data: dict[str, Any], notes: tuple[str, ...]) -> tuple[NumberTable, ...]:
    order = data["order"]
    between = NumberTable(
        f"{data['on']}: Spearman correlation between metrics",
        (Column("metric", ".2f"), Column("people", ".2f"), *(Column(key, ".2f") for key in order)),
        tuple((key, data["spearman_with_people"][key], *data["spearman_between"][key].values()) for key in order),
        (f"ordered by {data['ordered_by']}.", *notes),
    )
    columns = (Column("sum of"), Column("Spearman"), Column("Pearson"), Column("raw Spearman"), Column("raw Pearson"))
    best = []
    for entry in data["subsets"][:SHOWN_SUBSETS]:
        cells: list[Value] = ["+".join(entry["metrics"])]
        cells += [entry[name] for name in ("spearman", "pearson", "raw_spearman", "raw_pearson", "williams_p")]
        best.append(tuple(cells))
    explained = (
        f"the best {len(best)} of {len(data['subsets']):,} subsets by Spearman; scores are brought to [0, 1] before "
        "they are added, raw ones are not.",
        "Williams p: the largest of the one-sided tests (Pearson) of the sum against each single score; nothing "
        "corrects for the choice of the best subset.",
    )
    subsets = NumberTable(
        f"{data['on']}: sums of metrics, correlation with people",
        (*columns, Column("Williams p", "p")),
        tuple(best),
        explained,
    )
    return between, subsets
