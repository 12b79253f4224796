"""Systems compared on the same items: intervals, paired tests, effect sizes, corrected for multiple testing."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from caplens.arrays import Floats
from caplens.core.metric import Metric
from caplens.core.result import Result, data_frame, resampled_scores
from caplens.core.subsets import By, divide, name_of
from caplens.errors import Notice, UsageError, counted
from caplens.output.document import document, number
from caplens.output.progress import showing
from caplens.output.tables import Column, NumberTable, Value, render
from caplens.stats.resampling import Units, bootstrap_sums, exchange_sums, percentile_interval
from caplens.stats.significance import holm, paired_effect_size, resamples_for, two_sided_p
from caplens.stats.sums import column_sums

if TYPE_CHECKING:
    import pandas as pd

    from caplens.output.leaderboard import Presentation

ALPHA = 0.05


@dataclass(frozen=True)
class PairTest:
    """The difference of two systems in one score, with two paired tests.

    Attributes
    ----------
    score : str
        Key of the score.
    first, second : str
        Names of the systems.
    difference : float
        Corpus score of the first minus that of the second.
    interval : tuple of float
        95 % bootstrap interval of the difference.
    effect : float
        Mean of the item differences in units of their standard deviation.
    p_bootstrap, p_randomisation : float
        Two-sided p-values of paired bootstrap and approximate randomisation, as computed.
    p_bootstrap_holm, p_randomisation_holm : float
        The same, corrected by Holm's method over the pairs that were tested for this score.
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

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a value that does not exist is None."""
        data: dict[str, Any] = {}
        for key, value in self.__dict__.items():
            numbers = value if isinstance(value, tuple) else (value,)
            clean = [one if isinstance(one, str) else number(one) for one in numbers]
            data[key] = clean if isinstance(value, tuple) else clean[0]
        return data


class Comparison:
    """Systems scored on their common items, and the tests between them.

    Attributes
    ----------
    systems : dict of str to Result
        Each system's scores.
    baseline : str or None
        The system that all others are tested against; without one, all pairs are tested.
    pairs : list of (str, str)
        The pairs that are tested: one family a score.
    resamples : int
        Of each test; enough for the correction to be able to reject.
    warnings : tuple of Notice
        What was odd in the input.
    subsets : dict of str to dict
        The comparisons of subsets that were asked for, see `by`; files hold them too.
    inputs : dict
        The files and settings that the command line compared with, as result files record them; else empty.
    """

    def __init__(
        self,
        systems: dict[str, Result],
        baseline: str | None,
        seed: int,
        warnings: Sequence[Notice] = (),
        jobs: int = 1,
        progress: bool | None = False,
    ) -> None:
        self.progress = progress
        self.systems = systems
        self.baseline = baseline
        self.seed = seed
        self.jobs = jobs
        self.warnings = tuple(warnings)
        self.subsets: dict[str, dict[str, Comparison]] = {}
        self.inputs: dict[str, Any] = {}
        others = [name for name in systems if name != baseline]
        self.pairs = list(combinations(systems, 2)) if baseline is None else [(other, baseline) for other in others]
        self.resamples = resamples_for(len(self.pairs), ALPHA)

    def __getitem__(self, system: str) -> Result:
        return self.systems[system]

    def by(self, by: By, *, name: str | None = None) -> dict[str, Comparison]:
        """Return the comparisons on subsets of the items, by label; parameters are those of `Result.by`.

        A column is that of the first system which has it: an item is in one subset, whoever captioned it.
        """
        corpora = [result.corpus for result in self.systems.values()]
        corpus = next((corpus for corpus in corpora if isinstance(by, str) and by in corpus.columns), corpora[0])
        found = {
            label: Comparison(
                {name: result.select(rows) for name, result in self.systems.items()},
                self.baseline,
                self.seed,
                jobs=self.jobs,
            )
            for label, rows in divide(corpus, by).items()
        }
        self.subsets[name or name_of(by)] = found
        return found

    @property
    def smallest_p(self) -> float:
        """The smallest p-value that this number of resamples can give, before correction."""
        return 1 / (self.resamples + 1)

    @property
    def _units(self) -> Units:
        """What is resampled; all systems have the same rows."""
        return self._first.intervals.units

    @cached_property
    def tests(self) -> list[PairTest]:
        """Both paired tests for every score and every pair, corrected within each score."""
        with showing(self.progress):
            resampled = _Resampled(self.systems, self._units, self.resamples, self.seed, self.jobs)
        found: list[PairTest] = []
        for metric in resampled.metrics:
            families = zip(*(resampled.test(metric, first, second) for first, second in self.pairs), strict=True)
            for family in families:
                bootstrap = holm([test.p_bootstrap for test in family])
                randomisation = holm([test.p_randomisation for test in family])
                found.extend(
                    replace(test, p_bootstrap_holm=p, p_randomisation_holm=q)
                    for test, p, q in zip(family, bootstrap, randomisation, strict=True)
                )
        return found

    def to_rows(self) -> list[dict[str, Any]]:
        """Return a row for each test: the scores of both systems, and the interval as ``low`` and ``high``."""
        rows = []
        for test in self.tests:
            row = test.to_dict()
            row["low"], row["high"] = row.pop("interval")
            row["first_score"] = number(self[test.first][test.score].score)
            row["second_score"] = number(self[test.second][test.score].score)
            rows.append(row)
        return rows

    def item_dicts(self) -> list[dict[str, Any]]:
        """Return for each common item its id and, by system, what `Result.item_dicts` has of it."""
        columns = {name: result.item_dicts() for name, result in self.systems.items()}
        items = []
        for entries in zip(*columns.values(), strict=True):
            found = dict(zip(columns, entries, strict=True))
            item: dict[str, Any] = {"id": entries[0]["id"]}
            for key in [key for key in entries[0] if key != "id"]:
                item[key] = {name: entry[key] for name, entry in found.items()}
            items.append(item)
        return items

    def subset_dicts(self) -> dict[str, dict[str, Any]]:
        """Return scores and tests of the subsets that were asked for, as plain data."""
        kept = ("n", "systems", "tests")
        return {
            name: {
                label: {key: value for key, value in subset.to_dict(items=False).items() if key in kept}
                for label, subset in found.items()
            }
            for name, found in self.subsets.items()
        }

    def summary(self) -> dict[str, dict[str, Any]]:
        """Return the corpus scores of every system as plain data."""
        return {name: result.summary() for name, result in self.systems.items()}

    def tables(self, wanted: Presentation | None = None, form: str = "text") -> tuple[NumberTable, ...]:
        """Return the leaderboard: a row per system, a column per score; the parameters are those of `Result.tables`."""
        from caplens.output.leaderboard import Presentation, leaderboard

        wanted = wanted or Presentation()
        tests = [test.to_dict() for test in self.tests]
        return (leaderboard(self.summary(), wanted, tests, ALPHA).table(wanted, form),)

    def to_dict(self, *, items: bool = True) -> dict[str, Any]:
        """Return everything as plain data (schema 2), or all but the item scores."""
        tests = [test.to_dict() for test in self.tests]  # first: the intervals of scores come from their resamples
        body: dict[str, Any] = {
            "n": len(next(iter(self.systems.values())).ids),
            "systems": {name: {"metrics": metrics} for name, metrics in self.summary().items()},
            "baseline": self.baseline,
            "tests": tests,
            "testing": {
                "alpha": ALPHA,
                "resamples": self.resamples,
                "left_out": self._units.left_out(self.resamples, self.seed),
                "smallest_p": self.smallest_p,
                "seed": self.seed,
                "family": "one score, all tested pairs",
                "pairs": len(self.pairs),
                "scores": len(next(iter(self.systems.values()))),
                "correction": "Holm within each family; none across scores",
            },
            "resampling": next(iter(self.systems.values())).intervals.facts(),
        }
        if self.inputs:
            body["inputs"] = self.inputs
        if self.subsets:
            body["subsets"] = self.subset_dicts()
        return document({**body, "items": self.item_dicts()} if items else body, self.warnings)

    def write(self, path: str | os.PathLike[str], *, csv_safe: bool = False) -> None:
        """Write to a file, by suffix: .json (everything), .jsonl, .csv, .parquet (tests), .md, .tex (leaderboard).

        With ``csv_safe`` names that a spreadsheet would take for formulas get an apostrophe in CSV.
        """
        from caplens.output.writing import write

        write(self, path, csv_safe=csv_safe)

    def __str__(self) -> str:
        from caplens.output.comparison_view import ComparisonView
        from caplens.output.terminal import as_text

        said = [f"{notice.level}: {notice}" for notice in self.warnings]
        return "\n".join([as_text(ComparisonView(self.to_dict(items=False))), *said])

    def __repr__(self) -> str:
        return "\n".join([render([self._scores_table()], "text"), *(f"{each.level}: {each}" for each in self.warnings)])

    def _repr_html_(self) -> str:
        from caplens.output.html import comparison_html

        return comparison_html(self.to_dict(items=False), self.main_keys, self.warnings)

    @property
    def main_keys(self) -> list[str]:
        """The keys of the scores that are not details of another one, as SPICE_Object is of SPICE."""
        runs = next(iter(self.systems.values())).runs
        return [key for run in runs for key in run.metric.result_keys if key not in run.metric.details]

    def _scores_table(self) -> NumberTable:
        keys = self.main_keys
        title = f"{len(self.systems)} systems on {counted(len(self._first.corpus), 'common item')}"
        rows: list[tuple[Value, ...]] = [
            (name, *(result[key].score for key in keys)) for name, result in self.systems.items()
        ]
        columns = (Column("system"), *(Column(key, ".4f") for key in keys))
        return NumberTable(title, columns, tuple(rows), ("print() shows intervals and tests.",))

    @property
    def _first(self) -> Result:
        return next(iter(self.systems.values()))

    def to_pandas(self, what: Literal["scores", "tests", "items"] = "scores") -> pd.DataFrame:
        """Return a data frame (needs pandas).

        Parameters
        ----------
        what : {"scores", "tests", "items"}
            The corpus scores, one row per system; the paired tests; or the item scores, indexed by system and id.

        Examples
        --------
        >>> import caplens
        >>> systems = {"a": ["a dog", "two cats"], "b": ["a dog", "a bird"]}
        >>> compared = caplens.compare(systems, [["a dog"], ["two cats"]], "rouge")
        >>> compared.to_pandas()["ROUGE_L"].to_dict()
        {'a': 1.0, 'b': 0.5}
        """
        if what == "scores":
            keys = list(self._first)
            scores = {key: [result[key].score for result in self.systems.values()] for key in keys}
            return data_frame({"system": list(self.systems), **scores}, ["system"])
        if what == "tests":
            return data_frame(self.to_rows())
        if what == "items":
            columns = [result.columns() for result in self.systems.values()]
            items = {key: np.concatenate([each[key] for each in columns]) for key in columns[0]}
            names = [name for name, result in self.systems.items() for _ in result.ids]
            ids = [identifier for result in self.systems.values() for identifier in result.ids]
            return data_frame({"system": names, "id": ids, **items}, ["system", "id"])
        raise UsageError(f"`what` is one of scores, tests, items, not {what!r}.")


class _Resampled:
    """The scores of all systems on shared resamples: both kinds from one matrix product each."""

    def __init__(self, systems: dict[str, Result], units: Units, resamples: int, seed: int, jobs: int) -> None:
        self.systems = systems
        self._units = units
        self.metrics = [entry.metric for entry in next(iter(systems.values())).runs]
        tables: list[Floats] = []
        self._columns: dict[tuple[str, Metric], slice] = {}
        width = 0
        for name, result in systems.items():
            for entry in result.runs:
                tables.append(entry.statistics.table)
                self._columns[name, entry.metric] = slice(width, width + tables[-1].shape[1])
                width += tables[-1].shape[1]
        stacked = np.column_stack([*tables, np.ones(len(tables[0]))])
        self._totals = column_sums(stacked)
        self._exchanged = exchange_sums(stacked, units, resamples, seed, jobs)
        drawn = bootstrap_sums(stacked, units, resamples, seed, jobs)
        self._drawn = np.isfinite(drawn[:, -1])
        self._bootstrap = {
            (name, metric): resampled_scores(metric, drawn[:, columns], drawn[:, -1])
            for (name, metric), columns in self._columns.items()
        }
        for name, result in systems.items():
            result.intervals.adopt([self._bootstrap[name, metric] for metric in self.metrics])

    def test(self, metric: Metric, first: str, second: str) -> list[PairTest]:
        """Return the tests of two systems for all scores of a metric."""
        left, right = self._columns[first, metric], self._columns[second, metric]
        moved = self._exchanged[:, right] - self._exchanged[:, left]
        rows = np.broadcast_to(self._totals[-1], len(moved))
        exchanged = metric.aggregate(self._totals[left] + moved, rows)
        exchanged -= metric.aggregate(self._totals[right] - moved, rows)
        drawn = (self._bootstrap[first, metric] - self._bootstrap[second, metric])[self._drawn]
        if len(self._units) < 2:  # there is nothing to compare an exchange with
            exchanged = np.full_like(exchanged, np.nan)
        tests = []
        for place, key in enumerate(metric.result_keys):
            ours, theirs = self.systems[first][key], self.systems[second][key]
            observed = ours.score - theirs.score
            tests.append(
                PairTest(
                    score=key,
                    first=first,
                    second=second,
                    difference=observed,
                    interval=percentile_interval(drawn[:, place]),
                    effect=paired_effect_size(ours.item_scores - theirs.item_scores),
                    # Centred on the observed difference, the bootstrap samples show what chance alone does.
                    p_bootstrap=two_sided_p(drawn[:, place] - observed, observed),
                    p_randomisation=two_sided_p(exchanged[:, place], observed),
                )
            )
        return tests
