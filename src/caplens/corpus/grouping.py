"""Rows with the same id, found together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.corpus.tables import Numbers, normalise_ids
from caplens.text._ragged import group as places_by_number
from caplens.text._tables import PairTable
from caplens.text.ragged import offsets_of


@dataclass(frozen=True, eq=False)
class Groups:
    """Places of equal ids: group ``g`` is ``places[offsets[g]:offsets[g + 1]]``, in order of appearance.

    ``names`` has the id of each group; where they are whole numbers, ``table`` finds the group of one.
    """

    names: Sequence[Any]
    places: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]
    table: PairTable | None = None

    def __len__(self) -> int:
        return len(self.names)

    @cached_property
    def position(self) -> dict[str, int]:
        """The groups by their ids, which are text."""
        return {name: number for number, name in enumerate(normalise_ids(self.names))}

    def find(self, ids: Sequence[str] | Numbers) -> npt.NDArray[np.int64]:
        """Return the group of each id, -1 where there is none."""
        if isinstance(ids, Numbers):
            if self.table is not None:
                return self.table.number(ids.values).astype(np.int64)
            ids = normalise_ids(ids)
        position = self.position
        return np.array([position.get(identifier, -1) for identifier in ids], dtype=np.int64)

    def select(self, groups: npt.NDArray[np.int64]) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
        """Return the places of some groups, one group after the other, and where each begins; -1 is an empty group."""
        sizes = np.where(groups < 0, 0, np.append(np.diff(self.offsets), 0)[groups])
        begins = offsets_of(sizes)
        chosen = np.repeat(self.offsets[groups] - begins[:-1], sizes) + np.arange(begins[-1])
        return self.places[chosen], begins


def group(ids: Sequence[Any]) -> Groups:
    """Group rows by id; ``1`` and ``"1"`` are the same id.

    Examples
    --------
    >>> groups = group(["b", 7, "b", "7"])
    >>> groups.position, groups.places.tolist(), groups.offsets.tolist()
    ({'b': 0, '7': 1}, [0, 2, 1, 3], [0, 2, 4])
    """
    if isinstance(ids, Numbers):
        return _group_numbers(ids.values)
    if not set(map(type, ids)) <= {int, str}:
        ids = normalise_ids(ids)  # refuses what is no id; 1.0 and True would pass for 1 as keys
    numbers: dict[Any, int] = {}
    group = np.array([numbers.setdefault(identifier, len(numbers)) for identifier in ids], dtype=np.int64)
    position: dict[str, int] = {}
    # 1 and "1" are different keys up to here; as text they are one id.
    renumbered = np.array([position.setdefault(key, len(position)) for key in normalise_ids(numbers)], dtype=np.int64)
    if len(position) < len(numbers):
        group = renumbered[group]
    return Groups(
        list(position), np.argsort(group, kind="stable"), offsets_of(np.bincount(group, minlength=len(position)))
    )


def _group_numbers(ids: npt.NDArray[np.int64]) -> Groups:
    """Group whole numbers, without a Python object for each."""
    table = PairTable()
    numbers = table.number(ids, add=True)
    offsets, places = places_by_number(numbers, np.arange(len(ids), dtype=np.int32), len(table))
    names = Numbers(ids[places[offsets[:-1]]])
    return Groups(names, places.astype(np.int64), offsets.astype(np.int64), table)
