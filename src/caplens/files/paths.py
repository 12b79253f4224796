"""What a path leads to; a name that no file can have (too long, with a zero byte) leads nowhere and is no error."""

from __future__ import annotations

import os
import stat
from pathlib import Path


def status_of(path: str | os.PathLike[str]) -> os.stat_result | None:
    """Return the status of what a path leads to, or None.

    Examples
    --------
    >>> status_of("x" * 1000) is None, status_of(os.curdir) is None
    (True, False)
    """
    try:
        return Path(path).stat()
    except (OSError, ValueError):
        return None


def exists(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to anything."""
    return status_of(path) is not None


def is_file(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to a file."""
    found = status_of(path)
    return found is not None and stat.S_ISREG(found.st_mode)


def is_folder(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to a folder."""
    found = status_of(path)
    return found is not None and stat.S_ISDIR(found.st_mode)


def is_special(path: str | os.PathLike[str]) -> bool:
    """Whether a path leads to something that is neither a file nor a folder: a device, a pipe, a socket.

    Examples
    --------
    >>> is_special(os.devnull), is_special(os.curdir)
    (True, False)
    """
    return exists(path) and not is_file(path) and not is_folder(path)
