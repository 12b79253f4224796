"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from caplens.errors import InputError


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path beside ``path``; when the block ends well it takes its place, else it is removed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     target = Path(folder) / "numbers.txt"
    ...     with atomic_path(target) as temporary:
    ...         _ = temporary.write_text("1 2 3")
    ...     target.read_text()
    '1 2 3'
    """
    check_writable(path)
    try:
        with replacing(path) as temporary:
            yield temporary
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Do what `atomic_path` does, for callers who have an answer to an `OSError`: it comes out as it is."""
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.with_name(f"{_temporary_prefix(target)}{secrets.token_hex(8)}")
    # Not tempfile.mkstemp: its files are private, and to learn which mode an ordinary file has, one must change the
    # umask of the whole process for a moment, which two threads at once can turn into for ever.
    temporary.touch(exist_ok=False)
    try:
        yield temporary
        temporary.replace(target)
    finally:
        temporary.unlink(missing_ok=True)


def remove_leftovers(path: str | os.PathLike[str]) -> None:
    """Remove what processes that were killed while writing ``path`` left behind; nobody may be writing it now."""
    target = Path(os.path.realpath(path))
    with suppress(OSError):  # whoever cannot remove them will hardly be able to write either, and hears of it then
        for file in target.parent.iterdir():
            if file.name.startswith(_temporary_prefix(target)):
                file.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no file can be written to."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{path} is a folder: name a file to write to.")
    if not target.parent.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {Path(path).parent}.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path} cannot be written: no permission to write in {Path(path).parent}.")


def _temporary_prefix(target: Path) -> str:
    return f".{target.name[:100]}."
