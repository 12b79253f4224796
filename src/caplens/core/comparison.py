"""Systems compared on the same items: intervals, paired tests, effect sizes, corrected for multiple testing."""

from __future__ import annotations

import copy
import os
from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from itertools import combinations
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from caplens.core.frames import data_frame
from caplens.core.paired import PairTest, Resampled
from caplens.core.replicates import Replicates
from caplens.core.result import Result
from caplens.core.subsets import By, divide, name_of
from caplens.errors import Notice, UsageError, counted
from caplens.output.document import document, number
from caplens.output.progress import showing
from caplens.output.tables import Column, NumberTable, Value, render
from caplens.stats.resampling import Units
from caplens.stats.significance import holm, resamples_for

if TYPE_CHECKING:
    import pandas as pd

    from caplens.output.presentation import Presentation

ALPHA = 0.05


class Comparison:
    """Systems scored on their common items, and the tests between them.

    Attributes
    ----------
    systems : dict of str to Result
        Each system's scores; those of a system with several training runs are means over the runs (`Replicates`).
    baseline : str or None
        The system that all others are tested against; without one, all pairs are tested.
    pairs : list of (str, str)
        The pairs that are tested: one family per score.
    resamples : int
        Number of resamples of each test, large enough for corrected tests to reject.
    warnings : tuple of Notice
        Warnings and notes about the input.
    subsets : dict of str to dict
        Comparisons of subsets requested with `by`; files include them.
    inputs : dict
        Files and settings of the command line, as recorded in result files; otherwise empty.
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

    def with_captions(self) -> Comparison:
        """Return the same comparison with the candidates of every system and the references in .json files and frames.

        Examples
        --------
        >>> import caplens
        >>> found = caplens.compare({"a": ["a dog"], "b": ["a cat"]}, [["two dogs"]], "rouge")
        >>> found.with_captions().to_dict()["items"][0]["candidates"]
        {'a': 'a dog', 'b': 'a cat'}
        """
        found = copy.copy(self)
        found.systems = {name: result.with_captions() for name, result in self.systems.items()}
        return found

    def by(self, by: By, *, name: str | None = None) -> dict[str, Comparison]:
        """Return the comparisons on subsets of the items, by label; parameters are those of `Result.by`.

        A column is taken from the first system that has it, so an item belongs to one subset for all systems.
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
            resampled = Resampled(self.systems, self.pairs, self._units, self.resamples, self.seed, self.jobs)
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
        """Return the id of each common item and, by system, the same entries as `Result.item_dicts`.

        With `with_captions`, ``references`` and ``candidates`` (by system) are included.
        """
        columns = {name: result.item_dicts() for name, result in self.systems.items()}
        items = []
        for entries in zip(*columns.values(), strict=True):
            found = dict(zip(columns, entries, strict=True))
            item: dict[str, Any] = {"id": entries[0]["id"]}
            for key in dict.fromkeys(key for entry in entries for key in entry if key != "id"):
                if key.startswith("reference"):  # the same for all systems
                    item[key] = entries[0][key]
                else:
                    plural = f"{key}s" if key.startswith("candidate") else key
                    item[plural] = {name: entry[key] for name, entry in found.items() if key in entry}
            items.append(item)
        return items

    def subset_dicts(self) -> dict[str, dict[str, Any]]:
        """Return the scores and tests of the requested subsets as plain data."""
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
        from caplens.output.leaderboard import leaderboard
        from caplens.output.presentation import Presentation

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
        if any(isinstance(result, Replicates) for result in self.systems.values()):
            body["testing"]["runs"] = {
                name: len(result.each) if isinstance(result, Replicates) else 1 for name, result in self.systems.items()
            }
        if self.subsets:
            body["subsets"] = self.subset_dicts()
        return document({**body, "items": self.item_dicts()} if items else body, self.warnings)

    def write(self, path: str | os.PathLike[str], *, csv_safe: bool = False, report: object = None) -> None:
        """Write to a file: .json (everything), .jsonl, .csv, .parquet (tests), .md, .tex (leaderboard), .html (report).

        With ``csv_safe``, names that a spreadsheet would read as formulas are escaped in CSV; ``report`` specifies
        what a page includes (`caplens.report.ReportSettings`).
        """
        from caplens.output.writing import write

        write(self, path, csv_safe=csv_safe, report=report)

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
            items: dict[str, Any] = {}
            shown = [result.caption_columns() for result in self.systems.values()]
            for key in dict.fromkeys(key for captions in shown for key in captions):
                items[key] = [entry for each in shown for entry in each.get(key, [None] * len(self._first.ids))]
            items |= {key: np.concatenate([each[key] for each in columns]) for key in columns[0]}
            names = [name for name, result in self.systems.items() for _ in result.ids]
            ids = [identifier for result in self.systems.values() for identifier in result.ids]
            return data_frame({"system": names, "id": ids, **items}, ["system", "id"])
        raise UsageError(f"`what` must be one of scores, tests, items, not {what!r}.")
