"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
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
    target = Path(os.path.realpath(path))  # a link stays a link
    temporary = None
    try:
        descriptor, name = tempfile.mkstemp(prefix=f".{target.name[:100]}.", dir=target.parent)
        temporary = Path(name)
        os.close(descriptor)
        yield temporary
        temporary.chmod(0o666 & ~_umask())
        temporary.replace(target)
    except OSError as error:
        raise InputError(f"{path} cannot be written: {error.strerror or error}.") from error
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def check_writable(path: str | os.PathLike[str]) -> None:
    """Refuse a path that no file can be written to."""
    target = Path(os.path.realpath(path))
    if target.is_dir():
        raise InputError(f"{path} is a folder: name a file to write to.")
    if not target.parent.is_dir():
        raise InputError(f"{path} cannot be written: there is no folder {Path(path).parent}.")
    if not os.access(target.parent, os.W_OK | os.X_OK):
        raise InputError(f"{path} cannot be written: no permission to write in {Path(path).parent}.")


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
