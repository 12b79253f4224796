"""Rows of different lengths as one flat array: row ``i`` is ``values[offsets[i]:offsets[i + 1]]``."""

from __future__ import annotations

from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

Value = TypeVar("Value", bound=np.generic)


def take_rows(
    offsets: npt.NDArray[np.integer[Any]], values: npt.NDArray[Value], rows: npt.NDArray[np.integer[Any]]
) -> tuple[npt.NDArray[Value], npt.NDArray[np.int64]]:
    """Return the values of some rows, one row after the other, and how many each row has.

    Examples
    --------
    >>> values, counts = take_rows(np.array([0, 2, 2, 5]), np.array([3, 1, 4, 1, 5]), np.array([2, 1, 0]))
    >>> values.tolist(), counts.tolist()
    ([4, 1, 5, 3, 1], [3, 0, 2])
    """
    places, counts = places_of(offsets, rows)
    return values[places], counts


def places_of(
    offsets: npt.NDArray[np.integer[Any]], rows: npt.NDArray[np.integer[Any]]
) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return where the values of some rows are, one row after the other, and how many each row has.

    Examples
    --------
    >>> places, counts = places_of(np.array([0, 2, 2, 5]), np.array([2, 0]))
    >>> places.tolist(), counts.tolist()
    ([2, 3, 4, 0, 1], [3, 2])
    """
    starts = offsets[rows].astype(np.int64)
    counts = offsets[rows + 1].astype(np.int64) - starts
    ends = np.cumsum(counts)
    return np.repeat(starts - ends + counts, counts) + np.arange(ends[-1] if len(ends) else 0), counts


def offsets_of(counts: npt.NDArray[np.integer[Any] | np.bool_]) -> npt.NDArray[np.int64]:
    """Return where each row begins, and where the last one ends.

    Examples
    --------
    >>> offsets_of(np.array([2, 0, 3])).tolist()
    [0, 2, 2, 5]
    """
    offsets = np.zeros(len(counts) + 1, dtype=np.int64)
    np.cumsum(counts, out=offsets[1:])
    return offsets
