"""Which metrics correlate better with people than which: Williams' test and its companions over all pairs."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from itertools import combinations, permutations
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.errors import Notice, UsageError, counted
from caplens.meta.between.compared import Compared
from caplens.meta.captions.study import TITLES, Resampling
from caplens.meta.correlations import plain
from caplens.meta.study import Study
from caplens.output.tables import Column, NumberTable
from caplens.stats.correlation import COEFFICIENTS, SortedPairs, bootstrap_coefficients, correlate
from caplens.stats.correlation_tests import exchanged_coefficients, williams
from caplens.stats.resampling import percentile_interval
from caplens.stats.significance import holm, resamples_for, two_sided_p

Floats = npt.NDArray[np.float64]

ALPHA = 0.05
# Beyond these, West, Finch and Curran (1995) call a sample far from normal.
MOST_SKEWNESS, MOST_KURTOSIS = 2.0, 7.0
FEWEST_ROWS = 20


def williams_study(rows: Compared, resampling: Resampling, coefficient: str = "pearson") -> Study:
    """Test all pairs of metrics: Williams' test of one coefficient, bootstrap and randomisation of the preset's.

    Parameters
    ----------
    rows, resampling
        The scores, and how resamples are drawn; there are more of them where the family is large.
    coefficient : str
        The correlation that Williams' test compares; it was made for Pearson's.
    """
    columns, human = rows.columns, rows.human
    matrix = williams_matrix(columns, human, coefficient)
    data = {
        **rows.facts,
        "on": rows.on,
        "coefficient": coefficient,
        "correlations": {key: plain(correlate(column, human)[coefficient].value) for key, column in columns.items()},
        "williams": matrix,
        **difference_tests(rows, resampling),
        "metrics": rows.signatures,
    }
    warnings = (*rows.scores.notices, *assumptions(rows, coefficient, matrix))
    tables = (_matrix_table(data, rows.notes), _difference_table(data))
    return Study("williams", data, tables, warnings, rows.items)


def check_coefficient(coefficient: str) -> None:
    """Refuse a coefficient that there is not."""
    if coefficient not in COEFFICIENTS:
        raise UsageError(f"There is no coefficient {coefficient!r}: choose from {', '.join(COEFFICIENTS)}.")


def williams_matrix(columns: Mapping[str, Floats], human: Floats, coefficient: str = "pearson") -> list[dict[str, Any]]:
    """Test every ordered pair of metrics; Holm's correction is over all of them.

    Examples
    --------
    >>> human = np.array([1.0, 2, 3, 4, 5, 6])
    >>> found = williams_matrix({"good": human ** 2, "poor": np.array([3.0, 1, 2, 6, 5, 4])}, human)
    >>> [(test["first"], test["second"], round(test["p"], 3)) for test in found]
    [('good', 'poor', 0.032), ('poor', 'good', 0.968)]
    """
    tests: list[dict[str, Any]] = []
    for first, second in permutations(columns, 2):
        known = np.isfinite(columns[first]) & np.isfinite(columns[second]) & np.isfinite(human)
        ours, theirs, people = columns[first][known], columns[second][known], human[known]
        values = [correlate(*pair)[coefficient].value for pair in ((ours, people), (theirs, people), (ours, theirs))]
        test = williams(values[0], values[1], values[2], len(people))
        tests.append({"first": first, "second": second, "between": plain(values[2]), "t": test.t, "p": test.p})
    corrected = holm([test["p"] for test in tests])
    return [
        {**test, "t": plain(test["t"]), "p": plain(test["p"]), "p_holm": plain(p)}
        for test, p in zip(tests, corrected, strict=True)
    ]


def difference_tests(rows: Compared, resampling: Resampling) -> dict[str, Any]:
    """Test the differences of the preset's coefficient: paired bootstrap and approximate randomisation, by image."""
    coefficient, columns, human, owners = rows.coefficient, rows.columns, rows.human, rows.owners
    pairs = list(combinations(columns, 2))
    resampling = replace(resampling, resamples=max(resampling.resamples, resamples_for(len(pairs), ALPHA)))
    sorted_pairs = {key: SortedPairs(column, human, owners.owners) for key, column in columns.items()}
    drawn = bootstrap_coefficients(sorted_pairs, owners, resampling.resamples, resampling.seed, resampling.threads)
    kept = owners.draw_enough(resampling.resamples, resampling.seed)
    observed = {key: correlate(column, human)[coefficient].value for key, column in columns.items()}
    tests: list[dict[str, Any]] = []
    for first, second in pairs:
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
        tests.append(
            {
                "first": first,
                "second": second,
                "difference": plain(difference),
                "interval": [plain(bound) for bound in percentile_interval(samples)],
                "p_bootstrap": two_sided_p(samples - difference, difference),
                "p_randomisation": two_sided_p(ours - theirs, difference),
            }
        )
    for name in ("p_bootstrap", "p_randomisation"):
        for test, p in zip(tests, holm([test[name] for test in tests]), strict=True):
            test[name], test[f"{name}_holm"] = plain(test[name]), plain(p)
    return {
        "differences": tests,
        "difference_coefficient": coefficient,
        "resampling": resampling.facts(owners, rows.units),
    }


def assumptions(rows: Compared, coefficient: str, matrix: list[dict[str, Any]]) -> list[Notice]:
    """Say where the assumptions of Williams' test fail: Pearson's coefficient, independent rows, normal scores."""
    notices = []
    number, independent = len(rows.human), len(rows.owners)
    if independent < number:
        message = (
            f"Williams' test supposes independent rows, but its {number:,} rows are about {independent:,} "
            f"{rows.units}: its p-values are too small; bootstrap and randomisation draw {rows.units}"
        )
        notices.append(Notice("rows-not-independent", message))
    if coefficient != "pearson":
        notices.append(
            Notice("not-pearson", f"Williams' test was made for Pearson's coefficient, not for {coefficient}")
        )
    if number < FEWEST_ROWS:
        notices.append(Notice("few-rows", f"Williams' test is approximate, and {counted(number, 'row')} are few"))
    scores = {**rows.columns, "the human score": rows.human}
    far = [key for key, column in scores.items() if _far_from_normal(column)]
    if far:
        message = f"Williams' test supposes normal scores, from which these are far: {', '.join(far)}"
        notices.append(Notice("not-normal", message, len(far)))
    without = [f"{test['first']} - {test['second']}" for test in matrix if test["t"] is None]
    if without:
        message = "Williams' test does not exist for some pairs: too few rows, a constant score, or exact opposites"
        notices.append(Notice("no-test", message, len(without), tuple(without[:5])))
    return notices


def _far_from_normal(column: Floats) -> bool:
    values = column[np.isfinite(column)]
    spread = float(values.std()) if len(values) else 0.0
    if spread == 0:
        return False
    centred = (values - values.mean()) / spread
    return abs(float((centred**3).mean())) > MOST_SKEWNESS or float((centred**4).mean()) - 3 > MOST_KURTOSIS


def _matrix_table(data: dict[str, Any], notes: tuple[str, ...]) -> NumberTable:
    order = sorted(data["correlations"], key=lambda key: -(data["correlations"][key] or 0.0))
    p_values = {(test["first"], test["second"]): test["p_holm"] for test in data["williams"]}
    columns = (Column("metric"), Column(TITLES[data["coefficient"]]), *(Column(f"> {key}", "p") for key in order))
    cells = tuple((key, data["correlations"][key], *(p_values.get((key, other)) for other in order)) for key in order)
    first = (
        "p-values, one-sided, corrected by Holm's method over the matrix: the metric of the row correlates better with "
        "people than that of the column."
    )
    return NumberTable(f"{data['on']}: Williams' test", columns, cells, (first, *notes))


def _difference_table(data: dict[str, Any]) -> NumberTable:
    title = TITLES[data["difference_coefficient"]]
    columns = (
        *(Column("metric"), Column("against"), Column("difference"), Column("low"), Column("high")),
        *(Column("p boot.", "p"), Column("Holm", "p"), Column("p rand.", "p"), Column("Holm", "p")),
    )
    cells = tuple(
        (
            *(test["first"], test["second"], test["difference"], *test["interval"]),
            *(test["p_bootstrap"], test["p_bootstrap_holm"], test["p_randomisation"], test["p_randomisation_holm"]),
        )
        for test in data["differences"]
    )
    how = data["resampling"]
    note = f"two-sided; {how['resamples']:,} resamples of {how['units']} each, seed {how['seed']}; Holm over the pairs."
    return NumberTable(f"{data['on']}: differences of {title}", columns, cells, (note,))
