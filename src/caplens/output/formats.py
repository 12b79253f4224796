"""The formats of files: each makes the content of a file from what a result says about itself."""

from __future__ import annotations

import csv
import io
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, Any, Protocol

from caplens.output.document import document, encode, encode_lines
from caplens.output.safety import spreadsheet_cell

if TYPE_CHECKING:
    import pyarrow as pa

    from caplens.output.tables import NumberTable


class HasData(Protocol):
    """A result that can be told as plain data; it may have ``to_json``, if it can be had with less memory."""

    def to_dict(self) -> dict[str, Any]:
        """Return everything; a value that does not exist is None."""


class HasRows(Protocol):
    """A result whose heart is a table, with columns of the same names in all rows.

    It may have ``to_arrow``, if it can be had faster than row by row, and ``summary``, what a file of rows should hold
    besides them.
    """

    def to_rows(self) -> list[dict[str, Any]]:
        """Return the rows as plain data."""


class HasTables(Protocol):
    """A result that is shown as tables."""

    def tables(self) -> Sequence[NumberTable]:
        """Return them."""


def json_document(result: HasData | Sequence[HasData]) -> bytes:
    """Return everything as JSON; results that are parts of a document (explanations) are a list in it."""
    results = result if isinstance(result, Sequence) else [result]
    plural: str | None = getattr(results[0], "plural", None) if results else None
    if plural is not None:
        return encode(document({plural: [one.to_dict() for one in results]}))
    (only,) = results
    to_json: Callable[[], bytes] | None = getattr(only, "to_json", None)
    return to_json() if to_json else encode(only.to_dict())


def json_lines(result: HasRows) -> bytes:
    """Return the rows as JSON, one line each."""
    return encode_lines(result.to_rows())


# Columns that files are joined by: other programs must find there exactly what was given.
JOIN_KEYS = frozenset({"id", "image", "score", "system", "first", "second"})


def csv_rows(result: HasRows, *, csv_safe: bool = False) -> bytes:
    """Return the rows as CSV; a value that does not exist is an empty cell.

    Captions that a spreadsheet would take for formulas get an apostrophe; ids and names do with ``csv_safe`` only.
    """
    text = io.StringIO()
    rows = result.to_rows()
    columns = list(rows[0]) if rows else []
    defused = [column for column in columns if csv_safe or column not in JOIN_KEYS]
    writer = csv.writer(text, lineterminator="\n")
    if columns:
        writer.writerow([spreadsheet_cell(column) if csv_safe else column for column in columns])
    for row in rows:
        safe = {column: spreadsheet_cell(row[column]) for column in defused if isinstance(row[column], str)}
        writer.writerow([_cell(safe.get(column, row[column])) for column in columns])
    return text.getvalue().encode("utf-8")


def _cell(value: object) -> object:
    """Return what a cell holds: lists (references) as JSON."""
    return encode(value).decode("utf-8") if isinstance(value, list) else value


def parquet_rows(result: HasRows) -> bytes:
    """Return the rows as Parquet, with the summary in the metadata."""
    import pyarrow as pa
    import pyarrow.parquet as pq

    to_arrow: Callable[[], pa.Table] | None = getattr(result, "to_arrow", None)
    table = to_arrow() if to_arrow else pa.Table.from_pylist(result.to_rows())
    summary: Callable[[], object] | None = getattr(result, "summary", None)
    facts = {b"caplens": encode(summary())} if summary else {}
    buffer = pa.BufferOutputStream()
    pq.write_table(table.replace_schema_metadata(facts), buffer, compression="zstd")
    content: bytes = buffer.getvalue().to_pybytes()
    return content


def text_tables(result: HasTables) -> bytes:
    """Return the tables as plain text."""
    return _tables(result, "text")


def markdown_tables(result: HasTables) -> bytes:
    """Return the tables as Markdown."""
    return _tables(result, "markdown")


def latex_tables(result: HasTables) -> bytes:
    """Return the tables as LaTeX."""
    return _tables(result, "latex")


def csv_tables(result: HasTables, *, csv_safe: bool = False) -> bytes:
    """Return the tables as CSV; they hold no ids, and no text that a spreadsheet takes for a formula in any case."""
    return _tables(result, "csv")


def _tables(result: HasTables, form: str) -> bytes:
    from caplens.output.tables import render

    return f"{render(result.tables(), form)}\n".encode()
