"""What is to be done with every part of a corpus: metrics and settings, as data that goes to any process."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import Any

from caplens._version import __version__
from caplens.core.metric import Metric
from caplens.core.plan import columns_of
from caplens.core.selection import MetricRequest, select
from caplens.core.settings import check_at_least
from caplens.corpus import Missing
from caplens.errors import Notice, UsageError
from caplens.readers import ReadOptions
from caplens.scale.files import digest_of_file, digest_of_text
from caplens.stats import SEED
from caplens.stats.significance import LEAST_RESAMPLES
from caplens.text import MAX_WORDS

BATCH_ROWS = 20_000
"""Rows that are scored at a time: fewer pay too often for what each batch costs, more need more memory."""


@dataclass(frozen=True, kw_only=True)
class Task:
    """What is done with the rows of each file; `Task.of` makes one.

    Attributes
    ----------
    metrics : tuple of Metric
        What is computed.
    references : tuple of str
        Files of references; none where the rows carry them.
    reading : ReadOptions
        How files are read.
    missing : {"error", "skip", "zero"}
        What to do with candidates that have no references.
    jobs : int, optional
        Threads.
    parses : str, optional
        A folder that keeps SPICE's parses.
    max_words, resamples, seed : int
        As for `caplens.score`.
    batch_rows : int
        How many rows are scored at a time.
    left_out : tuple of Notice
        Metrics of a group that are not ready here.
    """

    metrics: tuple[Metric, ...]
    references: tuple[str, ...] = ()
    reading: ReadOptions = field(default_factory=ReadOptions)
    missing: Missing = "error"
    jobs: int | None = None
    parses: str | None = None
    max_words: int = MAX_WORDS
    resamples: int = LEAST_RESAMPLES
    seed: int = SEED
    batch_rows: int = BATCH_ROWS
    left_out: tuple[Notice, ...] = ()

    @classmethod
    def of(
        cls,
        metrics: MetricRequest = None,
        *,
        references: Sequence[str] = (),
        reading: ReadOptions | None = None,
        tokenizer: str = "ptb",
        allow_code: bool = False,
        **settings: Any,  # noqa: ANN401 (the other fields)
    ) -> Task:
        """Make a task, or say why its metrics cannot be computed part by part.

        Examples
        --------
        >>> Task.of("cider")
        Traceback (most recent call last):
        caplens.errors.UsageError: cider computes its document frequencies from all rows: count them first ...
        """
        selection = select(metrics, allow_code=allow_code, tokenizer=tokenizer)
        for metric in selection.metrics:
            if metric.hindrance_to_parts is not None:
                raise UsageError(f"{metric.hindrance_to_parts}.")
        reading = replace(reading or ReadOptions(), further_columns=columns_of(selection.metrics))
        if references:
            optional = reading.optional_columns | {"references", "reference_graphs"}
            reading = replace(reading, optional_columns=optional)
        task = cls(
            metrics=selection.metrics,
            references=tuple(references),
            reading=reading,
            left_out=selection.left_out,
            **settings,
        )
        check_at_least(1, jobs=task.jobs, resamples=task.resamples, batch_rows=task.batch_rows)
        check_at_least(0, seed=task.seed, max_words=task.max_words)
        return task

    @cached_property
    def options(self) -> dict[str, str]:
        """What decides about the scores, as text: parts can be put together only where all of it is the same."""
        columns = ", ".join(f"{role}={name}" for role, name in sorted(self.reading.columns.items()))
        return {
            "caplens": __version__,
            "metrics": ", ".join(str(metric.request()) for metric in self.metrics),
            "references": ", ".join(digest_of_file(Path(path)) for path in self.references),
            "missing": self.missing,
            "max_words": str(self.max_words),
            "resamples": str(self.resamples),
            "seed": str(self.seed),
            "batch_rows": str(self.batch_rows),
            "input_format": self.reading.input_format or "",
            "columns": columns,
            "split": self.reading.split or "",
            "at": self.reading.at or "",
        }

    @property
    def digest(self) -> str:
        """A hash of the options, which each part carries."""
        return digest_of_options(self.options)


def digest_of_options(options: dict[str, str]) -> str:
    """Return a hash of options."""
    return digest_of_text("\n".join(f"{name}={value}" for name, value in sorted(options.items())))
