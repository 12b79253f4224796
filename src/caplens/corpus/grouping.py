"""Rows with the same id, found together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.corpus.tables import Numbers, normalise_ids
from caplens.text.ragged import offsets_of


@dataclass(frozen=True, eq=False)
class Groups:
    """Places of equal ids: group ``g`` is ``places[offsets[g]:offsets[g + 1]]``, in order of appearance."""

    position: dict[str, int]
    places: npt.NDArray[np.int64]
    offsets: npt.NDArray[np.int64]

    def __len__(self) -> int:
        return len(self.position)

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
    return Groups(position, np.argsort(group, kind="stable"), offsets_of(np.bincount(group, minlength=len(position))))


def _group_numbers(ids: npt.NDArray[np.int64]) -> Groups:
    """Group whole numbers by sorting them; groups are then put in order of appearance."""
    if not len(ids):
        return Groups({}, np.empty(0, dtype=np.int64), np.zeros(1, dtype=np.int64))
    places = np.argsort(ids, kind="stable")
    ordered = ids[places]
    starts = np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))
    appearance = np.argsort(places[starts])
    counts = np.diff(starts, append=len(ids))[appearance]
    offsets = offsets_of(counts)
    moved = np.repeat(starts[appearance] - offsets[:-1], counts) + np.arange(len(ids))
    names = map(str, ordered[starts[appearance]].tolist())
    return Groups(dict(zip(names, range(len(counts)), strict=True)), places[moved], offsets)
