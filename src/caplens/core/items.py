"""The items of a result as plain data, made from columns."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from caplens.arrays import Floats
from caplens.output.document import encode, number

if TYPE_CHECKING:
    import msgspec

BLOCK_ITEMS = 4096  # that are plain data at a time, on the way into a file


@dataclass(frozen=True, eq=False)
class Items:
    """What files say about each item.

    Attributes
    ----------
    described : mapping of str to sequence
        What stands before the scores: the id, perhaps the captions.
    columns : mapping of str to numpy.ndarray
        The scores by key, and their parts as ``KEY_part``.
    keys : sequence of str
        The keys of the scores.
    parts : mapping of str to sequence of str
        The names of the parts of those scores that have some.

    Examples
    --------
    >>> items = Items({"id": ["7"]}, {"CIDEr": np.array([0.5])}, ["CIDEr"], {})
    >>> items.dicts(), bytes(items.json())
    ([{'id': '7', 'scores': {'CIDEr': 0.5}}], b'[{"id":"7","scores":{"CIDEr":0.5}}]')
    """

    described: Mapping[str, Sequence[Any]]
    columns: Mapping[str, Floats]
    keys: Sequence[str]
    parts: Mapping[str, Sequence[str]]

    def dicts(self, first: int = 0, last: int | None = None) -> list[dict[str, Any]]:
        """Return items as plain data; a value that does not exist is None."""
        columns = {key: numbers(values[first:last]) for key, values in self.columns.items()}
        scores = [
            dict(zip(self.keys, row, strict=True)) for row in zip(*(columns[key] for key in self.keys), strict=True)
        ]
        found: dict[str, Sequence[Any]] = {name: values[first:last] for name, values in self.described.items()}
        found["scores"] = scores
        if self.parts:
            found["parts"] = [
                {key: {name: columns[f"{key}_{name}"][row] for name in names} for key, names in self.parts.items()}
                for row in range(len(scores))
            ]
        return [dict(zip(found, row, strict=True)) for row in zip(*found.values(), strict=True)]

    def json(self) -> msgspec.Raw:
        """Return the list of them as JSON, without all of them in memory at a time."""
        import msgspec

        count = len(next(iter(self.described.values())))
        blocks = [encode(self.dicts(first, first + BLOCK_ITEMS))[1:-1] for first in range(0, count, BLOCK_ITEMS)]
        return msgspec.Raw(b"[" + b",".join(blocks) + b"]")


def numbers(values: Floats) -> list[float | None]:
    """Return numbers as plain data; None stands for one that does not exist."""
    found: list[float | None] = values.tolist()
    if not np.isfinite(values).all():
        found = [number(value) if value is not None else None for value in found]
    return found
