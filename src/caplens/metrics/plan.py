"""The planner: every requirement once, every metric once, combinations after what they combine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from caplens.metrics.base import Metric, State, Statistics
from caplens.prepared import Prepared, PreparedReferences, Usage


@dataclass(frozen=True, eq=False)
class Run:
    """A metric that was run: what it learned and its statistics."""

    metric: Metric
    state: State
    statistics: Statistics


def with_inputs(metrics: Iterable[Metric]) -> list[Metric]:
    """Return metrics and what they combine, each once, inputs first."""
    ordered: dict[Metric, None] = {}
    for metric in metrics:
        for needed in (*with_inputs(metric.inputs), metric):
            ordered.setdefault(needed)
    return list(ordered)


def fit(metrics: Sequence[Metric], references: PreparedReferences, usage: Usage) -> dict[Metric, State]:
    """Prepare the reference side and let every metric learn from it."""
    ordered = with_inputs(metrics)
    for requirement in dict.fromkeys(need for metric in ordered for need in metric.requires()):
        references.get(requirement)
    return {metric: metric.fit(references, usage) for metric in ordered}


def run(metrics: Sequence[Metric], prepared: Prepared, states: Mapping[Metric, State]) -> list[Run]:
    """Return the runs of ``metrics``, in order; what they combine is run once and passed to them."""
    ordered = with_inputs(metrics)
    for requirement in dict.fromkeys(need for metric in ordered for need in metric.requires()):
        prepared.candidates.get(requirement)
    runs: dict[Metric, Run] = {}
    for metric in ordered:
        inputs = [runs[needed].statistics for needed in metric.inputs]
        runs[metric] = Run(metric, states[metric], metric.statistics(prepared, states[metric], inputs))
    return [runs[metric] for metric in metrics]
