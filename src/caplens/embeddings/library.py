"""The tables by name: those that ship with caplens, and those that were imported."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cache
from pathlib import Path

from caplens.embeddings import shipped, stored
from caplens.embeddings.table import VectorTable
from caplens.errors import CaplensError, MissingDataError, UsageError, reason_of
from caplens.files.folders import user_directory

VARIABLE = "CAPLENS_VECTORS"
"""The environment variable that names another folder for imported tables."""


@dataclass(frozen=True)
class Entry:
    """A table that can be asked for.

    Attributes
    ----------
    name : str
        Its name.
    kind, words, dimensions : str, int, int
        What it is.
    place : str
        Where it is kept.
    fault : str or None
        Why it cannot be used, if so.
    """

    name: str
    kind: str
    words: int
    dimensions: int
    place: str
    fault: str | None = None


def directory() -> Path:
    """Return the folder of imported tables: ``$CAPLENS_VECTORS``, or a folder in the platform's place for data."""

    def usual() -> str:
        from platformdirs import user_data_path

        return str(user_data_path("caplens", appauthor=False) / "vectors")

    return user_directory(VARIABLE, usual, "~/.local/share/caplens/vectors")


def load(name: str) -> VectorTable:
    """Return the table called ``name``.

    Examples
    --------
    >>> table = load("captions")
    >>> table.vocabulary.index(b"dog") >= 0, table.dimensions
    (True, 200)
    """
    if name in shipped.NAMES:
        return shipped.load(name)
    path = directory() / f"{name}{stored.SUFFIX}"
    try:
        changed = path.stat().st_mtime_ns
    except (OSError, ValueError):
        known = ", ".join([*shipped.NAMES, *imported()])
        raise MissingDataError(
            f"There is no word-vector table {name!r}, only {known}; to import one, run caplens vectors import FILE "
            f"--name {name}."
        ) from None
    return _stored(path, changed)


@cache
def _stored(path: Path, changed: int) -> VectorTable:
    """Open a table once; ``changed`` tells a table that was imported again from the old one."""
    return stored.open_table(path)


def remove(name: str) -> Path:
    """Remove an imported table; return where it was."""
    if name in shipped.NAMES:
        raise UsageError(f"The table {name!r} ships with caplens and cannot be removed.")
    if name not in imported():
        raise UsageError(f"There is no imported table {name!r}; imported: {', '.join(imported()) or 'none'}.")
    path = directory() / f"{name}{stored.SUFFIX}"
    try:
        path.unlink()
    except OSError as error:
        raise UsageError(f"{path} cannot be removed: {reason_of(error)}.") from error
    return path


def imported() -> list[str]:
    """Return the names of the imported tables."""
    try:
        return sorted(path.name.removesuffix(stored.SUFFIX) for path in directory().glob(f"*{stored.SUFFIX}"))
    except OSError:
        return []


def names() -> list[str]:
    """Return the names of all tables, those that ship with caplens first."""
    return [*shipped.NAMES, *imported()]


def entries() -> list[Entry]:
    """Return all tables, those that ship with caplens first."""
    found = []
    for name in names():
        place = "shipped with caplens" if name in shipped.NAMES else str(directory() / f"{name}{stored.SUFFIX}")
        try:
            table = load(name)
            found.append(Entry(name, table.kind, len(table), table.dimensions, place))
        except CaplensError as error:
            found.append(Entry(name, "", 0, 0, place, str(error)))
    return found
