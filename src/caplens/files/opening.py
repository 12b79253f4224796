"""Inputs by content: plain or gzip, a file or standard input, any Unicode encoding that says what it is."""

from __future__ import annotations

import codecs
import gzip
import io
import os
import sys
import zlib
from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, BinaryIO, cast

from caplens.errors import InputError
from caplens.files.ahead import GZIP_MAGIC, MOST_TIMES, PLENTY, taken_ahead
from caplens.files.claims import claim_input

if TYPE_CHECKING:
    from _typeshed import WriteableBuffer

HEAD_BYTES = 1 << 16
"""How much of an input is looked at to recognise it: several hundred captions."""

_STDIN = "-"
_PIECE = 1 << 24
# UTF-32 stands first: its little-endian mark begins with the one of UTF-16.
_MARKED_ENCODINGS = (
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)


@dataclass(frozen=True)
class Content:
    """What an input holds: unpacked, and text as UTF-8 without a byte order mark. It can be read once.

    Attributes
    ----------
    name : str
        The input, for messages.
    head : bytes
        The first `HEAD_BYTES` bytes; looking at them reads nothing.
    stream : binary stream
        All bytes, from the first.
    path : pathlib.Path or None
        The file, where it holds these very bytes (not packed, not standard input) and can be mapped.
    """

    name: str
    head: bytes
    stream: BinaryIO
    path: Path | None = None

    def read(self) -> bytes:
        """Return everything at once."""
        return self.stream.read()

    def lines(self) -> Iterator[str]:
        """Return the lines one by one, each with its line feed; only a line feed ends a line.

        Raises
        ------
        InputError
            If a line is not UTF-8; the message names the line.
        """
        for number, line in enumerate(self.stream, 1):
            try:
                yield line.decode("utf-8")
            except UnicodeDecodeError as error:
                raise not_utf8(self.name, line, error, number) from None


@contextmanager
def opened(path: str | os.PathLike[str]) -> Iterator[Content]:
    r"""Open an input for reading, whatever wraps it; ``-`` is standard input.

    Everything that can go wrong while it is open (no such file, no permission, a truncated gzip file) becomes an
    `InputError`.

    Examples
    --------
    >>> import gzip, os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "captions.txt")
    ...     with gzip.open(path, "wb") as file:
    ...         _ = file.write("two dogs\n".encode("utf-16"))
    ...     with opened(path) as content:
    ...         list(content.lines())
    ['two dogs\n']
    """
    name = "standard input" if path == _STDIN else os.fsencode(path).decode("utf-8", "replace")
    try:
        with _raw_stream(path, name) as raw:
            yield _unpacked(raw, name, None if path == _STDIN else Path(path))
    except (EOFError, zlib.error, gzip.BadGzipFile) as error:
        raise InputError(
            f"{name} is a damaged or incomplete gzip file ({error}): copy or download it again."
        ) from error
    except FileNotFoundError as error:
        raise InputError(f"There is no file {name}: check the path.") from error
    except OSError as error:
        raise InputError(f"{name} cannot be read: {error.strerror or error}.") from error


def not_utf8(name: str, data: bytes, error: UnicodeDecodeError, line: int | None = None) -> InputError:
    """Say where text stops being UTF-8 and what to do about it.

    Parameters
    ----------
    name : str
        The input.
    data : bytes
        What was decoded.
    error : UnicodeDecodeError
        The place in ``data``.
    line : int, optional
        The line number, if ``data`` is one line of the input.
    """
    start = data.rfind(b"\n", 0, error.start) + 1
    number = line or data.count(b"\n", 0, error.start) + 1
    return InputError(
        f"{name} is not UTF-8 text: byte 0x{data[error.start]:02x} at position {error.start - start + 1} of line "
        f"{number:,} is invalid. Save the file as UTF-8."
    )


class _Rejoined(io.RawIOBase):
    """A stream whose beginning was read to see what it is, as one stream again (pipes cannot be rewound)."""

    def __init__(self, head: bytes, rest: BinaryIO) -> None:
        self._head = head
        self._rest = rest
        self.given = 0

    def readable(self) -> bool:
        return True

    def readinto(self, buffer: WriteableBuffer) -> int:
        with memoryview(buffer) as view:
            data = self._head[: len(view)] or self._rest.read(len(view))
            self._head = self._head[len(data) :]
            view[: len(data)] = data
        self.given += len(data)
        return len(data)

    def readall(self) -> bytes:
        head, self._head = self._head, b""
        return head + self._rest.read()


class _Unpacked(io.RawIOBase):
    """What a gzip file holds, as long as it is not out of all proportion to the file."""

    def __init__(self, packed: _Rejoined, name: str) -> None:
        self._packed = packed
        self._unpacked = gzip.GzipFile(fileobj=io.BufferedReader(packed, HEAD_BYTES))
        self._name = name
        self._given = 0

    def read(self, size: int | None = -1) -> bytes:
        if size is None or size < 0:
            return b"".join(iter(lambda: self.read(_PIECE), b""))
        data = self._unpacked.read(size)
        self._given += len(data)
        if self._given > max(PLENTY, MOST_TIMES * self._packed.given):
            raise InputError(
                f"{self._name} decompresses to more than {MOST_TIMES} times its size ({self._given >> 20:,} MB so "
                f"far): if that is expected, decompress it with gunzip first."
            )
        return data


def _raw_stream(path: str | os.PathLike[str], name: str) -> AbstractContextManager[BinaryIO]:
    if path == _STDIN:
        if sys.stdin is None:
            raise InputError("Standard input is not available: specify a file.")
        return nullcontext(cast(BinaryIO, sys.stdin.buffer))
    if Path(path).is_dir():
        raise InputError(f"{name} is a folder: specify a file in it.")
    claim_input(path)
    try:
        return Path(path).open("rb")
    except ValueError as error:
        raise InputError(f"{name!r} is not a file name: {error}.") from error


def _unpacked(raw: BinaryIO, name: str, path: Path | None) -> Content:
    head = raw.read(HEAD_BYTES)
    rest = raw
    mappable = path if path is not None and path.is_file() else None
    if head.startswith(GZIP_MAGIC):
        whole = None if mappable is None else taken_ahead(mappable)
        if whole and not whole.startswith((codecs.BOM_UTF8, *(mark for mark, _ in _MARKED_ENCODINGS))):
            return Content(name, whole[:HEAD_BYTES], io.BytesIO(whole))
        rest = cast(BinaryIO, _Unpacked(_Rejoined(head, raw), name))
        head = rest.read(HEAD_BYTES)
        mappable = None
    for mark, encoding in _MARKED_ENCODINGS:
        if head.startswith(mark):
            rest = io.BytesIO(_as_utf8(head + rest.read(), encoding, name))
            head = rest.read(HEAD_BYTES)
            mappable = None
            break
    head = head.removeprefix(codecs.BOM_UTF8)
    if not head:
        raise InputError(f"{name} is empty: there is nothing to read.")
    return Content(name, head, io.BufferedReader(_Rejoined(head, rest), HEAD_BYTES), mappable)


def _as_utf8(data: bytes, encoding: str, name: str) -> bytes:
    try:
        return data.decode(encoding).encode("utf-8")
    except UnicodeDecodeError as error:
        raise InputError(
            f"{name} begins like {encoding.upper()} text but is not ({error.reason} at byte {error.start:,}): "
            "save the file as UTF-8."
        ) from error
