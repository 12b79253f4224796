"""Compare systems on the same items: intervals, paired tests, effect sizes, corrected for multiple testing."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import combinations
from pathlib import Path
from typing import Any

import numpy as np

from caplens._version import __version__
from caplens.api.inputs import Candidates, References, cache_folder, check_at_least
from caplens.api.result import Result
from caplens.api.scoring import MetricRequest
from caplens.core.batch import span
from caplens.core.metric import Floats, Metric
from caplens.core.plan import fit, run
from caplens.core.prepared import PreparedReferences, Usage, prepare
from caplens.core.registry import Selection, select
from caplens.core.scores import SCHEMA, resampled_scores
from caplens.corpus import CaptionTable, Corpus, Missing, pair_systems, reference_table, table_of, unique_ids
from caplens.errors import SHOWN_IDS, InputError, Notice, UsageError
from caplens.files.threads import available_cpus
from caplens.stats import SEED
from caplens.stats.resampling import Units, bootstrap_sums, exchange_sums, percentile_interval
from caplens.stats.significance import holm, paired_effect_size, resamples_for, two_sided_p
from caplens.stats.sums import column_sums

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
            clean = [number if isinstance(number, str) or np.isfinite(number) else None for number in numbers]
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
    """

    def __init__(
        self,
        systems: dict[str, Result],
        baseline: str | None,
        seed: int,
        warnings: Sequence[Notice] = (),
        jobs: int = 1,
    ) -> None:
        self.systems = systems
        self.baseline = baseline
        self.seed = seed
        self.jobs = jobs
        self.warnings = tuple(warnings)
        others = [name for name in systems if name != baseline]
        self.pairs = list(combinations(systems, 2)) if baseline is None else [(other, baseline) for other in others]
        self.resamples = resamples_for(len(self.pairs), ALPHA)

    def __getitem__(self, system: str) -> Result:
        return self.systems[system]

    @property
    def smallest_p(self) -> float:
        """The smallest p-value that this number of resamples can give, before correction."""
        return 1 / (self.resamples + 1)

    @property
    def _units(self) -> Units:
        """What is resampled; all systems have the same rows."""
        return next(iter(self.systems.values())).intervals.units

    @cached_property
    def tests(self) -> list[PairTest]:
        """Both paired tests for every score and every pair, corrected within each score."""
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

    def to_dict(self) -> dict[str, Any]:
        """Return everything but the item scores as plain data."""
        tests = [test.to_dict() for test in self.tests]
        return {
            "schema": SCHEMA,
            "caplens": __version__,
            "items": len(next(iter(self.systems.values())).ids),
            "systems": {name: result.summary() for name, result in self.systems.items()},
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
            "warnings": [notice.to_dict() for notice in self.warnings],
        }

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a file; the suffix says how: .json (everything), .jsonl, .csv or .parquet (the tests)."""
        from caplens.writers.files import write_comparison

        write_comparison(self.to_dict(), path)

    def __str__(self) -> str:
        from caplens.writers.terminal import as_text, comparison_view

        return as_text(comparison_view(self.to_dict()))

    __repr__ = __str__


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


def compare(
    systems: Mapping[str, Candidates],
    references: References,
    metrics: MetricRequest = None,
    *,
    baseline: str | None = None,
    tokenizer: str = "ptb",
    missing: Missing = "error",
    jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    seed: int = SEED,
) -> Comparison:
    """Compare systems on the items they have in common.

    Parameters
    ----------
    systems : mapping of str to candidates
        The captions of each system, as for `score`.
    references : sequence or mapping
        As for `score`; prepared once for all systems.
    metrics : str or list, optional
        In the metric grammar.
    baseline : str, optional
        Test every system against this one only; by default all pairs are tested.
    tokenizer, missing, jobs, cache, seed
        As for `score`.

    Examples
    --------
    >>> comparison = compare(
    ...     {"a": ["a dog", "two cats"], "b": ["a dog", "a bird"]}, [["a dog"], ["two cats"]], metrics="rouge"
    ... )
    >>> [(test.first, test.second, test.difference) for test in comparison.tests]
    [('a', 'b', 0.5)]
    """
    if not isinstance(systems, Mapping):
        raise UsageError(f"Systems are a mapping from name to captions, not {type(systems).__name__}.")
    if len(systems) < 2:
        raise UsageError("A comparison needs at least two systems.")
    if baseline is not None and baseline not in systems:
        raise UsageError(f"The baseline {baseline!r} is not one of the systems: {', '.join(systems)}.")
    check_at_least(1, jobs=jobs)
    check_at_least(0, seed=seed)
    jobs = jobs or available_cpus()
    selection = select(metrics, tokenizer=tokenizer)
    theirs = reference_table(references)
    tables = {name: table_of(captions, f"System {name!r}", f"system {name!r}") for name, captions in systems.items()}
    _check_kinds(tables)
    corpora, notices = _common_corpora(tables, theirs, missing)
    results, found = _score_all(corpora, selection, jobs, cache_folder(cache), seed)
    learned = [notice for entry in next(iter(results.values())).runs for notice in entry.state.notices]
    # A combination repeats what the metrics that it combines have to say.
    said = tuple(dict.fromkeys([*notices, *selection.left_out, *found, *learned]))
    return Comparison(results, baseline, seed, said, jobs)


def _score_all(
    corpora: dict[str, Corpus], selection: Selection, jobs: int, cache: Path | None, seed: int
) -> tuple[dict[str, Result], list[Notice]]:
    """Score all systems against one prepared reference side, with one state for all; also what was found on the way."""
    shared = next(iter(corpora.values()))
    references = PreparedReferences(shared.references, jobs, cache)
    states = fit(selection.metrics, references, Usage.of(shared))
    results = {}
    found: dict[Notice, None] = {}
    for name, corpus in corpora.items():
        prepared = prepare(corpus, references, jobs, cache)
        runs = run(selection.metrics, prepared, states)
        counts = span(np.diff(corpus.references.offsets))
        warnings = (*corpus.notices, *prepared.notices)
        found.update(dict.fromkeys(prepared.notices))
        results[name] = Result(corpus.ids, runs, references=counts, groups=corpus.groups, warnings=warnings, seed=seed)
    return results, list(found)


def _check_kinds(tables: dict[str, CaptionTable]) -> None:
    """Refuse systems by position beside systems by id, and lists of different lengths."""
    first = next(iter(tables))
    for name, table in tables.items():
        if table.by_position != tables[first].by_position:
            by_position, by_id = (first, name) if tables[first].by_position else (name, first)
            raise InputError(
                f"The captions of {by_position} are given by position but those of {by_id} by id: use the same for all."
            )
        if table.by_position and len(table.ids) != len(tables[first].ids):
            raise InputError(
                f"{first} has {len(tables[first].ids):,} captions but {name} has {len(table.ids):,}: matched by "
                "position, the numbers must be the same."
            )


def _restricted(table: CaptionTable, ids: list[str], rows: dict[str, int]) -> CaptionTable:
    """Keep the captions of some ids, in their order."""
    images = None if table.images is None else [table.images[rows[identifier]] for identifier in ids]
    return replace(table, ids=ids, captions=[table.captions[rows[identifier]] for identifier in ids], images=images)


def _common_corpora(
    tables: dict[str, CaptionTable], references: CaptionTable, missing: Missing
) -> tuple[dict[str, Corpus], list[Notice]]:
    """Restrict every system to the ids that all have, in the order of the first."""
    rows = {name: {key: row for row, key in enumerate(unique_ids(table))} for name, table in tables.items()}
    shared = set.intersection(*(set(places) for places in rows.values()))
    common = [identifier for identifier in next(iter(rows.values())) if identifier in shared]
    if not common:
        raise InputError("The systems have no ids in common.")
    notices = []
    for name, places in rows.items():
        left_out = [identifier for identifier in places if identifier not in shared]
        if left_out:
            share = f"{len(left_out):,} of {len(places):,} items"
            message = f"{share} of {name} are left out because another system lacks them"
            notices.append(Notice("not-common", message, len(left_out), tuple(left_out[:SHOWN_IDS])))
    restricted = [_restricted(tables[name], common, places) for name, places in rows.items()]
    corpora = dict(zip(tables, pair_systems(restricted, common, references, missing), strict=True))
    about_all = set.intersection(*(set(corpus.notices) for corpus in corpora.values()))
    notices.extend(notice for notice in next(iter(corpora.values())).notices if notice in about_all)
    notices.extend(
        replace(notice, message=f"{name}: {notice.message}")
        for name, corpus in corpora.items()
        for notice in corpus.notices
        if notice not in about_all
    )
    return corpora, notices
