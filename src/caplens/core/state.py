"""State: what a metric learns from references before it scores."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

from caplens.errors import Notice


@dataclass(frozen=True, eq=False)
class State:
    """What a metric learns from references before it scores; fixed while rows are resampled or scored in shards.

    ``describe`` gives the facts that a signature shows (computed only when somebody looks).
    """

    notices: tuple[Notice, ...] = ()
    describe: Callable[[], dict[str, str]] = dict

    @cached_property
    def facts(self) -> dict[str, str]:
        """Facts for the signature, such as a hash of the document frequencies."""
        return self.describe()
