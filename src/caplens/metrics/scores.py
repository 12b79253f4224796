"""Scores: what comes out, with everything that can be derived from the statistics."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from caplens._version import __version__
from caplens.errors import MissingDataError, Notice
from caplens.metrics.base import Floats
from caplens.metrics.plan import Run
from caplens.stats import SEED
from caplens.stats.resampling import bootstrap_sums, percentile_interval
from caplens.stats.significance import LEAST_RESAMPLES

if TYPE_CHECKING:
    import pandas as pd
    import pyarrow as pa

SCHEMA = 1


class Intervals:
    """95 % bootstrap intervals of all scores of a result, from one set of resamples, made when first asked for."""

    def __init__(
        self, runs: Sequence[Run], groups: npt.NDArray[np.int64] | None, resamples: int, seed: int, jobs: int = 1
    ) -> None:
        self._runs = runs
        self._groups = groups
        self._jobs = jobs
        self.resamples = resamples
        self.seed = seed

    @cached_property
    def by_key(self) -> dict[str, tuple[float, float]]:
        """The interval of every score."""
        tables = [run.statistics.table for run in self._runs]
        stacked = np.column_stack([*tables, np.ones(len(tables[0]))])
        sums = bootstrap_sums(stacked, self.resamples, self.seed, self._groups, self._jobs)
        samples = []
        column = 0
        for run in self._runs:
            width = len(run.statistics.columns)
            samples.append(run.metric.aggregate(sums[:, column : column + width], sums[:, -1]))
            column += width
        return self._from_samples(samples)

    def adopt(self, samples: Sequence[Floats]) -> None:
        """Take over bootstrap scores that were drawn elsewhere with this seed: one array (resamples, keys) a run."""
        self.__dict__["by_key"] = self._from_samples([scores[: self.resamples] for scores in samples])

    def _from_samples(self, samples: Sequence[Floats]) -> dict[str, tuple[float, float]]:
        return {
            key: percentile_interval(scores[:, place])
            for run, scores in zip(self._runs, samples, strict=True)
            for place, key in enumerate(run.metric.result_keys)
        }


@dataclass(frozen=True, eq=False)
class Score:
    """One score of one system.

    Attributes
    ----------
    name : str
        Its key in results, such as ``CIDEr``.
    score : float
        The corpus score.
    item_scores : numpy.ndarray
        One score an item, in input order; NaN where a value does not exist.
    """

    name: str
    score: float
    item_scores: Floats
    run: Run
    references: str
    intervals: Intervals

    @property
    def interval(self) -> tuple[float, float]:
        """95 % bootstrap interval of the corpus score; what the metric learned from references stays fixed."""
        return self.intervals.by_key[self.name]

    @cached_property
    def signature(self) -> str:
        """Everything needed to repeat the score, in the metric grammar."""
        return self.run.metric.signature(self.run.state, len(self.item_scores), self.references)

    def __repr__(self) -> str:
        return f"Score({self.name}={self.score:.4f}, {len(self.item_scores):,} items)"


class Scores(Mapping[str, Score]):
    """The scores of one system by key; look-up ignores case.

    Attributes
    ----------
    ids : list of str
        The items' ids, in input order.
    warnings : tuple of Notice
        What was odd in the input or the request, counted.
    """

    def __init__(
        self,
        ids: list[str],
        runs: Sequence[Run],
        *,
        references: str,
        groups: npt.NDArray[np.int64] | None = None,
        warnings: Sequence[Notice] = (),
        resamples: int = LEAST_RESAMPLES,
        seed: int = SEED,
        jobs: int = 1,
    ) -> None:
        self.ids = ids
        self.runs = tuple(runs)
        self.groups = groups
        self.warnings = (*warnings, *(notice for run in runs for notice in run.state.notices))
        self.intervals = Intervals(self.runs, groups, resamples, seed, jobs)
        self._scores: dict[str, Score] = {}
        for run in self.runs:
            items = run.metric.item_scores(run.statistics)
            corpus = run.metric.corpus_scores(run.statistics)
            for place, key in enumerate(run.metric.result_keys):
                score = Score(key, float(corpus[place]), items[:, place], run, references, self.intervals)
                self._scores[key] = score
        self._by_lower_case = {key.lower(): key for key in self._scores}

    def __getitem__(self, key: str) -> Score:
        return self._scores[self._by_lower_case[key.lower()] if key in self else key]

    def __contains__(self, key: object) -> bool:
        return isinstance(key, str) and key.lower() in self._by_lower_case

    def __iter__(self) -> Iterator[str]:
        return iter(self._scores)

    def __len__(self) -> int:
        return len(self._scores)

    def __repr__(self) -> str:
        scores = ", ".join(f"{key}={score.score:.4f}" for key, score in self.items())
        return f"{type(self).__name__}({scores}; {len(self.ids):,} items)"

    def summary(self, *, intervals: bool = True) -> dict[str, dict[str, Any]]:
        """Return the corpus scores with intervals and signatures as plain data."""
        metrics = {}
        for key, score in self.items():
            entry: dict[str, Any] = {"score": _number(score.score)}
            if intervals:
                entry["interval"] = [_number(bound) for bound in score.interval]
            entry["signature"] = score.signature
            metrics[key] = entry
        return metrics

    def to_dict(self, *, intervals: bool = True) -> dict[str, Any]:
        """Return everything as plain data (schema 1); a value that does not exist is None."""
        columns = [_numbers(score.item_scores) for score in self.values()]
        keys = list(self)
        return {
            "schema": SCHEMA,
            "caplens": __version__,
            "metrics": self.summary(intervals=intervals),
            "items": [
                {"id": identifier, "scores": dict(zip(keys, values, strict=True))}
                for identifier, *values in zip(self.ids, *columns, strict=True)
            ],
            "warnings": [notice.to_dict() for notice in self.warnings],
        }

    def to_arrow(self) -> pa.Table:
        """Return the item scores as an Arrow table: ``id`` and one column a score."""
        import pyarrow as pa

        columns = {"id": pa.array(self.ids, pa.string())}
        for key, score in self.items():
            columns[key] = pa.array(score.item_scores, pa.float64(), from_pandas=True)  # NaN becomes null
        return pa.table(columns)

    def to_pandas(self) -> pd.DataFrame:
        """Return the item scores as a data frame indexed by id (needs pandas)."""
        try:
            import pandas as pd
        except ImportError:
            raise MissingDataError("to_pandas() needs pandas: pip install pandas.") from None

        return pd.DataFrame(
            {key: score.item_scores for key, score in self.items()}, index=pd.Index(self.ids, name="id")
        )


def _number(value: float) -> float | None:
    return value if math.isfinite(value) else None


def _numbers(values: Floats) -> list[float | None]:
    numbers: list[float | None] = values.tolist()
    if not np.isfinite(values).all():
        numbers = [_number(value) if value is not None else None for value in numbers]
    return numbers
