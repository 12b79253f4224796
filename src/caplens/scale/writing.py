"""Item scores of all parts in one file, written in bounded memory."""

from __future__ import annotations

import os
from pathlib import Path
from typing import TYPE_CHECKING

from caplens.files.atomic import atomic_path
from caplens.output.document import encode
from caplens.output.formats import csv_rows, json_lines
from caplens.output.writing import Rows

if TYPE_CHECKING:
    import pyarrow as pa

    from caplens.scale.merging import MergedResult

ITEM_SUFFIXES = (".parquet", ".jsonl", ".csv")
"""Endings of files of items; everything else holds the corpus scores."""


def write_items(result: MergedResult, path: str | os.PathLike[str], *, csv_safe: bool = False) -> None:
    """Write the item scores of a merged result to a file, a part at a time."""
    suffix = Path(path).suffix.lower()
    with atomic_path(path) as temporary:
        if suffix == ".parquet":
            _parquet(result, temporary)
            return
        with temporary.open("wb") as file:
            for number, part in enumerate(result.parts()):
                file.write(_json_lines(part) if suffix == ".jsonl" else _csv(part, number == 0, csv_safe))


def _parquet(result: MergedResult, path: Path) -> None:
    import pyarrow.parquet as pq

    metadata = {b"caplens": encode(result.summary())}
    writer = None
    try:
        for part in result.parts():
            table = part.replace_schema_metadata(metadata)
            if writer is None:
                writer = pq.ParquetWriter(path, table.schema, compression="zstd")
            writer.write_table(table)
    finally:
        if writer is not None:
            writer.close()


def _json_lines(part: pa.Table) -> bytes:
    return json_lines(Rows(part.to_pylist()))


def _csv(part: pa.Table, is_first: bool, csv_safe: bool) -> bytes:
    rows = csv_rows(Rows(part.to_pylist()), csv_safe=csv_safe)
    return rows if is_first else rows.partition(b"\n")[2]
