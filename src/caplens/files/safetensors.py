"""Safetensors files of other programs, read into memory; `caplens.files.arrays` maps and checks those of our own."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
from numpy.typing import NDArray

from caplens.files.arrays import LENGTH_BYTES, TYPES
from caplens.files.checks import DamagedFileError


class _Entry(msgspec.Struct):
    """Type, shape and place of one array."""

    dtype: str
    shape: list[int]
    data_offsets: tuple[int, int]


def read_safetensors(path: Path) -> dict[str, NDArray[Any]]:
    """Read all arrays of a file; numbers of half a Brain float (BF16) become single-precision ones.

    Raises
    ------
    DamagedFileError
        If it is no such file, or an array would lie outside of it or has another size than its shape.
    OSError
        If it cannot be read.

    Examples
    --------
    >>> import tempfile
    >>> from caplens.files.arrays import write_arrays
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_arrays(Path(folder, "a.safetensors"), {"ids": np.array([3, 1, 4])}, {})
    ...     read_safetensors(Path(folder, "a.safetensors"))["ids"].tolist()
    [3, 1, 4]
    """
    data = path.read_bytes()
    start = LENGTH_BYTES + int.from_bytes(data[:LENGTH_BYTES], "little")
    try:
        header = msgspec.json.decode(data[LENGTH_BYTES:start], type=dict[str, msgspec.Raw])
        entries = {
            name: msgspec.json.decode(entry, type=_Entry) for name, entry in header.items() if name != "__metadata__"
        }
    except (ValueError, RecursionError) as error:
        raise DamagedFileError(f"{path} is not a safetensors file: its header cannot be read ({error}).") from error
    content = memoryview(data)[start:]  # slices of bytes would be copies, one kept alive by every array
    return {name: _array(path, name, entry, content) for name, entry in entries.items()}


def _array(path: Path, name: str, entry: _Entry, data: memoryview) -> NDArray[Any]:
    brain = entry.dtype == "BF16"
    dtype = np.dtype("<u2") if brain else np.dtype(bool) if entry.dtype == "BOOL" else TYPES.get(entry.dtype)
    if dtype is None:
        raise DamagedFileError(f"{path} has the array {name!r} of the type {entry.dtype!r}, which is not known.")
    first, last = entry.data_offsets
    sound = all(length >= 0 for length in entry.shape) and 0 <= first <= last <= len(data)
    if not sound or last - first != math.prod(entry.shape) * dtype.itemsize:
        raise DamagedFileError(f"{path} is damaged or truncated: the array {name!r} is incomplete.")
    numbers = np.frombuffer(data, dtype, math.prod(entry.shape), first).reshape(entry.shape)
    # A Brain float is the upper half of a single-precision number.
    return (numbers.astype("<u4") << 16).view("<f4") if brain else numbers
