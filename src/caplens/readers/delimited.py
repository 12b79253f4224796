"""CSV and TSV with a header line."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator
from functools import partial
from typing import Any

from caplens.corpus import PairedTable
from caplens.errors import InputError
from caplens.files.opening import Content
from caplens.readers.base import Batch, Glance, ReadOptions, Table, in_pieces, source_of_rows
from caplens.readers.decoding import parse_cell
from caplens.readers.fields import (
    Values,
    further_names,
    has_captions,
    is_header,
    merge_repeated_rows,
    table_of_columns,
    wanted_names,
)

_LONGEST_CELL = 2**31 - 1


class Delimited:
    """Rows of cells.

    Parameters
    ----------
    name : str
        The name of the format.
    delimiters : str
        The characters that may stand between cells; the one most frequent in the header does.
    """

    def __init__(self, name: str, delimiters: str) -> None:
        self.name = name
        self.example = delimiters[0].join(("id", "candidate", "references"))
        self._delimiters = delimiters

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """See a header: the usual name of a column beside others; captions under another name must not be prose.

        If the caller names columns, what has a delimiter in its first line must be a table.
        """
        if glance.outline is not None:
            return False
        header = glance.head.partition(b"\n")[0].decode("utf-8", "replace")
        if not any(delimiter in header for delimiter in self._delimiters):
            return False
        names = self._names(header)
        return bool(options.required_columns) or has_captions(names, options) or is_header(names)

    def read(self, content: Content, options: ReadOptions) -> Table:
        """Read a table; a cell of references is one reference or a JSON list of several."""
        lines = content.lines()
        first = next(lines)
        header = self._names(first)
        rows = rows_of_cells(lines, header, self._delimiter(first), content.name)
        return _table(header, rows, options, content.name)

    def batches(self, content: Content, options: ReadOptions, size: int) -> Iterator[Batch]:
        """Read so many rows at a time."""
        lines = content.lines()
        first = next(lines)
        header = self._names(first)
        for start, rows in in_pieces(rows_of_cells(lines, header, self._delimiter(first), content.name), size):
            source = source_of_rows(content.name, start, len(rows))
            yield Batch(start, len(rows), partial(_table, header, rows, options, source))

    def _delimiter(self, header: str) -> str:
        return max(self._delimiters, key=header.count)

    def _names(self, header: str) -> list[str]:
        return column_names(header, self._delimiter(header))


def column_names(header: str, delimiter: str) -> list[str]:
    """Return the cells of a header line."""
    _take_long_cells()
    try:
        cells = next(csv.reader([header], delimiter=delimiter))
    except csv.Error:  # such as a lone carriage return: whatever this line is, it names no columns
        return []
    return [cell.strip() for cell in cells]


def rows_of_cells(lines: Iterator[str], header: list[str], delimiter: str, source: str) -> Iterator[list[str]]:
    """Return the rows below a header, each with as many cells; empty lines are passed over."""
    _take_long_cells()
    rows = csv.reader(lines, delimiter=delimiter, strict=True)
    try:
        for row in rows:
            if len(row) == len(header):
                yield row
            elif row:
                raise InputError(
                    f"Line {rows.line_num + 1:,} of {source} has {len(row)} cells but the header has "
                    f"{len(header)}: put cells that contain the delimiter in double quotes."
                )
    except csv.Error as error:
        raise InputError(
            f"Line {rows.line_num + 1:,} of {source} cannot be read as a table: {error}; a quotation mark inside "
            "a quoted cell must be doubled."
        ) from error


def _take_long_cells() -> None:
    """Lift the limit of the csv module, 131,072 characters, which many references in one cell exceed."""
    if csv.field_size_limit() < _LONGEST_CELL:
        csv.field_size_limit(_LONGEST_CELL)


def _table(header: list[str], rows: Iterable[list[str]], options: ReadOptions, source: str) -> Table:
    columns = _columns(header, rows, options)
    for name in options.names("references"):
        if name in columns:
            columns[name] = [_references(cell, row, name, source) for row, cell in enumerate(columns[name], 1)]
    table = table_of_columns(columns, header, options, source)
    return merge_repeated_rows(table) if isinstance(table, PairedTable) else table


def _columns(header: list[str], rows: Iterable[list[str]], options: ReadOptions) -> dict[str, Values]:
    wanted = [name for name in wanted_names(options) if name in header]
    # All cells are text: a metric that needs numbers makes them.
    kept = [*wanted, *further_names(header, options, bool)]
    columns: dict[str, Values] = {name: [] for name in kept}
    targets = [(columns[name], header.index(name)) for name in kept]
    for row in rows:
        for column, place in targets:
            column.append(row[place])
    return columns


def _references(cell: str, row: int, name: str, source: str) -> str | list[Any] | None:
    if not cell.startswith("["):
        return cell or None
    try:
        value = parse_cell(cell)
    except (ValueError, RecursionError):
        value = None
    if isinstance(value, list) and all(isinstance(entry, str) for entry in value):
        return value
    if cell.startswith(("['", '["')) or (isinstance(value, list) and None in value):
        shown = " ".join(cell.split())[:40]
        raise InputError(
            f"Row {row:,} of {source} has a list in {name!r} that is not JSON or not of strings only ({shown}...): "
            'write it as ["...", "..."], as json.dumps does; scene graphs belong in the column reference_graphs.'
        )
    return cell
