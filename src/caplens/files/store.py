"""Small values that are kept for later runs: one SQLite file in a folder of the user's.

What is stored is only ever a saving of time. A file that is damaged or not ours is put aside and begun anew, a folder
that cannot be written to or read from leaves everything to be computed, and a `Notice` says so; no error comes out.
"""

from __future__ import annotations

import os
import sqlite3
import threading
import time
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, TypeVar

from caplens.errors import Notice, UsageError, reason_of
from caplens.files.paths import is_special

APPLICATION = 0x63706C73
"""``cpls``, where SQLite keeps the mark of the program that a file belongs to."""

LAYOUT = 2
"""The version of the table below; version 1 has no days and gets them, a file with another one is begun anew."""

_DAY = 86_400  # seconds
_KEPT = 0.9  # of a store that has grown too large, the newest values

_DAYS = "day INTEGER NOT NULL DEFAULT 0"  # the day, since 1970, on which a value was stored
# Keys are hashes and come in no order; in a table without row numbers each is found by one descent.
_COLUMNS = f"key BLOB PRIMARY KEY, value BLOB NOT NULL, checksum INTEGER NOT NULL, {_DAYS}"
_TABLE = f"CREATE TABLE entries ({_COLUMNS}) WITHOUT ROWID"
_KEYS_AT_ONCE = 900  # SQLite before 3.32 takes 999 parameters
_PATIENCE = 30.0  # seconds, for other processes that are writing
# An ordinary error is one of them, since what is asked is always right: the table is not as we made it. The other kinds
# have to do with locks, rights and disks.
_SIGNS_OF_DAMAGE = (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_ERROR)

Result = TypeVar("Result")


@dataclass(frozen=True)
class Limits:
    """How much a store keeps; 0 stands for no limit.

    Attributes
    ----------
    size : int
        Bytes. Where there are more, the oldest values go.
    days : int
        Values that were stored longer ago count as absent, and go when something is stored.
    """

    size: int = 0
    days: int = 0

    @classmethod
    def from_environment(cls, size: str, days: str, default: Limits) -> Limits:
        """Return limits that environment variables may set.

        Examples
        --------
        >>> Limits.from_environment("NO_SUCH_BYTES", "NO_SUCH_DAYS", Limits(size=10, days=3))
        Limits(size=10, days=3)
        """
        return cls(_whole_number(size, default.size), _whole_number(days, default.days))


def _whole_number(variable: str, default: int) -> int:
    text = os.environ.get(variable, "").strip()
    if text and not (text.isascii() and text.isdigit()):
        raise UsageError(f"The environment variable {variable} must be a whole number (0: no limit), not {text!r}.")
    return int(text) if text else default


UNLIMITED = Limits()


class Store:
    """A mapping from bytes to bytes in a file; processes and threads may use it at once.

    Writers take turns; readers wait only while a change becomes visible. A writer that is killed loses what it was
    storing and nothing else. A value that was altered on the disk counts as absent.

    Parameters
    ----------
    path : path
        The file, which need not exist, nor its folder.
    limits : Limits
        How much is kept; by default all of it.

    Attributes
    ----------
    notices : tuple of Notice
        What went wrong so far, each kind once.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     Store(Path(folder) / "squares.sqlite").put({b"2": b"4", b"3": b"9"})
    ...     Store(Path(folder) / "squares.sqlite").get([b"3", b"4"])
    {b'3': b'9'}
    """

    def __init__(self, path: str | os.PathLike[str], limits: Limits = UNLIMITED) -> None:
        self.path = Path(path)
        self.limits = limits
        self._notices: dict[str, Notice] = {}
        self._guard = threading.Lock()

    @property
    def notices(self) -> tuple[Notice, ...]:
        """What went wrong so far, each kind once."""
        with self._guard:
            return tuple(self._notices.values())

    def get(self, keys: Sequence[bytes]) -> dict[bytes, bytes]:
        """Return the values of those keys that are stored."""

        def read(mode: Literal["ro", "rw"]) -> dict[bytes, bytes]:
            with self._opened(mode) as connection:
                return _select(connection, keys, self._oldest)

        try:
            if not keys or not self.path.exists():
                return {}
            try:
                return read("ro")
            except sqlite3.OperationalError:
                # A killed writer may have left a change half done, which only a writer can undo.
                return self._alone(lambda: read("rw"))
        except _UnusableError as error:
            self._begin_anew(str(error))
        except (sqlite3.Error, OSError) as error:
            self._note("store-not-read", f"cannot be read ({reason_of(error)}), so everything is recomputed.")
        return {}

    def put(self, entries: Mapping[bytes, bytes]) -> None:
        """Store values; all of them or, if the process is killed meanwhile, none."""

        def write() -> None:
            with self._opened("rwc") as connection, connection:
                # In the order of the table, each page of it is changed once.
                day = _today()
                rows = ((key, entries[key], _checksum(key, entries[key]), day) for key in sorted(entries))
                connection.executemany("INSERT OR REPLACE INTO entries VALUES (?, ?, ?, ?)", rows)
            if self.limits != UNLIMITED:
                with self._opened("rw") as connection:
                    _trim(connection, self.limits, self._oldest)

        def write_anew() -> None:
            try:
                write()
            except _UnusableError as error:
                self._put_aside(str(error))
                write()

        if not entries:
            return
        try:
            self.path.parent.mkdir(parents=True, exist_ok=True)
            self._alone(write_anew)
        except FileExistsError:
            self._note(
                "store-not-written", "cannot be written (its folder is a file), so later runs will recompute it."
            )
        except (sqlite3.Error, OSError, _UnusableError) as error:
            self._note("store-not-written", f"cannot be written ({reason_of(error)}), so later runs will recompute it.")

    def clear(self) -> int:
        """Remove the file while nobody writes to it; return how many bytes it had."""

        def remove() -> int:
            size = self.path.stat().st_size
            self.path.unlink()
            with suppress(FileNotFoundError):
                self.path.with_name(f"{self.path.name}-journal").unlink()
            return size

        return self._alone(remove)

    @property
    def _oldest(self) -> int:
        """The first day whose values count."""
        return _today() - self.limits.days if self.limits.days else 0

    def _alone(self, work: Callable[[], Result]) -> Result:
        """Do what changes the file while no other process or thread does.

        SQLite has locks of its own, but they hold on to a file, not to its name: whoever put a damaged file aside would
        leave the journal of a process that is still writing to it beside the new one, which SQLite would then undo.
        """
        from filelock import FileLock, Timeout

        lock = self.path.with_name(f"{self.path.name}.lock")
        if is_special(lock):
            raise OSError(f"{lock.name} is a device or a pipe, not a file")
        try:
            # A lock object of its own for each call: the system's locks then hold between threads as between processes.
            with FileLock(lock, timeout=_PATIENCE):
                return work()
        except Timeout as error:
            raise OSError("other processes kept writing to it") from error
        except NotImplementedError as error:
            raise OSError("files cannot be locked there") from error

    @contextmanager
    def _opened(self, mode: Literal["ro", "rw", "rwc"]) -> Iterator[sqlite3.Connection]:
        """Open the file for one operation: a connection that is kept would not survive a fork."""
        # SQLite would wait at a pipe for ever, and a device is not ours.
        for ending in ("", "-journal", "-wal", "-shm"):
            if is_special(f"{self.path}{ending}"):
                raise OSError(f"{self.path.name}{ending} is a device or a pipe, not a file")
        address = f"{self.path.absolute().as_uri()}?mode={mode}"
        try:
            with closing(sqlite3.connect(address, uri=True, timeout=_PATIENCE)) as connection:
                connection.text_factory = bytes  # where a damaged file has text instead of bytes, it need not be UTF-8
                # No waiting for the disk: if the power fails, the file may be damaged, which is noticed and costs time.
                connection.execute("PRAGMA synchronous = OFF")
                if mode == "rwc":
                    _create(connection)
                _check(connection)
                yield connection
        except sqlite3.DatabaseError as error:
            # The lowest byte is the kind of error.
            if getattr(error, "sqlite_errorcode", sqlite3.SQLITE_OK) & 0xFF in _SIGNS_OF_DAMAGE:
                raise _UnusableError("was damaged") from error
            raise
        except UnicodeDecodeError as error:  # a message of SQLite that quotes from a damaged file
            raise _UnusableError("was damaged") from error

    def _begin_anew(self, reason: str) -> None:
        def put_aside() -> None:
            try:
                with self._opened("rwc") as connection:
                    if connection.execute("PRAGMA quick_check").fetchone() == (b"ok",):
                        return  # another process has begun a new file meanwhile, or this one was empty
            except _UnusableError:
                pass
            self._put_aside(reason)

        try:
            self._alone(put_aside)
        except (sqlite3.Error, OSError) as error:
            self._note(
                "store-not-read",
                f"{reason} and cannot be replaced ({reason_of(error)}), so everything is recomputed.",
            )

    def _put_aside(self, reason: str) -> None:
        aside = self.path.with_name(f"{self.path.name}.damaged")
        self.path.replace(aside)
        with suppress(FileNotFoundError):
            self.path.with_name(f"{self.path.name}-journal").unlink()
        self._note("store-damaged", f"{reason}: it was renamed to {aside.name}, and a new one is started.")

    def _note(self, code: str, message: str) -> None:
        with self._guard:
            self._notices.setdefault(code, Notice(code, f"{self.path} {message}"))


class _UnusableError(Exception):
    """The file is damaged or not one of ours; the message completes a sentence about it."""


def _today() -> int:
    return int(time.time()) // _DAY


def _trim(connection: sqlite3.Connection, limits: Limits, oldest: int) -> None:
    """Remove what is too old and, while there is too much, what is oldest."""

    def pages(what: str) -> int:
        return int(connection.execute(f"PRAGMA {what}").fetchone()[0])

    with connection:
        connection.execute("DELETE FROM entries WHERE day < ?", (oldest,))
    used = (pages("page_count") - pages("freelist_count")) * pages("page_size")
    too_much = 0 < limits.size < used
    if too_much:
        (count,) = connection.execute("SELECT count(*) FROM entries").fetchone()
        gone = count - int(count * _KEPT * limits.size / used)
        with connection:
            connection.execute(
                "DELETE FROM entries WHERE key IN (SELECT key FROM entries ORDER BY day, key LIMIT ?)", (gone,)
            )
    # What is old and what is new share pages, which are only packed again by this.
    if too_much or pages("freelist_count") * 4 > pages("page_count"):
        connection.execute("VACUUM")


def _create(connection: sqlite3.Connection) -> None:
    """Make the table in a file that is empty, or its column of days in one that has none."""
    if connection.execute("SELECT count(*) FROM sqlite_master").fetchone() != (0,):
        if connection.execute("PRAGMA user_version").fetchone() == (1,):
            with connection:
                connection.execute("BEGIN IMMEDIATE")
                connection.execute(f"ALTER TABLE entries ADD COLUMN {_DAYS}")
                connection.execute("UPDATE entries SET day = ?", (_today(),))
                connection.execute(f"PRAGMA user_version = {LAYOUT}")
        return
    with connection:
        connection.execute("BEGIN IMMEDIATE")
        connection.execute(f"PRAGMA application_id = {APPLICATION}")
        connection.execute(f"PRAGMA user_version = {LAYOUT}")
        connection.execute(_TABLE)


def _check(connection: sqlite3.Connection) -> None:
    """Refuse a file that others made, or other versions."""
    if connection.execute("PRAGMA application_id").fetchone() != (APPLICATION,):
        raise _UnusableError("was not written by caplens")
    if connection.execute("PRAGMA user_version").fetchone() not in ((1,), (LAYOUT,)):
        raise _UnusableError("was written by another version of caplens")


def _select(connection: sqlite3.Connection, keys: Sequence[bytes], oldest: int) -> dict[bytes, bytes]:
    found: dict[bytes, bytes] = {}
    recent = f" AND day >= {oldest}" if oldest and connection.execute("PRAGMA user_version").fetchone() != (1,) else ""
    in_order = sorted(keys)
    for first in range(0, len(in_order), _KEYS_AT_ONCE):
        wanted = in_order[first : first + _KEYS_AT_ONCE]
        places = ",".join("?" * len(wanted))
        rows = connection.execute(f"SELECT key, value, checksum FROM entries WHERE key IN ({places}){recent}", wanted)
        found.update(
            (key, value) for key, value, checksum in rows if type(value) is bytes and _checksum(key, value) == checksum
        )
    return found


def _checksum(key: bytes, value: bytes) -> int:
    return zlib.crc32(value, zlib.crc32(key))
