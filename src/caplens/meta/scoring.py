"""Scores of judged captions: by registered metrics, and from a file of the user's own."""

from __future__ import annotations

import math
import os
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TypeVar

import numpy as np

from caplens.arrays import Floats, Integers
from caplens.core.evaluator import Evaluator
from caplens.core.metric import Metric
from caplens.core.prepared import Usage
from caplens.core.result import Result
from caplens.core.selection import MetricRequest, Selection, select
from caplens.corpus import Corpus, PairedTable, from_pairs
from caplens.errors import InputError, Notice, UsageError, counted, name_some
from caplens.files.telling import setting
from caplens.meta.outcome import IF_ANY
from caplens.readers.records import Record, number, numbers, read_records
from caplens.readers.scores import row_by_id
from caplens.text import MAX_WORDS

Variant = TypeVar("Variant", bound=Hashable)
OwnScores = str | os.PathLike[str] | Sequence[Record] | None

NO_METRICS = "none"
"""The request for no registered metric: only scores of the user's own."""


@dataclass(frozen=True)
class ScoreFacts:
    """The signature of a score and, of a detail, the score that it belongs to."""

    signature: str
    detail_of: str | None = field(default=None, metadata=IF_ANY)


@dataclass(frozen=True, eq=False)
class ScoreColumns:
    """Scores of rows by key, the signature of each, and what was odd.

    ``details`` are the scores that are details of another, each with that one's key, and ``lower_is_better`` those
    whose lower values are better.
    """

    columns: dict[str, Floats]
    signatures: dict[str, str]
    notices: tuple[Notice, ...] = ()
    details: dict[str, str] = field(default_factory=dict)
    lower_is_better: frozenset[str] = frozenset()

    @classmethod
    def of(
        cls,
        metrics: Sequence[Metric],
        columns: dict[str, Floats],
        signatures: dict[str, str],
        notices: tuple[Notice, ...],
    ) -> ScoreColumns:
        """Take scores of metrics, with what the metrics declare about them."""
        details = {key: main for metric in metrics for key, main in metric.details.items() if {key, main} <= {*columns}}
        falling = frozenset(key for metric in metrics for key in metric.falling_keys)
        return cls(columns, signatures, notices, details, falling)

    def without_details(self) -> ScoreColumns:
        """Return the scores without those that are details of another, such as SPICE_Object of SPICE."""
        columns = {key: column for key, column in self.columns.items() if key not in self.details}
        return replace(self, columns=columns, signatures={key: self.signatures[key] for key in columns}, details={})

    def ranked(self) -> dict[str, Floats]:
        """Return the scores with the sign changed where lower ones are better, so that higher ones always are."""
        return {key: -column if key in self.lower_is_better else column for key, column in self.columns.items()}

    def describe(self, key: str) -> ScoreFacts:
        """Return what result files say about a score."""
        return ScoreFacts(self.signatures[key], self.details.get(key))

    def and_those(self, other: ScoreColumns, source: object) -> ScoreColumns:
        """Return both together; a name may stand only once, whatever its case."""
        taken = {key.lower() for key in self.columns}
        twice = [key for key in other.columns if key.lower() in taken]
        if twice:
            raise UsageError(f"{source} has a column {twice[0]!r}, which is also a score requested with -m: rename it.")
        return ScoreColumns(
            {**self.columns, **other.columns},
            {**self.signatures, **other.signatures},
            (*self.notices, *other.notices),
            {**self.details, **other.details},
            self.lower_is_better | other.lower_is_better,
        )


@dataclass(frozen=True)
class ScoringOptions:
    """What to score with.

    Attributes
    ----------
    metrics : str, Metric or list, optional
        In the metric grammar; ``"none"`` for the user's own scores alone.
    scores : path or rows, optional
        The user's own scores: a file (CSV, TSV, JSON, JSON lines, Parquet) with a column ``id`` and columns of numbers.
    tokenizer, jobs, parses, max_words
        As for `caplens.score`.
    """

    metrics: MetricRequest = None
    scores: OwnScores = None
    tokenizer: str = "ptb"
    jobs: int | None = None
    parses: str | os.PathLike[str] | None = None
    max_words: int = MAX_WORDS
    selection: Selection | None = field(init=False, default=None)

    def __post_init__(self) -> None:
        wanted = self.metrics.strip().lower() if isinstance(self.metrics, str) else self.metrics
        if wanted != NO_METRICS:
            object.__setattr__(self, "selection", select(self.metrics, tokenizer=self.tokenizer))
        elif self.scores is None:
            raise UsageError(
                f"There is nothing to judge: specify metrics or a file of scores ({setting('scores', 'FILE')})."
            )


def score_rows(
    options: ScoringOptions,
    ids: list[str],
    candidates: list[str],
    references: list[tuple[str, ...]],
    images: list[str],
    repeats: Integers | None = None,
) -> ScoreColumns:
    """Score captions with the metrics and the user's own scores.

    Parameters
    ----------
    options : ScoringOptions
        What to score with.
    ids, candidates, references, images
        One entry per caption.
    repeats : numpy.ndarray of int, optional
        How many rows of the study each caption stands for. A caption is scored once, but metrics that learn from rows
        (the document frequencies of CIDEr) see all of them, as in the reference tool.
    """
    found = ScoreColumns({}, {})
    if options.selection is not None:
        table = PairedTable(ids, candidates, references, "the judged captions", images)
        found = _by_metrics(options, options.selection, table, repeats)
    own = read_own_scores(options, ids)
    return found if own is None else found.and_those(*own)


def read_own_scores(options: ScoringOptions, ids: list[str]) -> tuple[ScoreColumns, str] | None:
    """Return the user's own scores of some ids and where they come from, or None where there are none."""
    if options.scores is None:
        return None
    if isinstance(options.scores, str | os.PathLike):
        source = os.fspath(options.scores)
        return own_scores(read_records(source), ids, source), source
    return own_scores(options.scores, ids, "the scores"), "the scores"


def score_variants(
    options: ScoringOptions, ids: list[str], variants: Mapping[Variant, list[str]], references: list[tuple[str, ...]]
) -> dict[Variant, ScoreColumns]:
    """Score several versions of the same captions; references are prepared once, and metrics learn from them once.

    Parameters
    ----------
    options : ScoringOptions
        What to score with; scores of the user's own have no place here.
    ids, references
        One entry per caption; an id is an image.
    variants : mapping to list of str
        The captions by the version, whatever it is called.
    """
    if options.selection is None:
        return {name: ScoreColumns({}, {}) for name in variants}
    found: dict[Variant, ScoreColumns] = {}
    evaluator: Evaluator | None = None
    for name, captions in variants.items():
        corpus = from_pairs(PairedTable(ids, captions, references, str(name)))
        if evaluator is None:
            evaluator = _evaluator(options, options.selection, corpus, Usage.of(corpus))
        found[name] = _columns(evaluator.score(corpus), len(corpus))
    return found


def _by_metrics(
    options: ScoringOptions, selection: Selection, table: PairedTable, repeats: Integers | None
) -> ScoreColumns:
    corpus = from_pairs(table)
    evaluator = _evaluator(options, selection, corpus, Usage.of(corpus, repeats))
    return _columns(evaluator.score(corpus), len(corpus) if repeats is None else int(repeats.sum()))


def _evaluator(options: ScoringOptions, selection: Selection, corpus: Corpus, usage: Usage) -> Evaluator:
    return Evaluator(
        selection,
        corpus.references,
        documents=usage,
        jobs=options.jobs,
        parses=options.parses,
        max_words=options.max_words,
    )


def _columns(result: Result, rows: int) -> ScoreColumns:
    """Take the item scores; ``rows`` is how many rows the metrics learned from."""
    return ScoreColumns.of(
        [entry.metric for entry in result.runs],
        {key: score.item_scores for key, score in result.items()},
        {
            key: score.run.metric.signature(score.run.state, {**score.facts, "rows": str(rows)})
            for key, score in result.items()
        },
        result.warnings,
    )


def own_scores(rows: Sequence[Record], ids: list[str], source: str) -> ScoreColumns:
    """Match the user's own scores with the rows of a study by id.

    Every column with numbers is a score, and a cell in it that is neither a number nor empty is refused; columns
    without a number are passed over.

    Examples
    --------
    >>> found = own_scores([{"id": 2, "Mine": 0.5}, {"id": 1, "Mine": 0.25}], ["1", "2"], "scores.csv")
    >>> found.columns["Mine"].tolist()
    [0.25, 0.5]
    """
    place = row_by_id(rows, source)
    missing = [key for key in ids if key not in place]
    if missing:
        raise InputError(
            f"{source} has no scores for {len(missing):,} of the {len(ids):,} rows of the study "
            f"({name_some(missing)}): write the rows with {setting('items', 'FILE')} and score all of them."
        )
    columns = {}
    for name in dict.fromkeys(name for row in rows for name in row if name != "id"):
        if any(math.isfinite(number(row.get(name))) for row in rows):
            columns[name] = np.array(numbers(rows, name, source))[[place[key] for key in ids]]
    if not columns:
        raise InputError(f"{source} has no column of numbers besides 'id'.")
    unused = len(rows) - len(ids)
    notices = []
    if unused:
        notices.append(
            Notice("unused-scores", f"{counted(unused, 'row')} of {source} that the study does not use", unused)
        )
    return ScoreColumns(columns, dict.fromkeys(columns, f"scores from {Path(source).name}"), tuple(notices))
