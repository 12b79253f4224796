"""Files of rows with any columns: CSV, TSV, JSON lines, JSON lists, Parquet; and finding them in a folder."""

from __future__ import annotations

import csv
import json
import math
import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from caplens.errors import InputError, counted, name_some
from caplens.files.opening import Content, opened
from caplens.readers.decoding import parse

Row = dict[str, Any]


def find_file(folder: str | os.PathLike[str], names: Sequence[str], what: str, option: str = "--data") -> Path:
    """Return the first of some file names in a folder or in a folder inside it; ``.gz`` may follow the name.

    Parameters
    ----------
    folder : path
        Where to look; a file is refused.
    names : sequence of str
        File names, the preferred one first; each may begin with the name of a folder.
    what : str
        What the file holds, for messages.
    option : str
        The option that named the folder, for messages.
    """
    place = Path(folder)
    if not place.is_dir():
        kind = "is not a folder" if place.exists() else "does not exist"
        raise InputError(f"{place} {kind}: name the folder that holds {what} ({option} DIR).")
    for name in names:
        found = matching_files(place, name)
        if len(found) > 1:
            raise InputError(
                f"{place} holds {len(found)} files for {what} ({name_some(found)}): name the folder of one of them."
            )
        if found:
            return found[0]
    raise InputError(f"There is no {' or '.join(names)} with {what} in {place} or in a folder inside it.")


def matching_files(folder: Path, name: str) -> list[Path]:
    """Return the files of a name in a folder, plain before gzip; those of folders inside it only if there are none."""
    for pattern in (name, f"{name}.gz", f"*/{name}", f"*/{name}.gz"):
        found = sorted(folder.glob(pattern))
        if found:
            return found
    return []


def read_lines(path: Path, cells: int) -> list[list[str]]:
    """Read lines of cells divided by tabs; empty lines are passed over, others must have ``cells`` cells."""
    rows = []
    with opened(path) as content:
        for number, line in enumerate(content.lines(), 1):
            row = line.rstrip("\r\n").split("\t")
            if row == [""]:
                continue
            if len(row) != cells:
                raise InputError(f"Line {number:,} of {path} has {len(row)} cells divided by tabs, not {cells}.")
            rows.append(row)
    return rows


def read_json(path: Path) -> Any:  # noqa: ANN401 (JSON is anything)
    """Read a JSON file, plain or gzip."""
    with opened(path) as content:
        return parse(content.read(), content.name)


def read_rows(path: str | os.PathLike[str]) -> list[Row]:
    """Read a file of rows, recognised by content.

    Returns
    -------
    list of dict
        One row each, by column; cells of CSV and TSV are text. Of a JSON file that `caplens score` wrote, the items.
    """
    with opened(path) as content:
        head = content.head.lstrip()
        if content.head.startswith(b"PAR1"):
            rows = _parquet(content)
        elif head[:1] in (b"{", b"["):
            rows = _json(content)
        else:
            rows = _delimited(content)
    if not rows:
        raise InputError(f"{content.name} has no rows.")
    return rows


def _parquet(content: Content) -> list[Row]:
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        rows: list[Row] = pq.read_table(pa.BufferReader(content.read())).to_pylist()
    except (pa.ArrowException, OSError, ValueError) as error:
        reason = " ".join(str(error).split()).rstrip(".")
        raise InputError(f"{content.name} cannot be read as a Parquet file: {reason}.") from error
    return rows


def _json(content: Content) -> list[Row]:
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


def _with_scores(row: Row) -> Row:
    """Lift the scores of an item that `caplens score` wrote to columns of their own."""
    scores = row.get("scores")
    return {"id": row.get("id"), **scores} if isinstance(scores, dict) else row


def _delimited(content: Content) -> list[Row]:
    lines = content.lines()
    first = next(lines)
    delimiter = max("\t,;", key=first.count)
    header = [cell.strip() for cell in next(csv.reader([first], delimiter=delimiter))]
    if delimiter not in first or len(set(header)) < len(header):
        raise InputError(f"The first line of {content.name} must name its columns, each once, such as id,human.")
    reader = csv.reader(lines, delimiter=delimiter, strict=True)
    rows = []
    try:
        for row in reader:
            if len(row) == len(header):
                rows.append(dict(zip(header, row, strict=True)))
            elif row:
                raise InputError(
                    f"Line {reader.line_num + 1:,} of {content.name} has {len(row)} cells but the header has "
                    f"{len(header)}: put cells that contain the delimiter in double quotes."
                )
    except csv.Error as error:
        raise InputError(
            f"Line {reader.line_num + 1:,} of {content.name} cannot be read as a table: {error}."
        ) from error
    return rows


def require_columns(rows: Sequence[Row], names: Sequence[str], source: str | os.PathLike[str]) -> None:
    """Refuse rows that lack a column."""
    for name in names:
        without = [number for number, row in enumerate(rows, 1) if name not in row]
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


def numbers(rows: Sequence[Row], column: str, source: str | os.PathLike[str]) -> list[float]:
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
            value = json.loads(value)
        except ValueError:
            return [str(value)]
    if isinstance(value, list | tuple):
        return [str(text) for text in value]
    return [str(value)] if value else []
