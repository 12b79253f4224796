from __future__ import annotations

import csv
import gzip
import io
import json
import sys

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from caplens.corpus import CaptionTable, PairedTable
from caplens.errors import InputError
from caplens.readers import ReadOptions, read


def delimited(rows: list[list[str]], delimiter: str = ",", end: str = "\r\n") -> str:
    file = io.StringIO()
    csv.writer(file, delimiter=delimiter, lineterminator=end).writerows(rows)
    return file.getvalue()


def parquet(columns: dict[str, object], **options: object) -> bytes:
    sink = io.BytesIO()
    pq.write_table(pa.table(columns), sink, **options)
    return sink.getvalue()


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
class TestDelimited:
    def test_captions(self, write, delimiter, end):
        rows = [["image_id", "score", "caption"], ["1", "0.5", 'a "dog", and\n a; cat\t'], ["x", "", "  "]]
        table = read(write(delimited(rows, delimiter, end)))
        assert isinstance(table, CaptionTable)
        assert (table.ids, table.captions) == (["1", "x"], ['a "dog", and\n a; cat\t', "  "])

    def test_references_as_a_json_list(self, write, delimiter, end):
        rows = [["id", "candidate", "references"], ["1", "a", json.dumps(["é", 'b,";\t'])], ["2", "c", "[UNK] d"]]
        table = read(write(delimited(rows, delimiter, end)))
        assert isinstance(table, PairedTable)
        assert (table.ids, table.candidates) == (["1", "2"], ["a", "c"])
        assert table.references == [["é", 'b,";\t'], ["[UNK] d"]]

    def test_references_in_repeated_rows(self, write, delimiter, end):
        rows = [["id", "image", "candidate", "reference"]]
        rows += [["1", "p", "a", "r1"], ["2", "p", "a", "r2"], ["1", "p", "a", "r3"], ["1", "p", "b", "r4"]]
        table = read(write(delimited(rows, delimiter, end)))
        assert (table.ids, table.candidates) == (["1", "2", "1"], ["a", "a", "b"])
        assert table.references == [["r1", "r3"], ["r2"], ["r4"]]
        assert table.images == ["p", "p", "p"]

    def test_only_references(self, write, delimiter, end):
        rows = [["id", "references"], ["1", '["a", "b"]'], ["1", "c"], ["2", ""]]
        table = read(write(delimited(rows, delimiter, end)))
        assert (table.ids, table.captions) == (["1", "1", "1"], ["a", "b", "c"])

    def test_quoted_header_with_spaces(self, write, delimiter, end):
        text = f'"id" {delimiter} caption {end}1{delimiter}a{end}'
        assert read(write(text)).captions == ["a"]


def test_bytes_before_the_header_and_gzip(write):
    data = b"\xef\xbb\xbf" + delimited([["id", "caption"], ["1", "a"]]).encode()
    assert read(write(gzip.compress(data))).ids == ["1"]


def test_rows_without_ids(write):
    table = read(write("candidate,references\na,b\na,c\n"))
    assert (table.ids, table.references) == ([0, 1], [["b"], ["c"]])
    table = read(write("caption,score\na,1\nb,2\n"))
    assert (table.ids, table.by_position) == ([0, 1], True)


def test_an_empty_reference_cell_is_no_reference(write):
    assert read(write("id,candidate,references\n1,a,\n1,a,b\n2,c,\n")).references == [["b"], []]


def test_blank_lines_are_no_rows(write):
    assert read(write("id,caption\n\n1,a\n\n")).ids == ["1"]


def test_a_header_alone(write):
    assert read(write("id,caption\n")).ids == []


def test_columns_by_name(write):
    path = write("img;who;pred\n7;x;a\n")
    table = read(path, ReadOptions(columns={"id": "img", "candidate": "pred"}))
    assert (table.ids, table.captions) == (["7"], ["a"])


def test_one_column_must_be_forced(write):
    path = write("caption\na dog\n")
    assert read(path).captions == ["caption", "a dog"]
    assert read(path, ReadOptions(input_format="csv")).captions == ["a dog"]


@pytest.mark.parametrize("content", ["img,pred\n1,a\n", parquet({"img": [1], "pred": ["a"]})])
def test_columns_that_are_not_there(write, content):
    with pytest.raises(InputError, match=r"no column 'image' \(columns={'id': 'image'}\): it has img, pred"):
        read(write(content), ReadOptions(columns={"candidate": "pred", "id": "image"}))


def test_ragged_rows(write):
    with pytest.raises(InputError, match=r"Line 5 of .* has 3 cells but the header has 2"):
        read(write('id,caption\n1,"two\nlines"\n2,a\n3,a dog, a cat\n'))
    with pytest.raises(InputError, match=r"Line 2 of .* has 1 cells"):
        read(write("id\tcaption\n1\n"))


@pytest.mark.parametrize("cell", ['"a" dog', '"a dog', "a\rb"])
def test_quotes_that_go_wrong(write, cell):
    with pytest.raises(InputError, match=r"Line [23] of .* cannot be read as a table"):
        read(write(f"id,caption\n1,{cell}\n2,b\n"))


def test_a_list_that_is_not_json(write):
    with pytest.raises(InputError, match=r"Row 1 of .* a list in 'references' that is not JSON"):
        read(write(delimited([["id", "candidate", "references"], ["1", "a", "['b', 'c']"]])))


def test_a_missing_id(write):
    with pytest.raises(InputError, match=r"Row 2 of .* has no id"):
        read(write("id,caption\n1,a\n,b\n"))


def test_repeated_columns(write):
    with pytest.raises(InputError, match=r"has 2 columns 'caption'"):
        read(write("id,caption,caption\n1,a,b\n"))


@pytest.mark.parametrize("content", ["img,text\n1,a\n", parquet({"img": [1], "text": ["a"]})])
def test_no_captions(write, content):
    forced = ReadOptions(input_format="csv" if isinstance(content, str) else None)
    with pytest.raises(InputError, match=r"no column of captions .*, found img, text; specify them"):
        read(write(content), forced)


def test_invalid_utf8_in_a_table(write):
    with pytest.raises(InputError, match="at position 3 of line 2 is invalid"):
        read(write(b"id,caption\n1,\xe9\n"))


@pytest.mark.parametrize(
    "caption_type",
    [pa.string(), pa.large_string(), pa.dictionary(pa.int32(), pa.string()), pa.binary(), pa.large_binary()],
)
@pytest.mark.parametrize("id_type", [pa.int64(), pa.int32(), pa.uint16(), "dictionary"])
def test_parquet_types(write, caption_type, id_type):
    captions = pa.array(["é", None, "b"]).cast(caption_type)
    ids = pa.array([3, 2, 1])
    ids = ids.dictionary_encode() if id_type == "dictionary" else ids.cast(id_type)
    table = read(write(parquet({"image_id": ids, "caption": captions})))
    assert (table.ids, table.captions) == ([3, 2, 1], ["é", None, "b"])


@pytest.mark.parametrize("packed", [False, True])
def test_parquet_with_lists_in_several_row_groups(write, packed):
    count = 1000
    columns = {
        "id": [f"row{number}" for number in range(count)],
        "image": [number // 2 for number in range(count)],
        "candidate": [f"a {number}" for number in range(count)],
        "references": [["x", str(number)] for number in range(count)],
        "unused": [[{"deep": number}] for number in range(count)],
    }
    data = parquet(columns, row_group_size=100)
    table = read(write(gzip.compress(data) if packed else data, "captions.json"))
    assert isinstance(table, PairedTable)
    assert (table.ids, table.candidates, table.references, table.images) == (
        columns["id"],
        columns["candidate"],
        columns["references"],
        columns["image"],
    )


def test_parquet_with_repeated_rows(write):
    table = read(write(parquet({"id": [1, 1, 2], "candidate": ["a", "a", "b"], "references": ["x", "y", None]})))
    assert (table.ids, table.references) == ([1, 2], [["x", "y"], []])


def test_parquet_from_standard_input(monkeypatch):
    data = parquet({"id": [1], "caption": ["a"]})
    monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))
    assert read("-").captions == ["a"]


@pytest.mark.parametrize("cut", [5, 100, -8, -1])
def test_broken_parquet(write, cut):
    with pytest.raises(InputError, match="cannot be read as a Parquet file"):
        read(write(parquet({"id": [1], "caption": ["a"]})[:cut]))


def test_parquet_bytes_that_are_not_text(write):
    with pytest.raises(InputError, match=r"cannot be read as a Parquet file: .*UTF8"):
        read(write(parquet({"id": [1], "caption": pa.array([b"\xff"])})))
