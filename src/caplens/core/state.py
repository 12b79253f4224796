"""State: what a metric learns from references before it scores."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Self

from caplens.errors import InputError, Notice, add_notices


@dataclass(frozen=True, eq=False)
class State:
    """What a metric learns from references before it scores; fixed while rows are resampled or scored in shards.

    A metric that learns something has its own subclass, whose `facts` are part of signatures. States are plain data,
    so that they can be pickled.
    """

    notices: tuple[Notice, ...] = ()

    @property
    def facts(self) -> dict[str, str]:
        """Facts for the signature, such as a hash of the document frequencies."""
        return {}

    @classmethod
    def merge(cls, states: Sequence[Self]) -> Self:
        """Return what a metric learns from all references, given what it learned from each part.

        A state that only refers to data must refer to the same data in all parts; metrics that count override this
        and add the counts.

        Examples
        --------
        >>> NamedState.merge([NamedState(data=(("table", "5f"),)), NamedState(data=(("table", "5f"),))]).facts
        {'table': '5f'}
        """
        first = states[0]
        for state in states[1:]:
            fact = differing_fact(first.facts, state.facts)
            if fact is not None:
                raise InputError(
                    f"Parts were scored with different data: {fact} is {first.facts.get(fact, 'unknown')} in one and "
                    f"{state.facts.get(fact, 'unknown')} in another."
                )
        return replace(first, notices=add_notices(notice for state in states for notice in state.notices))


def differing_fact(recorded: Mapping[str, str], found: Mapping[str, str]) -> str | None:
    """Return the first fact that is recorded and found with different values, or on one side only.

    Examples
    --------
    >>> differing_fact({"table": "5f"}, {"table": "6e"}), differing_fact({}, {})
    ('table', None)
    """
    return next((name for name in (*recorded, *found) if recorded.get(name) != found.get(name)), None)


@dataclass(frozen=True, eq=False)
class NamedState(State):
    """Names the data that a metric uses, such as ``{"table": "5f0c..."}``; there is nothing else to learn."""

    data: tuple[tuple[str, str], ...] = ()

    @property
    def facts(self) -> dict[str, str]:
        """The names of the data."""
        return dict(self.data)
