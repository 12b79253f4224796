"""Metrics that combine others: they read the scores of their inputs and never compute them again."""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np
import numpy.typing as npt

from caplens.core.metric import Floats, Metric, State, Statistics
from caplens.core.prepared import Prepared, PreparedReferences, Usage
from caplens.errors import UsageError
from caplens.metrics.combination.state import CombinedState, parts_of
from caplens.output.explanation import Cell, Explanation, Section, Table

MOST_INPUTS = 16
"""More would make exact contributions slow: each doubles the number of subsets."""


@dataclass(frozen=True)
class InputScore:
    """A score that is combined: which of the inputs gives it, its place among that one's scores, and its name.

    ``part`` is a place among the parts of that score, where only a part of it is combined.
    """

    metric: int
    place: int
    name: str
    part: int | None = None


class Combination(Metric):
    r"""A metric of the scores that other metrics give a caption.

    A subclass names its `inputs` and writes `combine`, a function of their scores of one row. A row has no score where
    one of its inputs has none. The corpus score is the mean over the rows that have one.

    The explanation shares the score out among the inputs by Shapley values,

    .. math:: \phi_i = \sum_{S \not\ni i} \frac{|S|!\,(n - |S| - 1)!}{n!} (f(S \cup i) - f(S))

    where :math:`f(S)` is the score with the inputs in :math:`S` as they are and all others at their `baseline`; they
    add up to the difference between the score and that of the baseline.
    """

    @property
    @abstractmethod
    def inputs(self) -> tuple[Metric, ...]:
        """Metrics whose scores this one combines."""

    @property
    def written_inputs(self) -> tuple[Metric, ...]:
        """None where they follow from options."""
        return self.inputs if self.usual_inputs else ()

    @property
    def input_scores(self) -> tuple[InputScore, ...]:
        """The scores that are combined: the main one of each input."""
        return tuple(
            InputScore(number, place, metric.result_keys[place])
            for number, metric in enumerate(self.inputs)
            for place in [main_place(metric)]
            if place is not None
        )

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """What the least and the largest scores of the inputs give: a higher input never lowers the score."""
        metrics = self.inputs
        limits = [metrics[score.metric].range[metrics[score.metric].keys[score.place]] for score in self.input_scores]
        return dict.fromkeys(self.keys, tuple(self.combine(np.array(limits).T).tolist()))

    @property
    def baseline(self) -> Floats:
        """The scores that an input is compared with in an explanation."""
        return np.zeros(len(self.input_scores))

    @property
    def baseline_name(self) -> str:
        """What the baseline is, for people."""
        return "all inputs 0"

    @abstractmethod
    def combine(self, scores: Floats) -> Floats:
        """Combine scores, shape (rows, input scores), into one a row; none of them is NaN."""

    def missing_data(self) -> str | None:
        """Return what the first input lacks that lacks anything."""
        return first_missing(self.inputs)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> CombinedState:
        """Remember what the inputs learned, and what they have to say."""
        notices = tuple(notice for state in inputs for notice in state.notices)
        return CombinedState(notices, tuple(inputs), tuple(metric.result_keys[0] for metric in self.inputs))

    def gather(self, inputs: Sequence[Statistics]) -> Floats:
        """Return the scores that are combined, shape (rows, input scores)."""
        chosen = self.input_scores
        items: dict[int, Floats] = {}
        parts: dict[int, Floats] = {}
        for number, (metric, statistics) in enumerate(zip(self.inputs, inputs, strict=True)):
            items[number] = metric.item_scores(statistics)
            if any(score.metric == number and score.part is not None for score in chosen):
                parts[number] = metric.parts_of(statistics.table, np.ones(len(statistics)))
        columns = [
            items[score.metric][:, score.place]
            if score.part is None
            else parts[score.metric][:, score.place, score.part]
            for score in chosen
        ]
        return np.column_stack(columns)

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return the score, and whether there is one (else it stands as 0)."""
        scores = self.gather(inputs)
        known = np.isfinite(scores).all(axis=1)
        combined = np.zeros(len(scores))
        combined[known] = self.combine(scores[known])
        return score_statistics(prepared, scores, combined)

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return the mean over the rows that have a score."""
        with np.errstate(invalid="ignore"):
            means: Floats = sums[..., :1] / sums[..., 1:2]
        return means

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show what each input contributes, then the explanations of the inputs."""
        parts = self.explain_inputs(prepared, state, row)
        statistics = [
            statistics_of(metric, part, prepared)
            for metric, part in zip(self.inputs, parts_of(self, state), strict=True)
        ]
        scores = self.gather(statistics)[row]
        names = [score.name for score in self.input_scores]
        found = float(self.combine(scores[np.newaxis])[0]) if np.isfinite(scores).all() else float("nan")
        return replace(
            self.join_explanations(parts),
            scores={self.result_keys[0]: found},
            facts=dict(zip(names, scores.tolist(), strict=True)),
            sections=(self._contributions(scores), *joined_sections(self.inputs, parts)),
        )

    def explain_inputs(self, prepared: Prepared, state: State, row: int) -> list[Explanation]:
        """Explain the row by each of the inputs."""
        return [
            metric.explain(prepared, part, row) for metric, part in zip(self.inputs, parts_of(self, state), strict=True)
        ]

    def join_explanations(self, parts: Sequence[Explanation]) -> Explanation:
        """Return an explanation with the sections and notes of the inputs' explanations, without a score."""
        return Explanation(
            metric=str(self.request()),
            candidate=parts[0].candidate,
            references=parts[0].references,
            scores={},
            facts={},
            sections=joined_sections(self.inputs, parts),
            notes=tuple(dict.fromkeys(note for part in parts for note in part.notes)),
        )

    def _contributions(self, scores: Floats) -> Table:
        """Tell how the score comes about, input by input."""
        columns = ("input", "score", "compared with", "contribution")
        baseline = self.baseline
        title = f"contributions (Shapley values, from {self.baseline_name})"
        if not np.isfinite(scores).all():
            return Table(title, columns, ())
        start = float(self.combine(baseline[np.newaxis])[0])
        shares = shapley_values(self, scores)
        rows: list[tuple[Cell, ...]] = [("start", None, None, start)]
        rows += [
            (score.name, float(value), float(usual), float(share))
            for score, value, usual, share in zip(self.input_scores, scores, baseline, shares, strict=True)
        ]
        rows.append((self.result_keys[0], None, None, start + float(shares.sum())))
        return Table(title, columns, tuple(rows))


def check_inputs(name: str, metrics: Sequence[Metric], scores: Sequence[InputScore]) -> None:
    """Refuse inputs that cannot be told apart or added up, too few and too many."""
    if len(metrics) < 2:
        raise UsageError(f"{name} requires at least two metrics, such as {name}(wmd, spice).")
    if len(metrics) > MOST_INPUTS:
        raise UsageError(f"{name} accepts at most {MOST_INPUTS} metrics, not {len(metrics)}.")
    falling = next((metric for metric in metrics if not metric.higher_is_better), None)
    if falling is not None:
        raise UsageError(f"{name} combines scores for which higher is better, unlike those of {falling.name}.")
    names = [score.name.lower() for score in scores]
    twice = next((score.name for score in scores if names.count(score.name.lower()) > 1), None)
    if twice is not None:
        raise UsageError(f"Two inputs of {name} are named {twice}: give one a label, as in cider(label=Other).")


def main_place(metric: Metric) -> int | None:
    """Return the place of a metric's main score among its scores; None where no score is above the others."""
    return None if metric.main_key is None else metric.keys.index(metric.main_key)


def first_missing(metrics: Sequence[Metric]) -> str | None:
    """Return what the first metric lacks that lacks anything, and which one it is; None where all are ready."""
    for metric in metrics:
        missing = metric.missing_data()
        if missing is not None:
            return f"{metric.name} is not ready, {missing}"
    return None


def statistics_of(metric: Metric, state: State, prepared: Prepared) -> Statistics:
    """Return the statistics of a metric and, if it combines others, of those first."""
    parts = parts_of(metric, state) if metric.inputs else ()
    inputs = [statistics_of(each, part, prepared) for each, part in zip(metric.inputs, parts, strict=True)]
    return metric.statistics(prepared, state, inputs)


def score_statistics(prepared: Prepared, scores: Floats, combined: Floats) -> Statistics:
    """Return combined scores, and which rows have one: those that have all scores that go into it.

    A row without any reference (`missing=zero`) counts, with 0.
    """
    known = np.isfinite(scores).all(axis=1)
    empty = np.diff(prepared.references.offsets)[prepared.reference_set] == 0
    return Statistics(("score", "counts"), np.column_stack([np.where(known & ~empty, combined, 0.0), known | empty]))


def joined_sections(metrics: Sequence[Metric], parts: Sequence[Explanation]) -> tuple[Section, ...]:
    """Return the sections of several explanations, each named after its metric."""
    return tuple(
        replace(section, title=f"{metric.result_keys[0]}: {section.title}")
        for metric, part in zip(metrics, parts, strict=True)
        for section in part.sections
    )


def shapley_values(metric: Combination, scores: Floats) -> Floats:
    """Return the exact Shapley value of each input score, from the score of every subset of them.

    Parameters
    ----------
    metric : Combination
        What combines them.
    scores : numpy.ndarray, shape (input scores,)
        The scores of one row.
    """
    inputs = len(scores)
    subsets = np.arange(2**inputs)
    members = (subsets[:, np.newaxis] >> np.arange(inputs)) & 1 == 1
    values = metric.combine(np.where(members, scores, metric.baseline))
    weights = subset_weights(inputs)[members.sum(axis=1)]
    shares = np.empty(inputs)
    for place in range(inputs):
        without = subsets[~members[:, place]]
        shares[place] = ((values[without | (1 << place)] - values[without]) * weights[without]).sum()
    return shares


def subset_weights(inputs: int) -> npt.NDArray[np.float64]:
    """Return the weight |S|! (n - |S| - 1)! / n! of subsets by size; a subset of all n has none.

    Examples
    --------
    >>> subset_weights(3).round(4).tolist()
    [0.3333, 0.1667, 0.3333, 0.0]
    """
    weights = np.zeros(inputs + 1)
    weights[0] = 1 / inputs
    for size in range(1, inputs):
        weights[size] = weights[size - 1] * size / (inputs - size)
    return weights
