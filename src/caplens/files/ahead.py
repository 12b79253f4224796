"""Packed files, unpacked by a thread while the program does something else: zlib releases the GIL."""

from __future__ import annotations

import io
import os
import stat
import threading
import zlib
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

GZIP_MAGIC = b"\x1f\x8b"
PLENTY = 256 << 20
"""Bytes that any gzip file may unpack to."""
MOST_TIMES = 200
"""Larger ones may have so many times their packed size: captions have five times, a bomb has a thousand."""
_PIECE = 1 << 18
_LARGEST = 1 << 30  # packed bytes; who reads larger files does it piece by piece
_Identity = tuple[int, int, int, int]

_ahead: dict[_Identity, _Unpacking] = {}
_lock = threading.Lock()


class _Unpacking:
    """A file that is being unpacked."""

    def __init__(self, path: str | os.PathLike[str]) -> None:
        self._path = path
        self._content: bytes | None = None
        self._thread = threading.Thread(target=self._run, daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            with Path(self._path).open("rb") as file:
                if file.read(len(GZIP_MAGIC)) == GZIP_MAGIC:
                    self._content = unpacked(GZIP_MAGIC + file.read())
        except (OSError, MemoryError):  # who opens the file meets it too, and says so
            self._content = None

    def content(self) -> bytes | None:
        self._thread.join()
        return self._content


def read_ahead(paths: Iterable[str | os.PathLike[str]]) -> None:
    """Begin to unpack those files that are packed; `taken_ahead` gives their content to who opens them.

    It never fails: whatever is wrong with a file is found again, and said, when it is opened.
    """
    for path in paths:
        identity = _identity(path)
        if identity is not None:
            with _lock:
                if identity not in _ahead:
                    _ahead[identity] = _Unpacking(path)


@contextmanager
def reading_ahead(paths: Iterable[str | os.PathLike[str]]) -> Iterator[None]:
    """Unpack files while something else is done in the block, and forget what nobody opened there.

    Examples
    --------
    >>> with reading_ahead(["captions.json.gz"]):
    ...     pass
    """
    paths = list(paths)
    read_ahead(paths)
    try:
        yield
    finally:
        with _lock:
            for path in paths:
                identity = _identity(path)
                if identity is not None:
                    _ahead.pop(identity, None)


def taken_ahead(path: str | os.PathLike[str]) -> bytes | None:
    """Return what a file holds, once, if it was unpacked ahead and has not changed since; else None."""
    if not _ahead:
        return None
    identity = _identity(path)
    with _lock:
        found = None if identity is None else _ahead.pop(identity, None)
    return None if found is None else found.content()


def unpacked(packed: bytes) -> bytes | None:
    """Return what a gzip file holds; None where it is damaged, or out of all proportion to the file.

    Examples
    --------
    >>> import gzip
    >>> unpacked(gzip.compress(b"two ") + gzip.compress(b"dogs")), unpacked(gzip.compress(b"dogs")[:-1])
    (b'two dogs', None)
    """
    most = max(PLENTY, MOST_TIMES * len(packed))
    content = io.BytesIO()
    start = 0
    while start < len(packed):
        inflate = zlib.decompressobj(wbits=31)
        while not inflate.eof:
            if start >= len(packed) or content.tell() > most:
                return None
            try:
                content.write(inflate.decompress(packed[start : start + _PIECE]))
            except zlib.error:
                return None
            start = min(start + _PIECE, len(packed))
        start -= len(inflate.unused_data)
        while packed[start : start + 1] == b"\0":  # files may be filled up with zeros
            start += 1
    return content.getvalue() if content.tell() <= most else None


def _identity(path: str | os.PathLike[str]) -> _Identity | None:
    """Tell one state of a regular file from all others."""
    try:
        status = Path(path).stat()
    except (OSError, ValueError):
        return None
    if not stat.S_ISREG(status.st_mode) or status.st_size > _LARGEST:
        return None
    return status.st_dev, status.st_ino, status.st_size, status.st_mtime_ns
