"""What takes long to make, made once and kept for later runs: arrays in a folder of the user's, mapped when needed.

A compiled file is either whole or absent, whatever happens to the process that writes it; one process at a time makes
it; readers need neither a lock nor the right to write. A cache that cannot be written costs time, never a result.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal

from numpy.typing import NDArray

from caplens.errors import Notice, reason_of
from caplens.files.arrays import Arrays, Check, read_arrays, write_arrays
from caplens.files.atomic import remove_leftovers, replacing
from caplens.files.checks import DamagedFileError
from caplens.files.folders import VARIABLE, cache_directory, is_homeless
from caplens.files.paths import is_special
from caplens.files.progress import step

State = Literal["ready", "absent", "damaged", "outdated"]


@dataclass(frozen=True)
class Opened:
    """Compiled arrays, ready for use.

    Attributes
    ----------
    arrays : Arrays
        What ``build`` made, in this run or in an earlier one.
    path : pathlib.Path or None
        The file they are mapped from; None if they could not be stored and are only in memory.
    notices : tuple of Notice
        Why they could not be stored, if so.
    """

    arrays: Arrays
    path: Path | None
    notices: tuple[Notice, ...]


@dataclass(frozen=True)
class Compiled:
    """What is in the cache.

    Attributes
    ----------
    path : pathlib.Path
        The file, whether it is there or not.
    state : {"ready", "absent", "damaged", "outdated"}
        Whether the next `open_compiled` can use it; in the other three cases it builds.
    size : int
        Bytes; 0 if it is absent.
    """

    path: Path
    state: State
    size: int


def inspect_compiled(name: str, facts: Mapping[str, str]) -> Compiled:
    """Look what the cache holds, without building or changing anything.

    Parameters
    ----------
    name : str
        As for `open_compiled`.
    facts : mapping of str to str
        As for `open_compiled`.
    """
    return _look(_path(name), facts)[0]


def open_compiled(
    name: str,
    facts: Mapping[str, str],
    build: Callable[[], Mapping[str, NDArray[Any]]],
    check: Check | None = None,
) -> Opened:
    """Open the compiled file ``name``, making it first if it is absent, damaged or made from something else.

    Processes and threads may call this at once: one builds, the others wait (a progress step says so, and Ctrl-C works)
    and then open what it made; if the builder dies, the next in the queue builds. Where the cache cannot be written,
    each caller builds for itself and gets arrays in memory, so whoever opens the same file often should keep it.

    Parameters
    ----------
    name : str
        The file's name without its ending.
    facts : mapping of str to str
        What the arrays depend on: the version of their format, a fingerprint of the sources. A file with other facts is
        outdated and is replaced; processes that have it mapped keep it.
    build : callable
        Makes the arrays. What it raises comes out, and nothing is stored.
    check : callable, optional
        Raises `DamagedFileError` where arrays contradict each other; a file that it refuses is built again.

    Examples
    --------
    >>> import os, tempfile
    >>> from unittest import mock
    >>> import numpy as np
    >>> def squares():
    ...     print("building")
    ...     return {"n": np.arange(4) ** 2}
    >>> with tempfile.TemporaryDirectory() as folder, mock.patch.dict(os.environ, CAPLENS_CACHE=folder):
    ...     for _ in range(2):
    ...         opened = open_compiled("squares", {"version": "1"}, squares)
    ...     opened.arrays["n"].tolist(), opened.path.name, inspect_compiled("squares", {"version": "2"}).state
    building
    ([0, 1, 4, 9], 'squares.safetensors', 'outdated')
    """
    path = _path(name)
    _, arrays = _look(path, facts, check)
    if arrays is not None:
        return Opened(arrays, path, ())
    built: Mapping[str, NDArray[Any]] | None = None
    try:
        with _locked(path.with_name(f"{name}.lock"), f"waiting for another process to build {name}"):
            _, arrays = _look(path, facts, check)  # whoever held the lock before may have made it
            if arrays is None:
                remove_leftovers(path)  # safe: who writes here holds the lock
                built = build()
                arrays = _store(path, built, facts)
        return Opened(arrays, path, ())
    except _NotWritableError as error:
        notice = _not_stored(name, path.parent, str(error))
    return Opened(Arrays.in_memory(build() if built is None else built, facts), None, (notice,))


def remove_compiled(name: str) -> None:
    """Remove the compiled file ``name`` while nobody builds it; processes that have it mapped keep it."""
    path = _path(name)
    try:
        with _locked(path.with_name(f"{name}.lock"), f"waiting for another process to build {name}"):
            path.unlink()
    except _NotWritableError as error:
        raise OSError(str(error)) from error


class _NotWritableError(Exception):
    """Nothing can be stored in the cache, for a reason that stands in a pair of brackets."""


def _path(name: str) -> Path:
    return cache_directory() / f"{name}.safetensors"


def _look(path: Path, facts: Mapping[str, str], check: Check | None = None) -> tuple[Compiled, Arrays | None]:
    """See in what state a file is and, if it is ready, open it."""
    try:
        size = path.stat().st_size
    except OSError:
        return Compiled(path, "absent", 0), None
    try:
        arrays = read_arrays(path, check=check)
    except FileNotFoundError:
        return Compiled(path, "absent", 0), None
    except (OSError, DamagedFileError):
        return Compiled(path, "damaged", size), None
    if arrays.facts != dict(facts):
        return Compiled(path, "outdated", size), None
    return Compiled(path, "ready", size), arrays


@contextmanager
def _locked(lock_path: Path, waiting: str) -> Iterator[None]:
    """Keep other processes and threads out of the block; the operating system lifts the lock of whoever dies."""
    from filelock import FileLock, Timeout

    if is_homeless(lock_path):
        raise _NotWritableError("there is no home directory")
    if is_special(lock_path):
        raise _NotWritableError(f"{lock_path.name} is a device or a pipe, not a file")
    # A lock object of its own for each call: the system's locks then hold between threads as between processes.
    lock = FileLock(lock_path)
    try:
        lock_path.parent.mkdir(parents=True, exist_ok=True)
        try:
            lock.acquire(blocking=False)
        except Timeout:
            with step(waiting):
                lock.acquire()  # looks again and again instead of sleeping in the system, so Ctrl-C works everywhere
    except FileExistsError as error:
        raise _NotWritableError("it is not a folder") from error
    except (OSError, NotImplementedError) as error:
        raise _NotWritableError(reason_of(error)) from error
    try:
        yield
    finally:
        lock.release()


def _store(path: Path, arrays: Mapping[str, NDArray[Any]], facts: Mapping[str, str]) -> Arrays:
    try:
        with replacing(path) as temporary:
            write_arrays(temporary, arrays, facts)
        return read_arrays(path)
    except (OSError, DamagedFileError) as error:
        # Also Windows, where a file that another process has mapped cannot be replaced.
        raise _NotWritableError(reason_of(error)) from error


def _not_stored(name: str, folder: Path, reason: str) -> Notice:
    return Notice(
        "cache-not-written",
        f"{name} could not be stored in {folder} ({reason}), so each run rebuilds it: set {VARIABLE} to a "
        f"writable folder.",
    )
