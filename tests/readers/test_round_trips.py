from __future__ import annotations

import contextlib
import csv
import gzip
import io
import json
import tempfile
from collections.abc import Callable
from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caplens.corpus import CaptionTable, PairedTable
from caplens.errors import InputError
from caplens.readers import ReadOptions, read
from caplens.readers.outline import outline

# A table cell cannot tell an id that is empty from one that is missing.
IDS = st.one_of(st.integers(0, 2**63 - 1), st.text(st.characters(codec="utf-8", exclude_characters="\r\0"), min_size=1))
CAPTIONS = st.text(st.characters(codec="utf-8", exclude_characters="\r\0"))
ROWS = st.lists(st.tuples(IDS, CAPTIONS), min_size=1, max_size=8)
PAIRED_ROWS = st.lists(
    st.tuples(IDS, CAPTIONS, st.lists(CAPTIONS, min_size=1, max_size=3)),
    min_size=1,
    max_size=6,
    unique_by=lambda row: str(row[0]),
)


unhurried = settings(deadline=None)  # the machine may be busy with other tests


def read_bytes(data: bytes, options: ReadOptions | None = None) -> CaptionTable | PairedTable:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder, "input")
        path.write_bytes(data)
        return read(path, options or ReadOptions())


def table_bytes(header: list[str], rows: list[list[str]], delimiter: str) -> bytes:
    file = io.StringIO()
    writer = csv.writer(file, delimiter=delimiter, quoting=csv.QUOTE_ALL)
    writer.writerows([header, *rows])
    return file.getvalue().encode()


def parquet_bytes(columns: dict[str, list[object]]) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink)
    return sink.getvalue()


def json_lines(rows: list[dict[str, object]], **style: object) -> bytes:
    return b"".join(json.dumps(row, **style).encode() + b"\n" for row in rows)


WRITERS: dict[str, Callable[[list[tuple[object, str]]], bytes]] = {
    "coco-results": lambda rows: json.dumps([{"image_id": i, "caption": c} for i, c in rows]).encode(),
    "coco-results, not ascii": lambda rows: json.dumps(
        [{"caption": c, "image_id": i} for i, c in rows], ensure_ascii=False, indent=1
    ).encode(),
    "coco-annotations": lambda rows: json.dumps(
        {"images": [{"id": i} for i, _ in rows], "annotations": [{"image_id": i, "caption": c} for i, c in rows]}
    ).encode(),
    "jsonl": lambda rows: json_lines([{"id": i, "caption": c} for i, c in rows]),
    "csv": lambda rows: table_bytes(["id", "caption"], [[str(i), c] for i, c in rows], ","),
    "tsv": lambda rows: table_bytes(["id", "caption"], [[str(i), c] for i, c in rows], "\t"),
    "parquet": lambda rows: parquet_bytes({"id": [str(i) for i, _ in rows], "caption": [c for _, c in rows]}),
    "karpathy": lambda rows: json.dumps(
        {"images": [{"imgid": i, "split": "test", "sentences": [{"raw": c}]} for i, c in rows]}
    ).encode(),
}


@pytest.mark.parametrize("shape", WRITERS)
@unhurried
@given(rows=ROWS, packed=st.booleans())
def test_captions_come_back(shape, rows, packed):
    data = WRITERS[shape](rows)
    table = read_bytes(gzip.compress(data, 1) if packed else data)
    assert isinstance(table, CaptionTable)
    assert [(str(i), c) for i, c in zip(table.ids, table.captions, strict=True)] == [(str(i), c) for i, c in rows]


@unhurried
@given(mapping=st.dictionaries(st.text(), st.lists(st.text(), max_size=3), max_size=6), objects=st.booleans())
def test_mappings_come_back(mapping, objects):
    written = {key: [{"caption": text} for text in texts] for key, texts in mapping.items()} if objects else mapping
    table = read_bytes(json.dumps(written).encode(), ReadOptions(input_format="mapping"))
    expected = [(key, text) for key, texts in mapping.items() for text in texts]
    assert list(zip(table.ids, table.captions, strict=True)) == expected


@unhurried
@given(captions=st.lists(st.text(st.characters(exclude_characters="\n\r", codec="utf-8")), min_size=1))
def test_text_comes_back(captions):
    data = "".join(caption + "\n" for caption in captions).encode()
    table = read_bytes(data, ReadOptions(input_format="text"))
    expected = [captions[0].removeprefix("\ufeff"), *captions[1:]]
    assert table.captions == expected


def paired_objects(rows: list[tuple[object, str, list[str]]]) -> list[dict[str, object]]:
    return [{"id": i, "candidate": c, "references": r} for i, c, r in rows]


PAIRED_WRITERS: dict[str, Callable[[list[tuple[object, str, list[str]]]], bytes]] = {
    "lines": lambda rows: json_lines(paired_objects(rows)),
    "lines, not ascii": lambda rows: json_lines(paired_objects(rows), ensure_ascii=False),
    "list": lambda rows: json.dumps(paired_objects(rows)).encode(),
    "csv": lambda rows: table_bytes(
        ["id", "candidate", "references"], [[str(i), c, json.dumps(r)] for i, c, r in rows], ","
    ),
    "parquet": lambda rows: parquet_bytes(
        {
            "id": [str(i) for i, _, _ in rows],
            "candidate": [c for _, c, _ in rows],
            "references": [r for _, _, r in rows],
        }
    ),
}


@pytest.mark.parametrize("shape", PAIRED_WRITERS)
@unhurried
@given(rows=PAIRED_ROWS)
def test_rows_come_back(shape, rows):
    table = read_bytes(PAIRED_WRITERS[shape](rows))
    assert isinstance(table, PairedTable)
    found = list(zip(map(str, table.ids), table.candidates, table.references, strict=True))
    assert found == [(str(i), c, r) for i, c, r in rows]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
)


@unhurried
@given(value=JSON, cut=st.floats(0, 1))
def test_an_outline_survives_any_cut(value, cut):
    data = json.dumps(value, ensure_ascii=False).encode()
    whole, part = outline(data), outline(data[: int(len(data) * cut)])
    if isinstance(value, dict | list):
        assert whole is not None
        assert whole.is_complete
        assert not whole.is_followed
    else:
        assert whole is None
    if part is not None:
        assert part.kinds.keys() <= whole.kinds.keys()


@unhurried
@given(
    data=st.one_of(st.binary(min_size=1), JSON.map(lambda value: json.dumps(value).encode()), st.text().map(str.encode))
)
def test_any_file_is_read_or_refused_with_a_sentence(data):
    with contextlib.suppress(InputError):
        read_bytes(data)
