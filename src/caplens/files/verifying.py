"""Whether stored files are as they were written: small ones at each use, large ones once.

A large file that was found whole is remembered in the cache by its size and time of modification, so that mapping it
costs nothing; `caplens doctor --verify` looks at everything again.
"""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from caplens.files.folders import cache_directory, is_homeless

LARGE = 50_000_000
"""Bytes: what is smaller takes a few milliseconds."""

MEMORY = "verified.sqlite"

_everything: ContextVar[bool] = ContextVar("caplens_verifies_everything", default=False)


@contextmanager
def verifying_everything() -> Iterator[None]:
    """Look at large files too, within the block, even if they were found whole before."""
    token = _everything.set(True)
    try:
        yield
    finally:
        _everything.reset(token)


def content_hash(path: Path) -> str:
    """Return a hash of a file's content; that of a large file is remembered by its size and time of modification.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     content_hash(Path(file.name))
    'ddd9c40767f9'
    """
    status = path.stat()
    if status.st_size <= LARGE or is_homeless(folder := cache_directory()):
        return _digest(path)
    from caplens.files.store import Store

    memory = Store(folder / MEMORY)
    key = hashlib.blake2b(b"content " + os.fsencode(path.absolute()), digest_size=16).digest()
    mark = f"{status.st_size} {status.st_mtime_ns} "
    known = memory.get([key]).get(key, b"").decode()
    if known.startswith(mark) and not _everything.get():
        return known.removeprefix(mark)
    found = _digest(path)
    memory.put({key: f"{mark}{found}".encode()})
    return found


def _digest(path: Path) -> str:
    hashed = hashlib.blake2b(digest_size=6)
    with path.open("rb") as file:
        while piece := file.read(1 << 20):
            hashed.update(piece)
    return hashed.hexdigest()


def is_verified(path: Path, checksum: str, examine: Callable[[], bool]) -> bool:
    """Whether a file is as it was written.

    Parameters
    ----------
    path : pathlib.Path
        The file.
    checksum : str
        What it should be; a file that should be something else now is looked at again.
    examine : callable
        Reads the file and compares.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     is_verified(Path(file.name), "0", lambda: True), is_verified(Path(file.name), "0", lambda: False)
    (True, False)
    """
    status = path.stat()
    if status.st_size <= LARGE or is_homeless(folder := cache_directory()):
        return examine()
    from caplens.files.store import Store

    memory = Store(folder / MEMORY)
    key = hashlib.blake2b(os.fsencode(path.absolute()), digest_size=16).digest()
    mark = f"{status.st_size} {status.st_mtime_ns} {checksum}".encode()
    if not _everything.get() and memory.get([key]).get(key) == mark:
        return True
    if not examine():
        memory.put({key: b""})
        return False
    memory.put({key: mark})
    return True
