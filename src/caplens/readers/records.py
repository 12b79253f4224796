"""Rows with any columns: CSV, TSV, JSON lines, JSON lists, Parquet. For judgments, scores and other tables of users.

Captions are read by the formats of this package; what a table is, and the sentences for one that is damaged, are the
same here.
"""

from __future__ import annotations

import math
import os
from collections.abc import Sequence
from typing import Any, TypeAlias

from caplens.errors import InputError, counted, name_some
from caplens.files.opening import Content, opened
from caplens.readers.decoding import parse, parse_cell
from caplens.readers.delimited import column_names, rows_of_cells
from caplens.readers.outline import outline
from caplens.readers.parquet import parquet_file

Record: TypeAlias = dict[str, Any]
"""A row by column."""

_DELIMITERS = "\t,;"


def read_records(path: str | os.PathLike[str]) -> list[Record]:
    r"""Read a file of rows, recognised by content.

    Returns
    -------
    list of dict
        One row each, by column; cells of CSV and TSV are text. Of a JSON file that `caplens score` wrote, the items.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "scores")
    ...     with open(path, "w") as file:
    ...         _ = file.write("id,Mine\n1,0.5\n")
    ...     read_records(path)
    [{'id': '1', 'Mine': '0.5'}]
    """
    with opened(path) as content:
        if content.head.startswith(b"PAR1"):
            with parquet_file(content) as file:
                rows: list[Record] = file.read().to_pylist()
        elif outline(content.head) is not None:
            rows = _json(content)
        else:
            rows = _delimited(content)
    if not rows:
        raise InputError(f"{content.name} has no rows.")
    return rows


def _json(content: Content) -> list[Record]:
    data = content.read()
    first, _, rest = data.lstrip().partition(b"\n")
    found: Any
    if first.rstrip().endswith(b"}") and rest.lstrip().startswith(b"{"):
        lines = enumerate(data.splitlines(), 1)
        found = [parse(line, content.name, number) for number, line in lines if line.strip()]
    else:
        found = parse(data, content.name)
    if isinstance(found, dict):
        found = found["items"] if isinstance(found.get("items"), list) else [found]
    wrong = next((number for number, row in enumerate(found, 1) if not isinstance(row, dict)), None)
    if wrong is not None:
        raise InputError(f"Row {wrong:,} of {content.name} is not an object with named values.")
    return [_with_scores(row) for row in found]


def _with_scores(row: Record) -> Record:
    """Lift the scores of an item that `caplens score` wrote to columns of their own."""
    scores = row.get("scores")
    return {"id": row.get("id"), **scores} if isinstance(scores, dict) else row


def _delimited(content: Content) -> list[Record]:
    lines = content.lines()
    first = next(lines)
    delimiter = max(_DELIMITERS, key=first.count)
    header = column_names(first, delimiter)
    if delimiter not in first or len(set(header)) < len(header):
        raise InputError(f"The first line of {content.name} must name its columns, each once, such as id,human.")
    return [dict(zip(header, row, strict=True)) for row in rows_of_cells(lines, header, delimiter, content.name)]


def read_lines(path: str | os.PathLike[str], cells: int) -> list[list[str]]:
    """Read lines of ``cells`` cells divided by tabs, without a header; empty lines are passed over."""
    rows = []
    with opened(path) as content:
        for place, line in enumerate(content.lines(), 1):
            row = line.rstrip("\r\n").split("\t")
            if row == [""]:
                continue
            if len(row) != cells:
                raise InputError(f"Line {place:,} of {path} has {len(row)} tab-separated cells, not {cells}.")
            rows.append(row)
    return rows


def read_json(path: str | os.PathLike[str]) -> Any:  # noqa: ANN401 (JSON is anything)
    """Read a JSON file, plain or gzip."""
    with opened(path) as content:
        return parse(content.read(), content.name)


def require_columns(rows: Sequence[Record], names: Sequence[str], source: str | os.PathLike[str]) -> None:
    """Refuse rows that lack a column."""
    for name in names:
        without = [place for place, row in enumerate(rows, 1) if name not in row]
        if len(without) == len(rows):
            raise InputError(f"{source} has no column {name!r}; it has {name_some(list(rows[0]))}.")
        if without:
            raise InputError(f"{counted(len(without), 'row')} of {source} (row {name_some(without)}) lack {name!r}.")


def number(value: object) -> float:
    """Return a cell as a number, NaN where there is none (empty, null, no number)."""
    if isinstance(value, bool) or value is None:
        return math.nan
    try:
        return float(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        return math.nan


def numbers(rows: Sequence[Record], column: str, source: str | os.PathLike[str]) -> list[float]:
    """Return a column as numbers; an empty cell is NaN, another cell that is no finite number is refused."""
    values = [number(row.get(column)) for row in rows]
    wrong = [
        (place, row[column])
        for place, (row, value) in enumerate(zip(rows, values, strict=True), 1)
        if not math.isfinite(value) and str(row.get(column)).strip().lower() not in ("", "nan", "null", "none")
    ]
    if wrong:
        place, cell = wrong[0]
        more = f" (and {counted(len(wrong) - 1, 'row')} more)" if len(wrong) > 1 else ""
        raise InputError(f"Row {place:,} of {source}{more} has {cell!r} in {column!r}, which is not a number.")
    return values


def texts(value: object) -> list[str]:
    """Return a cell of references as a list: a list, a JSON list, or one text.

    Examples
    --------
    >>> texts('["a dog", "two dogs"]'), texts("a dog")
    (['a dog', 'two dogs'], ['a dog'])
    """
    if isinstance(value, str) and value.lstrip().startswith("["):
        try:
            value = parse_cell(value)
        except ValueError:
            return [str(value)]
    if isinstance(value, list | tuple):
        return [str(text) for text in value]
    return [str(value)] if value else []
