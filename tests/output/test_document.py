"""The shape of our JSON files, of every schema."""

from __future__ import annotations

import gzip
import json

import pytest

import caplens
from caplens.errors import InputError
from caplens.output.document import SCHEMA, read_document, upgraded

REFERENCES = {1: ["a dog"], 2: ["two cats"]}


def test_what_this_version_writes_is_read_as_it_is(tmp_path):
    systems = {"a": {1: "a dog", 2: "a cat"}, "b": {1: "a cat", 2: "two cats"}}
    comparison = caplens.compare(systems, REFERENCES, "rouge")
    comparison.write(tmp_path / "c.json.gz")
    assert read_document(tmp_path / "c.json.gz") == comparison.to_dict()
    result = caplens.score(systems["a"], REFERENCES, "rouge")
    result.write(tmp_path / "r.json")
    assert read_document(tmp_path / "r.json") == result.to_dict()


def test_a_comparison_of_schema_1():
    old = {
        "schema": 1,
        "caplens": "0.0.9",
        "items": 5,
        "systems": {"a": {"CIDEr": {"score": 0.5}}, "b": {"CIDEr": {"score": 0.4}}},
        "tests": [{"score": "CIDEr", "first": "a", "second": "b"}],
    }
    new = upgraded(old)
    assert (new["schema"], new["n"], new["items"]) == (SCHEMA, 5, [])
    assert new["systems"]["b"]["metrics"]["CIDEr"]["score"] == 0.4
    assert old["items"] == 5


def test_explanations_and_scores_of_schema_1():
    assert upgraded([{"metric": "rouge"}]) == {"schema": SCHEMA, "explanations": [{"metric": "rouge"}]}
    scores = {"schema": 1, "metrics": {"CIDEr": {"score": 1.0}}, "items": [{"id": "7", "scores": {"CIDEr": 1.0}}]}
    assert upgraded(scores) == {**scores, "schema": SCHEMA}


@pytest.mark.parametrize(
    ("content", "words"),
    [
        (b"{", "is not a JSON document, or it is damaged"),
        (b'{"a": 1}', "This is not a JSON document of caplens"),
        (b"7", "This is not a JSON document of caplens"),
        (json.dumps({"schema": SCHEMA + 1}).encode(), f"has schema {SCHEMA + 1}, but this version of caplens reads up"),
        (gzip.compress(b'{"schema": 1}')[:-3], "damaged or incomplete gzip"),
    ],
)
def test_other_files_are_refused_in_a_sentence(tmp_path, content, words):
    (tmp_path / "other.json").write_bytes(content)
    with pytest.raises(InputError, match=words):
        read_document(tmp_path / "other.json")


def test_a_file_that_is_not_there(tmp_path):
    with pytest.raises(InputError, match="There is no file"):
        read_document(tmp_path / "nowhere.json")
