"""Columns beside the captions reach the corpus, from files of every shape."""

from __future__ import annotations

import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.readers.conftest import Write

from caplens.api.loading import load_candidates, load_corpus
from caplens.readers import ReadOptions, read_references

PATHS = ["one.jpg", "two.jpg"]
ROWS = [
    {"id": 1, "candidate": "a", "references": ["x"], "path": "one.jpg", "score": 0.5},
    {"id": 2, "candidate": "b", "references": ["y"], "path": "two.jpg", "score": 1.5},
]


@pytest.mark.parametrize(
    "shape",
    [
        ROWS,
        "\n".join(map(json.dumps, ROWS)),
        "id,candidate,references,path\n1,a,x,one.jpg\n2,b,y,two.jpg\n",
        "id\tcandidate\treferences\tpath\n1\ta\tx\tone.jpg\n1\ta\tz\tone.jpg\n2\tb\ty\ttwo.jpg\n",
    ],
)
def test_of_rows_that_carry_both(write: Write, shape):
    corpus = load_corpus(write(shape))
    assert corpus.columns["path"] == PATHS
    assert corpus.select([1]).columns["path"] == ["two.jpg"]
    assert "references" not in corpus.columns


@pytest.mark.parametrize(
    "shape",
    [
        [{"image_id": 1, "caption": "a", "path": "one.jpg"}, {"image_id": 2, "caption": "b", "path": "two.jpg"}],
        "id,caption,path\n1,a,one.jpg\n2,b,two.jpg\n",
    ],
)
def test_of_candidates(write: Write, shape):
    corpus = load_corpus(write(shape), write({"2": ["y"], "1": ["x"]}))
    assert (corpus.ids, list(corpus.candidates)) == (["1", "2"], ["a", "b"])
    assert corpus.columns == {"path": PATHS}


def test_an_image_may_be_a_path_too(write: Write):
    shape = [{"id": 1, "candidate": "a", "references": ["x"], "image": "one.jpg"}]
    assert load_corpus(write(shape)).columns == {"image": ["one.jpg"]}


def test_numbers_and_missing_values_are_kept_as_they_are(write: Write):
    rows = [ROWS[0], {**ROWS[1], "score": None}]
    assert load_corpus(write(rows)).columns["score"] == [0.5, None]


def test_lists_are_read_if_they_are_named(write: Write):
    rows = [{**row, "features": [1.0, 2.0]} for row in ROWS]
    for shape in (rows, "\n".join(map(json.dumps, rows))):
        assert "features" not in load_corpus(write(shape)).columns
        options = ReadOptions(further_columns=frozenset({"features", "absent"}))
        assert load_corpus(write(shape), options=options).columns["features"] == [[1.0, 2.0], [1.0, 2.0]]


def test_parquet(tmp_path):
    features = [[1.0, 2.0], [3.0, 4.0]]
    table = pa.table(
        {
            "id": [1, 2],
            "candidate": ["a", "b"],
            "references": [["x"], ["y"]],
            "path": pa.array(PATHS).dictionary_encode(),
            "features": pa.array(features, pa.list_(pa.float32())),
            "ragged": [[1.0], []],
            "bytes": [b"\xff", b"\xfe"],
        }
    )
    pq.write_table(table, tmp_path / "table")
    assert load_corpus(tmp_path / "table").columns == {"path": PATHS}
    options = ReadOptions(further_columns=frozenset({"features", "ragged", "bytes"}))
    columns = load_corpus(tmp_path / "table", options=options).select([1, 0]).columns
    assert isinstance(columns["features"], np.ndarray)
    assert columns["features"].tolist() == features[::-1]
    assert columns["features"].dtype == np.float32
    assert (columns["ragged"], columns["bytes"]) == ([[], [1.0]], [b"\xfe", b"\xff"])


def test_those_of_references_are_not_read(write: Write):
    assert read_references([write(ROWS)]).columns == {}
    assert load_candidates(write(ROWS)).columns["path"] == PATHS


@pytest.mark.parametrize("key", ['quo"te', "back\\slash", "tab\t", "ümlaut", ""])
def test_keys_of_any_kind_do_no_harm(write: Write, key):
    assert load_corpus(write([{**ROWS[0], key: "x"}])).columns["path"] == ["one.jpg"]
