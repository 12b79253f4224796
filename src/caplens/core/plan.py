"""The planner: every requirement once, every metric once, combinations after what they combine."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from caplens.core.metric import Floats, Metric, State, Statistics
from caplens.core.prepared import Prepared, PreparedReferences, Usage
from caplens.core.statistics import Share
from caplens.errors import InputError, counted, name_some


@dataclass(frozen=True, eq=False)
class Run:
    """A metric that was run: what it learned, its statistics, and what files say beside its main score."""

    metric: Metric
    state: State
    statistics: Statistics
    coverage: Mapping[str, Share | float] = field(default_factory=dict)

    @classmethod
    def of_sums(cls, metric: Metric, state: State, sums: Floats, rows: int, coverage: Mapping[str, Share]) -> Run:
        """Return the run of rows of which only the sums of the statistics were kept; it has no items."""
        columns = tuple(str(place) for place in range(len(sums)))
        run = cls(metric, state, Statistics(columns, np.empty((0, len(sums)))), coverage)
        number = np.asarray(float(rows))
        run.__dict__["corpus_scores"] = metric.aggregate(sums, number)
        run.__dict__["corpus_parts"] = metric.parts_of(sums, number)
        return run

    @cached_property
    def item_scores(self) -> Floats:
        """The scores of every item, shape (items, keys)."""
        return self.metric.item_scores(self.statistics)

    @cached_property
    def corpus_scores(self) -> Floats:
        """The corpus scores, shape (keys,); a training loop, which wants those of items, never asks for them."""
        return self.metric.corpus_scores(self.statistics)

    @cached_property
    def item_parts(self) -> Floats:
        """The parts of the scores of every item, shape (items, keys, parts)."""
        return self.metric.parts_of(self.statistics.table, np.ones(len(self.statistics)))

    @cached_property
    def corpus_parts(self) -> Floats:
        """The parts of the corpus scores, shape (keys, parts)."""
        rows = np.asarray(float(len(self.statistics)))
        return self.metric.parts_of(self.statistics.sums(), rows)


def with_inputs(metrics: Iterable[Metric]) -> list[Metric]:
    """Return metrics and what they combine, each once, inputs first."""
    ordered: dict[Metric, None] = {}
    for metric in metrics:
        for needed in (*with_inputs(metric.inputs), metric):
            ordered.setdefault(needed)
    return list(ordered)


def columns_of(metrics: Iterable[Metric]) -> frozenset[str]:
    """Return the columns beside captions that metrics, or what they combine, ask for."""
    return frozenset(name for metric in with_inputs(metrics) for name in metric.reads_columns)


def fit(metrics: Sequence[Metric], references: PreparedReferences, usage: Usage) -> dict[Metric, State]:
    """Prepare the reference side and let every metric learn from it."""
    ordered = with_inputs(metrics)
    if references.graphs is not None:
        owners = np.searchsorted(references.offsets, references.graphs.places, side="right") - 1
        _refuse_graphs(ordered, "reference", [references.ids[owner] for owner in owners.tolist()])
    references.get_all(dict.fromkeys(need for metric in ordered for need in metric.requires()))
    states: dict[Metric, State] = {}
    for metric in ordered:
        states[metric] = metric.fit(references, usage, [states[needed] for needed in metric.inputs])
    return states


def run(metrics: Sequence[Metric], prepared: Prepared, states: Mapping[Metric, State]) -> list[Run]:
    """Return the runs of ``metrics``, in order; what they combine is run once and passed to them."""
    ordered = with_inputs(metrics)
    check_candidates(ordered, prepared)
    for requirement in dict.fromkeys(need for metric in ordered for need in metric.requires()):
        prepared.candidates.get(requirement)
    runs: dict[Metric, Run] = {}
    for metric in ordered:
        inputs = [runs[needed].statistics for needed in metric.inputs]
        statistics = metric.statistics(prepared, states[metric], inputs)
        runs[metric] = Run(metric, states[metric], statistics, metric.coverage(prepared))
        prepared.candidates.note(metric.notices(prepared))
    return [runs[metric] for metric in metrics]


def check_candidates(metrics: Sequence[Metric], prepared: Prepared) -> None:
    """Refuse metrics that need words where candidates are scene graphs (`fit` does it for references), or columns."""
    for metric in metrics:
        for name in metric.reads_columns:
            prepared.column(name, metric.name)
    if prepared.candidates.graphs is not None:
        rows = prepared.candidates.graphs.places.tolist()
        _refuse_graphs(metrics, "candidate", [str(row) if prepared.ids is None else prepared.ids[row] for row in rows])


def _refuse_graphs(metrics: Sequence[Metric], side: str, ids: Sequence[str]) -> None:
    """Refuse metrics that need words; ``ids`` names the owner of each scene graph."""
    names = list(dict.fromkeys(metric.name for metric in metrics if not metric.reads_graphs))
    if names:
        compare = "compares" if len(names) == 1 else "compare"
        are = "is a scene graph" if len(ids) == 1 else "are scene graphs"
        concerned = list(dict.fromkeys(ids))
        raise InputError(
            f"{', '.join(names)} {compare} words, but {counted(len(ids), side)} {are} "
            f"({'id' if len(concerned) == 1 else 'ids'} {name_some(concerned)}): only spice accepts those."
        )
