"""Files that are written whole or not at all.

A device, a pipe or a link to one is written into and never replaced; a file that is replaced keeps its mode and owner.
"""

from __future__ import annotations

import os
import shutil
import stat
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from caplens.errors import InputError, reason_of
from caplens.files.claims import claim_output
from caplens.files.paths import is_special, status_of

_LONGEST_NAME = 100  # bytes of a name that a temporary file repeats: most systems take 255 in all


@contextmanager
def atomic_path(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Give a temporary path; when the block ends well what was written there goes to ``path``, else it is removed.

    A file gets all of it at once; a device or a pipe, which cannot be replaced, when it is complete.

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
        with _writing_into(path) if is_special(path) else replacing(path) as temporary:
            yield temporary
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error


@contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Do what `atomic_path` does, for callers who have an answer to an `OSError`: it comes out as it is.

    What is there and is no file stays as it is, which is such an error.
    """
    if is_special(path):
        raise OSError("it is a device or a pipe, not a file")
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = target.with_name(f"{_temporary_prefix(target)}{os.urandom(8).hex()}")
    before = status_of(target)
    # Not tempfile.mkstemp: its files are private, and to learn which mode an ordinary file has, one must change the
    # umask of the whole process for a moment, which two threads at once can turn into for ever.
    temporary.touch(0o666 if before is None else 0o600, exist_ok=False)
    try:
        yield temporary
        if before is None or _made_like(temporary, before):
            temporary.replace(target)
        else:  # the owner cannot be kept otherwise
            _pour(temporary, target)
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
    """Refuse a path that no file can be written to, or that is being read."""
    try:
        target = Path(os.path.realpath(path))
        if target.is_dir():
            raise InputError(f"{path} is a folder: specify a file to write to.")
        if is_special(path):
            if not os.access(path, os.W_OK):
                raise InputError(f"{path} cannot be written: no permission to write to it.")
            return
        target.lstat()  # a name that no file can have is an error of its own
    except (FileNotFoundError, NotADirectoryError):
        pass
    except (OSError, ValueError) as error:
        raise InputError(f"{path} cannot be written: {reason_of(error)}.") from error
    if not target.parent.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {Path(path).parent}.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path} cannot be written: no permission to write in {Path(path).parent}.")
    claim_output(path)


@contextmanager
def _writing_into(path: str | os.PathLike[str]) -> Iterator[Path]:
    import tempfile

    with tempfile.TemporaryDirectory(prefix="caplens-") as folder:
        temporary = Path(folder) / (Path(path).name or "output")
        yield temporary
        _pour(temporary, path)


def _pour(source: Path, target: str | os.PathLike[str]) -> None:
    with source.open("rb") as complete, Path(target).open("wb") as into:
        shutil.copyfileobj(complete, into)


def _made_like(temporary: Path, before: os.stat_result) -> bool:
    """Give a new file the mode and the owner of the one it replaces; say whether that could be done."""
    now = temporary.stat()
    if hasattr(os, "chown") and (now.st_uid, now.st_gid) != (before.st_uid, before.st_gid):
        try:
            os.chown(temporary, before.st_uid, before.st_gid)
        except PermissionError:
            return False
    temporary.chmod(stat.S_IMODE(before.st_mode))
    return True


def _temporary_prefix(target: Path) -> str:
    return f".{os.fsdecode(os.fsencode(target.name)[:_LONGEST_NAME])}."
