"""What combinations learn: the states of their inputs; facts of their data, put together and compared with others."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from caplens.core.metric import Metric
from caplens.core.state import State


@dataclass(frozen=True, eq=False)
class CombinedState(State):
    """What the inputs learned, in their order, and the names of their scores."""

    parts: tuple[State, ...] = ()
    names: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, str]:
        """The facts of all inputs."""
        return merge_facts(self.names, [state.facts for state in self.parts])

    @classmethod
    def merge(cls, states: Sequence[Self]) -> Self:
        """Merge what each input learned."""
        columns = zip(*(state.parts for state in states), strict=True)
        parts = tuple(type(column[0]).merge(column) for column in columns)
        notices = tuple(dict.fromkeys(notice for part in parts for notice in part.notices))
        return replace(states[0], notices=notices, parts=parts)


def parts_of(metric: Metric, state: State) -> tuple[State, ...]:
    """Return what the inputs of a combination learned."""
    if not isinstance(state, CombinedState) or len(state.parts) != len(metric.inputs):
        raise TypeError(f"{metric.name} needs the state that its own fit returned")
    return state.parts


def merge_facts(names: Sequence[str], facts: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """Put facts of several metrics together; one on which they differ is named after its metric.

    Examples
    --------
    >>> merge_facts(["WMD", "WEmbSim"], [{"table": "5f"}, {"table": "5f"}])
    {'table': '5f'}
    >>> merge_facts(["WMD", "WEmbSim"], [{"table": "5f"}, {"table": "6e"}])
    {'WMD.table': '5f', 'WEmbSim.table': '6e'}
    """
    values: dict[str, set[str]] = {}
    for each in facts:
        for fact, value in each.items():
            values.setdefault(fact, set()).add(value)
    return {
        fact if len(values[fact]) == 1 else f"{name}.{fact}": value
        for name, each in zip(names, facts, strict=True)
        for fact, value in each.items()
    }


def lasting_facts(metric: Metric, state: State) -> dict[str, str]:
    """Return the facts of a metric's data, without those of what it learned from the corpus (frequencies of CIDEr)."""
    if not metric.learns_from_corpus:
        return state.facts
    if not isinstance(state, CombinedState):
        return {}
    facts = [lasting_facts(each, part) for each, part in zip(metric.inputs, state.parts, strict=True)]
    return merge_facts(state.names, facts)
