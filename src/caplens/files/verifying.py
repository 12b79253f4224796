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
    folder = cache_directory()
    if status.st_size <= LARGE or is_homeless(folder):
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
