"""What arrays of a file must be before a kernel, which checks nothing, sees them.

A checksum says that a file is as it was written, not that what was written makes sense.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from caplens.errors import CaplensError

_BLOCK = 1 << 20  # numbers looked at together, so that a mapped file of any size needs little memory


class DamagedFileError(CaplensError, ValueError):
    """A file of arrays that is not what was written, or arrays that contradict each other."""


def check_offsets(what: str, offsets: NDArray[np.integer[Any]], end: int, begin: int = 0) -> None:
    """Refuse offsets that do not lead from ``begin`` to ``end`` without ever falling.

    Examples
    --------
    >>> check_offsets("word_offsets", np.array([0, 2, 2, 5]), 5)
    >>> check_offsets("word_offsets", np.array([0, 3, 2, 5]), 5)
    Traceback (most recent call last):
    caplens.files.checks.DamagedFileError: word_offsets must be non-decreasing offsets from 0 to 5.
    """
    good = offsets.ndim == 1 and offsets.dtype.kind in "iu" and len(offsets) > 0
    # Neighbours are compared, not subtracted: differences of unsigned numbers never fall below zero.
    if not good or offsets[0] != begin or offsets[-1] != end or bool((offsets[1:] < offsets[:-1]).any()):
        raise DamagedFileError(f"{what} must be non-decreasing offsets from {begin} to {end:,}.")


def check_range(what: str, numbers: NDArray[np.integer[Any]], least: int, beyond: int) -> None:
    """Refuse whole numbers below ``least``, or not below ``beyond``.

    Examples
    --------
    >>> check_range("rows", np.array([0, 7]), 0, 7)
    Traceback (most recent call last):
    caplens.files.checks.DamagedFileError: rows must be whole numbers from 0 to 6.
    """
    good = numbers.dtype.kind in "iu"
    if not good or (numbers.size and not (least <= int(numbers.min()) and int(numbers.max()) < beyond)):
        raise DamagedFileError(f"{what} must be whole numbers from {least} to {beyond - 1:,}.")


def check_type(what: str, array: NDArray[Any], dtype: type[np.generic]) -> None:
    """Refuse an array of other numbers than a kernel reads.

    Examples
    --------
    >>> check_type("words", np.zeros(2, np.float32), np.uint8)
    Traceback (most recent call last):
    caplens.files.checks.DamagedFileError: words must be an array of uint8, not float32.
    """
    if array.dtype != np.dtype(dtype):
        raise DamagedFileError(f"{what} must be an array of {np.dtype(dtype)}, not {array.dtype}.")


def check_shape(what: str, array: NDArray[Any], *shape: int) -> None:
    """Refuse an array of another shape; -1 stands for any length.

    Examples
    --------
    >>> check_shape("vectors", np.zeros((2, 3)), -1, 3)
    >>> check_shape("vectors", np.zeros((2, 3)), 3, 3)
    Traceback (most recent call last):
    caplens.files.checks.DamagedFileError: vectors must have the shape 3 x 3, not 2 x 3.
    """
    if array.ndim != len(shape) or any(
        wanted not in (-1, length) for wanted, length in zip(shape, array.shape, strict=True)
    ):
        wanted = " x ".join("any" if length < 0 else str(length) for length in shape) or "of one number"
        found = " x ".join(map(str, array.shape)) or "of one number"
        raise DamagedFileError(f"{what} must have the shape {wanted}, not {found}.")


def all_finite(array: NDArray[Any]) -> bool:
    """Whether an array holds neither infinities nor what is no number; whole numbers are finite.

    Examples
    --------
    >>> all_finite(np.array([1.0, 2.0])), all_finite(np.array([1.0, np.nan]))
    (True, False)
    """
    if array.dtype.kind != "f":
        return array.dtype.kind in "iu"
    flat = array.reshape(-1)
    return all(bool(np.isfinite(flat[first : first + _BLOCK]).all()) for first in range(0, len(flat), _BLOCK))


def check_finite(what: str, array: NDArray[Any]) -> None:
    """Refuse an array with infinities or with what is no number.

    Examples
    --------
    >>> check_finite("vectors", np.array([1.0, np.inf]))
    Traceback (most recent call last):
    caplens.files.checks.DamagedFileError: vectors must contain only finite numbers.
    """
    if not all_finite(array):
        raise DamagedFileError(f"{what} must contain only finite numbers.")
