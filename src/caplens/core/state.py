"""State: what a metric learns from references before it scores."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.errors import Notice


@dataclass(frozen=True, eq=False)
class State:
    """What a metric learns from references before it scores; fixed while rows are resampled or scored in shards.

    A metric that learns something has a subclass of its own, whose `facts` tell it in signatures. States are plain
    data, so that they can be pickled.
    """

    notices: tuple[Notice, ...] = ()

    @property
    def facts(self) -> dict[str, str]:
        """Facts for the signature, such as a hash of the document frequencies."""
        return {}


@dataclass(frozen=True, eq=False)
class NamedState(State):
    """Names the data that a metric uses, such as ``{"table": "5f0c..."}``; there is nothing else to learn."""

    data: tuple[tuple[str, str], ...] = ()

    @property
    def facts(self) -> dict[str, str]:
        """The names of the data."""
        return dict(self.data)
