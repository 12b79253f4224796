"""Rows with any columns, whatever the file is."""

from __future__ import annotations

import json

import pytest

from caplens.errors import InputError
from caplens.readers.records import read_lines, read_records


def test_rows_of_every_kind_are_the_same(tmp_path):
    import pyarrow as pa
    import pyarrow.parquet as pq

    rows = [{"id": "1", "score": 0.5}, {"id": "2", "score": 0.25}]
    (tmp_path / "lines").write_text("".join(json.dumps(row) + "\n" for row in rows))
    (tmp_path / "list").write_text(json.dumps(rows, indent=1))
    scored = {"items": [{"id": row["id"], "scores": {"score": row["score"]}} for row in rows]}
    (tmp_path / "scored").write_text(json.dumps(scored))
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "parquet")
    for name in ("lines", "list", "scored", "parquet"):
        assert read_records(tmp_path / name) == rows, name
    (tmp_path / "csv").write_text("id,score\n1,0.5\n2,0.25\n")
    assert read_records(tmp_path / "csv") == [{key: str(value) for key, value in row.items()} for row in rows]


@pytest.mark.parametrize("content", ["id\n1\n", "id,id\n1,2\n"])
def test_columns_must_have_names(tmp_path, content):
    (tmp_path / "rows").write_text(content)
    with pytest.raises(InputError, match="must name its columns"):
        read_records(tmp_path / "rows")


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("id,score\n1\n", "Line 2 of .* has 1 cells but the header has 2: put cells"),
        ('id,score\n1,"a "b"\n', "Line 2 of .* cannot be read as a table: .* must be doubled"),
        ('[{"id": 1}, 2]', "Row 2 of .* is not an object with named values"),
        ('{"id": 1}\n{"id": \n', "not valid JSON: it ends unexpectedly"),
        ("PAR1 and nothing more", "cannot be read as a Parquet file"),
        ("[]", "has no rows"),
    ],
)
def test_damaged_files_get_the_sentences_of_the_caption_formats(tmp_path, content, message):
    (tmp_path / "rows").write_text(content)
    with pytest.raises(InputError, match=message):
        read_records(tmp_path / "rows")


def test_lines_have_as_many_cells_as_they_should(tmp_path):
    path = tmp_path / "lines"
    path.write_text("a\tb\n\nc\td\r\n")
    assert read_lines(path, 2) == [["a", "b"], ["c", "d"]]
    with pytest.raises(InputError, match=r"Line 1 of .* has 2 tab-separated cells, not 3"):
        read_lines(path, 3)
