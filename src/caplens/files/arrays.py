"""Named arrays in one file that is mapped, not read: the safetensors layout, so any safetensors reader can look in.

The file is an 8-byte little-endian number, so many bytes of JSON (name, type, shape and place of each array, and facts
about them all as text), then the little-endian numbers themselves. Written by hand because the readers of the
safetensors package copy the arrays and know no checksum.
"""

from __future__ import annotations

import math
import mmap
import os
import re
import stat
import zlib
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np
from numpy.typing import NDArray

from caplens.files.checks import DamagedFileError
from caplens.files.verifying import is_verified

_CODES = {
    np.dtype(name): code
    for name, code in {
        "<u1": "U8", "<i1": "I8", "<u2": "U16", "<i2": "I16", "<u4": "U32", "<i4": "I32",
        "<u8": "U64", "<i8": "I64", "<f2": "F16", "<f4": "F32", "<f8": "F64",
    }.items()
}  # fmt: skip
TYPES = {code: dtype for dtype, code in _CODES.items()}
LENGTH_BYTES = 8
_LONGEST_HEADER = 100_000_000  # as in the safetensors package
_DATA_ALIGNMENT = 64  # a cache line
_METADATA = "__metadata__"
_CHECKSUM = "checksum"
_NOT_ASCII = re.compile("[^\x00-\x7f]")  # escaped, so that a header has one form whoever wrote it

Check = Callable[[Mapping[str, NDArray[Any]]], None]
"""Refuses arrays that contradict each other."""


class Arrays(Mapping[str, NDArray[Any]]):
    """Named arrays that cannot be written to: mapped from a file, or in memory.

    They are contiguous and sorted by name. Mapped arrays stay as they are when another process replaces the file.

    Attributes
    ----------
    facts : dict of str to str
        What was said about the arrays when they were written.
    size : int
        The size of the file in bytes (in memory: of the file they would make).

    Examples
    --------
    >>> arrays = Arrays.in_memory({"ids": np.array([3, 1, 4])}, {"version": "1"})
    >>> arrays["ids"].sum(), arrays.facts
    (np.int64(8), {'version': '1'})
    """

    def __init__(self, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, str], size: int) -> None:
        self._arrays = {name: arrays[name] for name in sorted(arrays)}
        self.facts = dict(facts)
        self.size = size

    @classmethod
    def in_memory(cls, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, str]) -> Self:
        """Wrap arrays that are in no file; they are not copied unless their layout demands it."""
        laid_out = {name: _contiguous(name, array).view() for name, array in arrays.items()}
        for array in laid_out.values():
            array.flags.writeable = False
        layout = _Layout.of(laid_out)
        return cls(laid_out, facts, len(layout.head(facts, 0)) + layout.data_size)

    def __getitem__(self, name: str) -> NDArray[Any]:
        return self._arrays[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self._arrays)

    def __len__(self) -> int:
        return len(self._arrays)

    def __repr__(self) -> str:
        described = ", ".join(f"{name}: {array.dtype}{list(array.shape)}" for name, array in self.items())
        return f"<Arrays {described or 'none'}>"


def write_arrays(path: str | os.PathLike[str], arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, str]) -> None:
    """Write arrays to a file and wait until the disk has them; `caplens.files.atomic` makes it all or nothing.

    Parameters
    ----------
    path : path
        The file.
    arrays : mapping of str to array
        Integers of 1 to 8 bytes, or floats of 2 to 8 bytes, of any shape.
    facts : mapping of str to str
        What a reader should know about them, such as the version of the format.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write_arrays(Path(folder) / "a.safetensors", {"ids": np.array([3, 1, 4])}, {"version": "1"})
    ...     arrays = read_arrays(Path(folder) / "a.safetensors")
    ...     arrays["ids"].tolist(), arrays.facts
    ([3, 1, 4], {'version': '1'})
    """
    laid_out = {name: _contiguous(name, array) for name, array in arrays.items()}
    layout = _Layout.of(laid_out)
    pieces = [laid_out[name].reshape(-1).view(np.uint8).data for name in layout.order]
    checksum = layout.header_checksum(facts)
    for piece in pieces:
        checksum = zlib.crc32(piece, checksum)
    head = layout.head(facts, checksum)
    with Path(path).open("wb") as file:
        file.write(head)
        for piece in pieces:
            file.write(piece)
        file.flush()
        os.fsync(file.fileno())


def read_arrays(path: str | os.PathLike[str], *, verify: bool = True, check: Check | None = None) -> Arrays:
    """Map the arrays of a file that `write_arrays` wrote.

    Parameters
    ----------
    path : path
        The file.
    verify : bool
        Whether to compare the checksum, which reads the whole file: a large one once for each size and time of
        modification (`caplens.files.verifying`). All else is checked in any case.
    check : callable, optional
        Called with the arrays whenever the checksum is compared; raises `DamagedFileError` if they make no sense.

    Raises
    ------
    DamagedFileError
        If the file holds anything else than what was written; the message says what is wrong.
    OSError
        If there is no such file or it may not be read.
    """
    path = Path(path)
    if not stat.S_ISREG(path.stat().st_mode):
        raise DamagedFileError(f"{path} is not a file.")
    with path.open("rb") as file:
        size = os.fstat(file.fileno()).st_size
        length = int.from_bytes(file.read(LENGTH_BYTES), "little")
        if size < LENGTH_BYTES or length > _LONGEST_HEADER:
            raise DamagedFileError(f"{path} is not a file of arrays in the safetensors layout.")
        if length > size - LENGTH_BYTES:
            raise DamagedFileError(f"{path} is truncated: its header of {length:,} bytes is incomplete.")
        text = file.read(length)
        layout, facts, checksum = _parsed(path, text)
        start = LENGTH_BYTES + length
        if size != start + layout.data_size:
            fault = "is truncated" if size < start + layout.data_size else "is longer than it should be"
            raise DamagedFileError(f"{path} {fault}: {size:,} bytes instead of {start + layout.data_size:,}.")
        # The operating system keeps the mapped file while any array is in use, even when its name is given to another.
        mapped = mmap.mmap(file.fileno(), 0, access=mmap.ACCESS_READ)
    arrays = Arrays(layout.views(mapped, start), facts, size)

    def examine() -> bool:
        with memoryview(mapped) as everything, everything[start:] as data:
            good = zlib.crc32(data, layout.header_checksum(facts)) == checksum
        if good and check is not None:
            check(arrays)
        return good

    if verify and not is_verified(path, f"{checksum:08x}", examine):
        del arrays
        mapped.close()  # Windows replaces no file that is mapped, and whoever catches this may want to
        raise DamagedFileError(f"{path} is damaged: its checksum does not match.")
    return arrays


@dataclass(frozen=True)
class _Layout:
    """Where each array lies: types and shapes alone decide it, so a header has only one right form."""

    arrays: dict[str, tuple[np.dtype[Any], tuple[int, ...]]]

    @classmethod
    def of(cls, arrays: Mapping[str, NDArray[Any]]) -> Self:
        return cls({name: (array.dtype, array.shape) for name, array in arrays.items()})

    @property
    def order(self) -> list[str]:
        """Wide numbers first: each array then begins at a multiple of its item size without holes between arrays."""
        return sorted(self.arrays, key=lambda name: (-self.arrays[name][0].itemsize, name))

    @property
    def data_size(self) -> int:
        return sum(dtype.itemsize * math.prod(shape) for dtype, shape in self.arrays.values())

    def places(self) -> Iterator[tuple[str, np.dtype[Any], tuple[int, ...], int, int]]:
        """Name, type, shape, first byte and byte after the last of each array, counted from the first array."""
        first = 0
        for name in self.order:
            dtype, shape = self.arrays[name]
            last = first + dtype.itemsize * math.prod(shape)
            yield name, dtype, shape, first, last
            first = last

    def header(self, metadata: Mapping[str, str]) -> bytes:
        entries: dict[str, object] = {
            name: {"dtype": _CODES[dtype], "shape": list(shape), "data_offsets": [first, last]}
            for name, dtype, shape, first, last in self.places()
        }
        text = msgspec.json.encode({_METADATA: dict(metadata), **entries}, order="sorted").decode("utf-8")
        return _NOT_ASCII.sub(_escaped, text).encode("ascii")

    def header_checksum(self, facts: Mapping[str, str]) -> int:
        """Begin the checksum of a file: CRC-32 of the header without it, to be continued with the arrays.

        The file is guarded against accidents, not against enemies, and CRC-32 was the fastest that is not blind to
        exchanged blocks: 100 MB in 28 ms, where SHA-256 with its own processor instructions takes 64, BLAKE2b 125.
        """
        return zlib.crc32(self.header(facts))

    def head(self, facts: Mapping[str, str], checksum: int) -> bytes:
        """All that stands before the arrays: the length and the header, padded to where the arrays may begin."""
        if _CHECKSUM in facts:
            raise ValueError(f"a fact cannot be named {_CHECKSUM!r}: the file keeps its own there")
        text = self.header({**facts, _CHECKSUM: f"{checksum:08x}"})
        text += b" " * (-(LENGTH_BYTES + len(text)) % _DATA_ALIGNMENT)
        return len(text).to_bytes(LENGTH_BYTES, "little") + text

    def views(self, mapped: mmap.mmap, start: int) -> dict[str, NDArray[Any]]:
        return {
            name: np.ndarray(shape, dtype, buffer=mapped, offset=start + first)
            for name, dtype, shape, first, _ in self.places()
        }


def _escaped(found: re.Match[str]) -> str:
    """Write a character as JSON escapes: two of them where UTF-16 has a pair."""
    units = found[0].encode("utf-16-be")
    return "".join(f"\\u{units[place]:02x}{units[place + 1]:02x}" for place in range(0, len(units), 2))


def _contiguous(name: str, array: NDArray[Any]) -> NDArray[Any]:
    dtype = array.dtype.newbyteorder("<")
    if dtype not in _CODES:
        raise TypeError(f"array {name!r} has the type {array.dtype}, which a file of arrays cannot store")
    if name == _METADATA:
        raise ValueError(f"an array cannot be named {_METADATA!r}: the layout uses it for the facts")
    return np.asarray(array, dtype=dtype, order="C")


def _parsed(path: Path, text: bytes) -> tuple[_Layout, dict[str, str], int]:
    """Understand a header; to be valid it must be, byte for byte, what `write_arrays` would have written."""
    try:
        entries = msgspec.json.decode(text)
        facts = entries.pop(_METADATA)
        checksum = int(facts.pop(_CHECKSUM), 16)
        layout = _Layout({name: (TYPES[entry["dtype"]], tuple(entry["shape"])) for name, entry in entries.items()})
        valid = layout.head(facts, checksum)[LENGTH_BYTES:] == text and _possible(layout, facts)
    except (ValueError, TypeError, KeyError, AttributeError, RecursionError):
        valid = False
    if not valid:
        raise DamagedFileError(f"{path} is not a file of arrays that caplens wrote, or its header is damaged.")
    return layout, facts, checksum


def _possible(layout: _Layout, facts: Mapping[str, object]) -> bool:
    """Whether the facts are text and every shape is one that an array can have."""
    return all(isinstance(fact, str) for fact in facts.values()) and all(
        all(type(length) is int and length >= 0 for length in shape)
        and len(shape) <= 32  # the most dimensions that numpy 1 knows
        and math.prod(max(length, 1) for length in shape) < 2**60
        for _, shape in layout.arrays.values()
    )
