"""Labels of rows from a file, for scores by subset."""

from __future__ import annotations

from caplens.readers.records import read_records, require_columns
from caplens.readers.scores import row_by_id


def labels_from_file(file: str, column: str) -> dict[str, object]:
    """Return one column of a table (CSV, TSV, JSON, Parquet) by its column ``id``."""
    rows = read_records(file)
    require_columns(rows, [column], file)
    return {key: rows[place][column] for key, place in row_by_id(rows, file).items()}
