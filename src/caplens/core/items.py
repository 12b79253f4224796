"""The items of a result as plain data, made from columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import numpy as np

from caplens.arrays import Floats
from caplens.core._items import side_by_side
from caplens.output.document import encode, number

if TYPE_CHECKING:
    import msgspec

BLOCK_ITEMS = 16_384  # that are plain data at a time, on the way into a file


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
        """Return the list of them as JSON, without a Python object for each of them."""
        import msgspec

        count = len(next(iter(self.described.values())))
        before = list(self._before())
        blocks = []
        for first in range(0, count, BLOCK_ITEMS):
            last = min(first + BLOCK_ITEMS, count)
            columns = [encode(list(values[first:last])) for values in self.described.values()]
            columns += [encode(numbers(self.columns[name][first:last])) for name in self._in_order()]
            blocks.append(side_by_side(columns, before, b"}}}" if self.parts else b"}}", last - first))
        return msgspec.Raw(b"[" + b",".join(blocks) + b"]")

    def _in_order(self) -> list[str]:
        """Return the names of the columns as they stand in an item."""
        return [*self.keys, *(f"{key}_{name}" for key, names in self.parts.items() for name in names)]

    def _before(self) -> Iterator[bytes]:
        """Return what an item has before each value."""
        opening = b"{"
        for name in self.described:
            yield opening + encode(name) + b":"
            opening = b","
        opening = b',"scores":{'
        for key in self.keys:
            yield opening + encode(key) + b":"
            opening = b","
        opening = b'},"parts":{'
        for key, names in self.parts.items():
            opening += encode(key) + b":{"
            for name in names:
                yield opening + encode(name) + b":"
                opening = b","
            opening = b"},"


def numbers(values: Floats) -> list[float | None]:
    """Return numbers as plain data; None stands for one that does not exist."""
    found: list[float | None] = values.tolist()
    if not np.isfinite(values).all():
        found = [number(value) if value is not None else None for value in found]
    return found
