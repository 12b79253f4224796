"""Results: what comes out of scoring, with everything that can be derived from the statistics."""

from __future__ import annotations

import copy
import os
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Self

from caplens.arrays import Floats, Integers
from caplens.core.frames import data_frame, number_column, text_column
from caplens.core.intervals import Intervals
from caplens.core.items import Items, numbers
from caplens.core.metric import Metric
from caplens.core.plan import Run
from caplens.core.state import State
from caplens.core.statistics import Share, Statistics
from caplens.core.subsets import By, divide, name_of
from caplens.corpus import Corpus, caption_columns
from caplens.errors import MissingScoreError, Notice, counted
from caplens.output.document import document, encode, number
from caplens.stats import SEED
from caplens.stats.significance import LEAST_RESAMPLES

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

    from caplens.output.presentation import Presentation
    from caplens.output.tables import NumberTable


@dataclass(frozen=True, eq=False)
class PartScore:
    """One part of a score, such as its precision: of the corpus, and of each item (NaN where there is none)."""

    score: float
    item_scores: Floats


@dataclass(frozen=True, eq=False)
class Score:
    """One score of one system.

    Attributes
    ----------
    name : str
        Its key in results, such as ``CIDEr``.
    place : int
        Its index among the scores of its metric.
    run : Run
        Its metric, with what it learned and its statistics.
    facts : mapping of str to str
        Facts about the captions in the signature: rows, references (``5``, or ``4-6``), number of truncated captions.
    intervals : Intervals
        Those of all scores of the result.
    """

    name: str
    place: int
    run: Run
    facts: Mapping[str, str]
    intervals: Intervals

    @property
    def score(self) -> float:
        """The corpus score."""
        return float(self.run.corpus_scores[self.place])

    @property
    def item_scores(self) -> Floats:
        """One score per item, in input order; NaN if undefined."""
        return self.run.item_scores[:, self.place]

    @cached_property
    def parts(self) -> dict[str, PartScore]:
        """Components of the score by name (``precision`` and ``recall`` of SPICE); empty for most metrics."""
        metric = self.run.metric
        return {
            name: PartScore(float(self.run.corpus_parts[self.place, part]), self.run.item_parts[:, self.place, part])
            for part, name in enumerate(metric.part_names)
            if name in metric.shown_parts
        }

    @property
    def interval(self) -> tuple[float, float]:
        """95 % bootstrap interval of the corpus score; what the metric learned from references stays fixed."""
        return self.intervals.by_key[self.name]

    @cached_property
    def signature(self) -> str:
        """Everything needed to repeat the score, in the metric grammar."""
        return self.run.metric.signature(self.run.state, self.facts)

    def __float__(self) -> float:
        return self.score

    def __repr__(self) -> str:
        return f"Score({self.name}={self.score:.4f}, {counted(len(self.item_scores), 'item')})"


class Result(Mapping[str, Score]):
    """Scores of one system: a mapping from name to score that ignores case. It prints as a table.

    Attributes
    ----------
    corpus : Corpus
        What was scored.
    runs : tuple of Run
        Each metric with what it learned and its statistics.
    warnings : tuple of Notice
        Warnings and notes about the input and the request.
    subsets : dict of str to dict
        Results of subsets requested with `by`; files include them.
    facts : dict of str to str
        Facts about the captions in signatures.
    inputs : dict
        Files and settings of the command line, as recorded in result files; otherwise empty.
    shows_captions : bool
        Whether files and frames include candidates and references, see `with_captions`.

    Examples
    --------
    >>> import caplens
    >>> result = caplens.score({7: "two dogs"}, {7: ["two dogs run"]}, "rouge")
    >>> result.ids, list(result), round(result["rouge_l"].score, 3)
    ([7], ['ROUGE_L'], 0.772)
    """

    def __init__(
        self,
        corpus: Corpus,
        runs: Sequence[Run],
        *,
        facts: Mapping[str, str] | None = None,
        warnings: Sequence[Notice] = (),
        resamples: int = LEAST_RESAMPLES,
        seed: int = SEED,
        jobs: int = 1,
    ) -> None:
        self.corpus = corpus
        self.runs = tuple(runs)
        # A combination repeats what the metrics that it combines have to say.
        self.warnings = tuple(dict.fromkeys([*warnings, *(notice for run in runs for notice in run.state.notices)]))
        labels = corpus.ids if corpus.groups is None else corpus.groups
        self.intervals = Intervals(self.runs, labels, resamples, seed, jobs)
        self.further_facts = dict(facts or {})
        if corpus.several:
            self.further_facts = {"several": corpus.several, **self.further_facts}
        self.subsets: dict[str, dict[str, Result]] = {}
        self.inputs: dict[str, Any] = {}
        self.shows_captions = False
        self.facts = {"rows": str(len(corpus)), "references": corpus.references.span, **self.further_facts}
        self._scores = {
            key: Score(key, place, run, self.facts, self.intervals)
            for run in self.runs
            for place, key in enumerate(run.metric.result_keys)
        }
        self._by_lower_case = {key.lower(): key for key in self._scores}

    @property
    def ids(self) -> list[Any]:
        """The items' ids, in input order: as they were given in Python, as text from files."""
        return self.corpus.ids if self.corpus.given_ids is None else self.corpus.given_ids

    @property
    def groups(self) -> list[str] | None:
        """The group of each item, if intervals resample groups."""
        return self.corpus.groups

    @property
    def states(self) -> dict[Metric, State]:
        """What each metric learned from references."""
        return {run.metric: run.state for run in self.runs}

    def select(self, rows: Integers) -> Result:
        """Return the result for a subset of the rows, with document frequencies and the like from all rows."""
        runs = [
            replace(run, statistics=Statistics(run.statistics.columns, run.statistics.table[rows]), coverage={})
            for run in self.runs
        ]
        drawn = self.intervals
        return Result(
            self.corpus.select(rows),
            runs,
            facts=self.further_facts,
            resamples=drawn.resamples,
            seed=drawn.seed,
            jobs=drawn.jobs,
        )

    def by(self, by: By, *, name: str | None = None) -> dict[str, Result]:
        """Return the results of subsets of the rows, by label.

        Parameters
        ----------
        by : str, mapping or sequence
            A column of the candidates (``domain`` of nocaps); ``"length"`` for the mean number of words of the
            references; labels by id; or one label per row. Many different numbers are divided into fifths.
        name : str, optional
            Name of the subsets in files; by default, the name of the column.

        Notes
        -----
        What a metric learned from the references, such as document frequencies, comes from all rows.

        Examples
        --------
        >>> import caplens
        >>> columns = {"domain": ["in", "out"]}
        >>> result = caplens.score(["a dog", "a cat"], [["a dog"], ["two cats"]], "rouge", columns=columns)
        >>> {label: subset["ROUGE_L"].score for label, subset in result.by("domain").items()}
        {'in': 1.0, 'out': 0.0}
        """
        found = {label: self.select(rows) for label, rows in divide(self.corpus, by).items()}
        self.subsets[name or name_of(by)] = found
        return found

    def with_captions(self) -> Self:
        """Return the same result with candidates and references in its files, rows and frames.

        Examples
        --------
        >>> import caplens
        >>> result = caplens.score({7: "two dogs"}, {7: ["two dogs run"]}, "rouge(label=R)")
        >>> list(result.with_captions().to_rows()[0])
        ['id', 'candidate', 'references', 'R']
        """
        found = copy.copy(self)
        found.shows_captions = True
        return found

    def caption_columns(self) -> dict[str, list[Any]]:
        """Return the columns of candidates and references if they are shown; otherwise none."""
        return caption_columns(self.corpus) if self.shows_captions else {}

    def __getitem__(self, key: str) -> Score:
        if key not in self:
            raise MissingScoreError(self._without(key))
        return self._scores[self._by_lower_case[key.lower()]]

    def _without(self, key: object) -> str:
        """Say why there is no such score."""
        asked = str(key).lower().partition("_")[0]
        left_out = [str(notice) for notice in self.warnings if notice.code == "metric-left-out"]
        reason = next((f"; {notice}" for notice in left_out if notice.startswith(asked)), "")
        return f"There is no score {key!r} in this result, only {', '.join(self)}{reason}"

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.lower() in self._by_lower_case

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __str__(self) -> str:
        from caplens.output.terminal import as_text, score_table

        said = [f"{notice.level}: {notice}" for notice in self.warnings]
        return "\n".join([as_text(score_table(self.summary())), *said])

    __repr__ = __str__

    def _repr_html_(self) -> str:
        from caplens.output.html import scores_html
        from caplens.output.presentation import SEVERAL

        notes = [SEVERAL[self.corpus.several]] if self.corpus.several else []
        return scores_html(self, counted(len(self.corpus), "item"), self.warnings, notes)

    def summary(self, *, intervals: bool = True) -> dict[str, dict[str, Any]]:
        """Return the corpus scores with intervals and signatures as plain data."""
        metrics = {}
        for key, score in self.items():
            entry: dict[str, Any] = {"score": number(score.score)}
            if intervals:
                entry["interval"] = [number(bound) for bound in score.interval]
            entry.update((name, number(part.score)) for name, part in score.parts.items())
            metric = score.run.metric
            if key in metric.details:
                entry["detail_of"] = metric.details[key]
            else:  # what is said of a metric belongs to its main score
                shares = score.run.coverage.items()
                entry.update((name, share.value if isinstance(share, Share) else share) for name, share in shares)
            if not metric.higher_is_better:
                entry["higher_is_better"] = False
            if key in metric.percent_keys:
                entry["percent"] = True
            if self.corpus.several:
                entry["several"] = self.corpus.several
            entry["signature"] = score.signature
            metrics[key] = entry
        return metrics

    def columns(self) -> dict[str, Floats]:
        """Return the item scores by key, then those of their parts as ``KEY_part``."""
        columns = {key: score.item_scores for key, score in self.items()}
        for key, score in self.items():
            columns.update((f"{key}_{name}", part.item_scores) for name, part in score.parts.items())
        return columns

    def to_rows(self) -> list[dict[str, Any]]:
        """Return one row per item: its id and its `columns`; undefined values are None."""
        captions = self.caption_columns()
        columns = self.columns()
        names = ("id", *captions, *columns)
        values = zip(self.corpus.ids, *captions.values(), *map(numbers, columns.values()), strict=True)
        return [dict(zip(names, row, strict=True)) for row in values]

    def to_dict(self, *, intervals: bool = True, items: Any = None) -> dict[str, Any]:  # noqa: ANN401 (JSON, perhaps)
        """Return everything as plain data (schema 2); undefined values are None.

        ``items`` replaces `item_dicts` if given.
        """
        drawn = {"resampling": self.intervals.facts()} if intervals else {}
        body = {"metrics": self.summary(intervals=intervals), **drawn}
        if self.inputs:
            body["inputs"] = self.inputs
        if self.subsets:
            body["subsets"] = self.subset_dicts(intervals=intervals)
        body["items"] = self.item_dicts() if items is None else items
        return document(body, self.warnings)

    def to_json(self) -> bytes:
        """Return `to_dict` as JSON."""
        return encode(self.to_dict(items=self._items.json()))

    def subset_dicts(self, *, intervals: bool = True) -> dict[str, dict[str, Any]]:
        """Return the scores of the requested subsets as plain data."""
        return {
            name: {
                label: {"n": len(subset.ids), "metrics": subset.summary(intervals=intervals)}
                for label, subset in found.items()
            }
            for name, found in self.subsets.items()
        }

    def item_dicts(self) -> list[dict[str, Any]]:
        """Return the id, scores and parts of scores of each item as plain data.

        With `with_captions`, ``candidate`` and ``references`` follow the id.
        """
        return self._items.dicts()

    @property
    def _items(self) -> Items:
        described = {"id": self.corpus.ids, **self.caption_columns()}
        parts = {key: tuple(score.parts) for key, score in self.items() if score.parts}
        return Items(described, self.columns(), tuple(self), parts)

    def tables(self, wanted: Presentation | None = None, name: str = "", form: str = "text") -> tuple[NumberTable, ...]:
        """Return the corpus scores as a table with one row and a column per score.

        Parameters
        ----------
        wanted : Presentation, optional
            The style, and whether to show details and intervals.
        name : str
            The name of the system.
        form : str
            The format; ``csv`` has separate columns for the bounds of intervals.
        """
        from caplens.output.leaderboard import leaderboard
        from caplens.output.presentation import Presentation

        wanted = wanted or Presentation()
        return (leaderboard({name: self.summary()}, wanted).table(wanted, form),)

    def to_arrow(self) -> pa.Table:
        """Return the item scores as an Arrow table: ``id``, one column per score, then the parts of scores."""
        from caplens.files.packages import require_arrow

        require_arrow("Arrow tables")
        import pyarrow as pa

        columns = {"id": text_column(self.corpus.ids)}
        columns.update((name, pa.array(values)) for name, values in self.caption_columns().items())
        for key, values in self.columns().items():
            columns[key] = number_column(values)
        return pa.table(columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return the item scores as a data frame indexed by id (needs pandas)."""
        return data_frame({"id": self.ids, **self.caption_columns(), **self.columns()}, ["id"])

    def write(self, path: str | os.PathLike[str], *, csv_safe: bool = False, report: object = None) -> None:
        """Write to a file in the format of its suffix: .json, .jsonl, .csv, .parquet, .md, .tex or .html.

        With ``csv_safe``, ids that a spreadsheet would read as formulas are escaped in CSV; ``report`` specifies what
        a page includes (`caplens.report.ReportSettings`).
        """
        from caplens.output.writing import write

        write(self, path, csv_safe=csv_safe, report=report)
