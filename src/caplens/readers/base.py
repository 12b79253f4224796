"""What a file format is: a name, a way to recognise it by content, a way to read it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import Protocol, TypeAlias, TypeVar, runtime_checkable

from caplens.corpus import CaptionTable, PairedTable
from caplens.errors import UsageError
from caplens.files.opening import Content
from caplens.files.telling import said
from caplens.readers.outline import Outline

T = TypeVar("T")
Table: TypeAlias = CaptionTable | PairedTable

ROLES: Mapping[str, tuple[str, ...]] = {
    "id": ("id", "image_id"),
    "candidate": ("candidate", "test"),
    "caption": ("caption",),
    "references": ("references", "refs", "reference"),
    "image": ("image",),
    "candidate_graph": ("candidate_graph",),
    "reference_graphs": ("reference_graphs",),
}
"""What a column can be, with the names it usually has; the first that a file offers is taken."""

GRAPH_ROLES = ("candidate_graph", "reference_graphs")
"""The roles of scene graphs, which stand in the place of captions."""


@dataclass(frozen=True)
class ReadOptions:
    """Options for reading files whose format or columns are not detected automatically.

    Attributes
    ----------
    input_format : str or None
        The name of the format; by default, it is detected from the content.
    columns : mapping of str to str
        The column names of the `ROLES`, for tables, JSON lines and JSON lists of objects.
    split : str or None
        The split of a Karpathy file to read; by default, all splits.
    optional_columns : frozenset of str
        Roles whose column in ``columns`` may be absent from this file; the default names then apply, so that the same
        options can be used for candidates and references.
    further_columns : frozenset of str or None
        Additional columns to keep regardless of their type, such as image features; columns of plain values (text,
        numbers) are always kept. None: keep no additional columns, for references.
    at : str or None
        The location of the captions inside a JSON document: keys, ``KEY/KEY``.
    at_is_optional : bool
        Whether a document without these keys is read as a whole, so that the same options can be used for references.

    Examples
    --------
    >>> ReadOptions(columns={"name": "image"})
    Traceback (most recent call last):
        ...
    caplens.errors.UsageError: There is no column role 'name': choose from id, candidate, caption, references, ...
    """

    input_format: str | None = None
    columns: Mapping[str, str] = field(default_factory=dict)
    split: str | None = None
    optional_columns: frozenset[str] = frozenset()
    further_columns: frozenset[str] | None = frozenset()
    at: str | None = None
    at_is_optional: bool = False

    def __post_init__(self) -> None:
        for role in [*self.columns, *self.optional_columns]:
            if role not in ROLES:
                raise UsageError(f"There is no column role {role!r}: choose from {', '.join(ROLES)}.")

    @property
    def required_columns(self) -> dict[str, str]:
        """The roles and names of the columns that a file must have."""
        return {role: name for role, name in self.columns.items() if role not in self.optional_columns}

    def names(self, role: str) -> tuple[str, ...]:
        """Return the column names to look for, the preferred one first."""
        named = self.columns.get(role)
        if named is not None and role not in self.optional_columns:
            return (named,)
        claimed = set(self.columns.values())
        usual = tuple(name for name in ROLES[role] if name not in claimed)
        return usual if named is None else (named, *usual)


@dataclass(frozen=True)
class Glance:
    """The beginning of a file, as formats see it to recognise themselves.

    ``outline`` is None unless the content begins like JSON.
    """

    head: bytes
    outline: Outline | None


@dataclass(frozen=True)
class Batch:
    """Some consecutive rows of a file, which are taken apart only when they are asked for.

    Attributes
    ----------
    first : int
        How many rows of the file come before.
    rows : int
        How many rows (lines) it has.
    read : callable
        Returns them as a table; raises `InputError`.
    """

    first: int
    rows: int
    read: Callable[[], Table]


def source_of_rows(name: str, first: int, rows: int) -> str:
    """Name a part of a file, for messages that count rows within it.

    Examples
    --------
    >>> source_of_rows("rows.parquet", 1000, 500), source_of_rows("rows.parquet", 0, 500)
    ('rows.parquet (from row 1,001 to row 1,500)', 'rows.parquet')
    """
    return f"{name} (from row {first + 1:,} to row {first + rows:,})" if first else name


def in_pieces(lines: Iterable[T], size: int) -> Iterator[tuple[int, list[T]]]:
    """Cut lines into lists of ``size``, each with the number of lines before it.

    Examples
    --------
    >>> list(in_pieces("abc", 2))
    [(0, ['a', 'b']), (2, ['c'])]
    """
    rest = iter(lines)
    first = 0
    while piece := list(islice(rest, size)):
        yield first, piece
        first += len(piece)


def cut(table: Table, size: int) -> Iterator[Batch]:
    """Cut a table that was read whole."""
    rows = len(table.ids)
    for first in range(0, rows, size):
        some = range(first, min(first + size, rows))
        yield Batch(first, len(some), partial(table.take, some))


@runtime_checkable
class Streamed(Protocol):
    """A format whose files can be read part by part."""

    def batches(self, content: Content, options: ReadOptions, size: int) -> Iterator[Batch]:
        """Return the rows of a file, ``size`` at a time."""


class Format(Protocol):
    """One file format; `caplens.readers` lists them in the order in which they are tried."""

    @property
    def name(self) -> str:
        """The name for ``--input-format``."""

    @property
    def example(self) -> str:
        """A short piece of such a file, for messages."""

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """Tell whether content that begins so is of this format."""

    def read(self, content: Content, options: ReadOptions) -> Table:
        """Read it, or raise `InputError`."""


def naming(role: str, name: str) -> str:
    """Write how a column is named for a role.

    Examples
    --------
    >>> naming("id", "image")
    "columns={'id': 'image'}"
    """
    return said(f"--columns {role}={name}", f"columns={{{role!r}: {name!r}}}")
