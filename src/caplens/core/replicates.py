"""A system with several training runs: its scores are means over the runs."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from caplens.arrays import Floats, Integers
from caplens.core.intervals import Intervals
from caplens.core.result import PartScore, Result, Score
from caplens.output.document import number


class MeanIntervals(Intervals):
    """95 % bootstrap intervals over images of the mean over runs; the runs stay as they are."""

    def __init__(self, runs: Sequence[Intervals]) -> None:
        first = runs[0]
        super().__init__(first.runs, first.labels, first.resamples, first.seed, first.jobs)
        self._each = runs

    def samples(self) -> list[Floats]:
        """Return the mean over runs of their scores on each resample, one array (resamples, keys) per metric."""
        return [np.mean(scores, axis=0) for scores in zip(*(each.samples() for each in self._each), strict=True)]


@dataclass(frozen=True, eq=False, repr=False)
class MeanScore(Score):
    """One score of a system with several training runs: means over the runs.

    Attributes
    ----------
    each : tuple of Score
        That of each run.
    """

    each: tuple[Score, ...] = ()

    @property
    def score(self) -> float:
        """The mean of the runs' corpus scores."""
        return float(np.mean(self.run_scores))

    @property
    def run_scores(self) -> tuple[float, ...]:
        """The corpus score of each run."""
        return tuple(score.score for score in self.each)

    @property
    def spread(self) -> float:
        """The standard deviation of the runs' corpus scores."""
        return float(np.std(self.run_scores, ddof=1))

    @cached_property
    def item_scores(self) -> Floats:
        """One score per item, the mean over runs, in input order; NaN where a value does not exist."""
        means: Floats = np.mean([score.item_scores for score in self.each], axis=0)
        return means

    @cached_property
    def parts(self) -> dict[str, PartScore]:
        """What the score consists of, by name: means over runs."""
        found = {}
        for name in self.each[0].parts:
            parts = [score.parts[name] for score in self.each]
            mean = float(np.mean([part.score for part in parts]))
            found[name] = PartScore(mean, np.mean([part.item_scores for part in parts], axis=0))
        return found


class Replicates(Result):
    """The scores of a system with several training runs, by key; each is the mean over the runs.

    What belongs to one run, such as the captions in ``corpus``, is that of the first.

    Attributes
    ----------
    each : tuple of Result
        The result of each run.

    Examples
    --------
    >>> import caplens
    >>> runs = [caplens.score([caption], [["two dogs run"]], "rouge") for caption in ("two dogs run", "a cat")]
    >>> both = Replicates(runs)
    >>> both["ROUGE_L"].score, both["ROUGE_L"].run_scores, round(both["ROUGE_L"].spread, 3)
    (0.5, (1.0, 0.0), 0.707)
    """

    def __init__(self, each: Sequence[Result]) -> None:
        first = each[0]
        drawn = first.intervals
        warnings = dict.fromkeys(notice for result in each for notice in result.warnings)
        super().__init__(
            first.corpus,
            first.runs,
            facts=first.facts,
            warnings=tuple(warnings),
            resamples=drawn.resamples,
            seed=drawn.seed,
            jobs=drawn.jobs,
        )
        self.each = tuple(each)
        self.intervals = MeanIntervals([result.intervals for result in each])
        self._means = {
            key: MeanScore(
                key, score.place, score.run, score.facts, self.intervals, tuple(result[key] for result in each)
            )
            for key, score in first.items()
        }

    def __getitem__(self, key: str) -> MeanScore:
        return self._means[super().__getitem__(key).name]

    def caption_columns(self) -> dict[str, list[Any]]:
        """Return references and, for each item, a list with the candidate of every run, if they are to be shown."""
        found = super().caption_columns()
        each = [result.with_captions().caption_columns() for result in self.each] if found else []
        for name in dict.fromkeys(name for columns in each for name in columns if name.startswith("candidate")):
            runs = [columns.get(name, [None] * len(self.ids)) for columns in each]
            found[name] = [list(values) for values in zip(*runs, strict=True)]
        return found

    def select(self, rows: Integers) -> Replicates:
        """Return the result of some rows, with what the metrics learned from all of them."""
        return Replicates([result.select(rows) for result in self.each])

    def summary(self, *, intervals: bool = True) -> dict[str, dict[str, Any]]:
        """Return the mean corpus scores, the score of each run and the spread over runs as plain data."""
        metrics = super().summary(intervals=intervals)
        for key, entry in metrics.items():
            entry["runs"] = [number(score) for score in self[key].run_scores]
            entry["spread"] = number(self[key].spread)
            for name in self[key].run.coverage:
                if name in entry:
                    entry[name] = number(float(np.mean([score.run.coverage[name] for score in self[key].each])))
        return metrics


def result_of(runs: Sequence[Result]) -> Result:
    """Return the result of a system by those of its runs."""
    return runs[0] if len(runs) == 1 else Replicates(runs)
