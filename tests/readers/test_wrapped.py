"""Rows inside a larger JSON document."""

from __future__ import annotations

import json

import pytest

import caplens
from caplens.corpus import PairedTable
from caplens.readers import ReadOptions, read, read_references

ROWS = [
    {"id": 7, "candidate": "a dog", "references": ["two dogs", "dogs"]},
    {"id": 9, "candidate": "a cat", "references": ["a cat"]},
]


def written(path, value):
    path.write_text(json.dumps(value))
    return path


@pytest.mark.parametrize("key", ["images", "items", "data", "annotations"])
def test_rows_under_any_key(tmp_path, key):
    table = read(written(tmp_path / "a.json", {"source": "somewhere", "n": {"a": [1]}, key: ROWS, "more": [1, 2]}))
    assert isinstance(table, PairedTable)
    assert table.candidates == ["a dog", "a cat"]
    assert table.references == [["two dogs", "dogs"], ["a cat"]]
    assert table.ids == [7, 9]


def test_rows_by_id(tmp_path):
    by_id = {str(row["id"]): {"candidate": row["candidate"], "references": row["references"]} for row in ROWS}
    table = read(written(tmp_path / "a.json", by_id))
    assert table.ids == ["7", "9"]
    assert table.candidates == ["a dog", "a cat"]


def test_other_names_of_columns(tmp_path):
    rows = [{"key": 7, "hyp": "a dog", "gold": ["dogs"]}]
    options = ReadOptions(columns={"id": "key", "candidate": "hyp", "references": "gold"})
    assert read(written(tmp_path / "a.json", {"about": "x", "rows": rows}), options).candidates == ["a dog"]


def test_two_lists_of_rows_need_a_choice(tmp_path):
    path = written(tmp_path / "a.json", {"first": ROWS, "second": ROWS[:1]})
    with pytest.raises(caplens.InputError, match=r"under several keys \(first, second\): choose one with at="):
        read(path)
    assert read(path, ReadOptions(at="second")).ids == [7]


class TestAt:
    @pytest.fixture
    def path(self, tmp_path):
        systems = {
            "ours": {"images": {"7": {"candidate": "a dog"}}, "published": {"CIDEr": 1}},
            "b": {"captions": {"7": "x"}},
        }
        return written(tmp_path / "systems.json", {"about": "two systems", "systems": systems, "runs": [ROWS]})

    def test_a_path_of_keys(self, path):
        table = read(path, ReadOptions(at="systems/ours/images"))
        assert (table.ids, table.captions) == (["7"], ["a dog"])
        assert read(path, ReadOptions(at="systems/b/captions")).captions == ["x"]
        assert read(path, ReadOptions(at="runs/0")).candidates == ["a dog", "a cat"]

    def test_wrong_keys_are_named(self, path):
        with pytest.raises(caplens.InputError, match=r"has no 'theirs' \(at=.*\): there are ours, b"):
            read(path, ReadOptions(at="systems/theirs"))
        with pytest.raises(caplens.InputError, match=r"nested more deeply, use at="):
            read(path)

    def test_references_without_the_keys_are_read_as_a_whole(self, path, tmp_path):
        references = written(tmp_path / "refs.json", {"7": ["a dog"]})
        assert read_references([references], ReadOptions(at="systems/ours/images")).captions == ["a dog"]


@pytest.mark.parametrize(
    ("value", "kind"),
    [
        ({"images": [{"id": 7}], "annotations": [{"image_id": 7, "caption": "a dog"}]}, "COCO annotations"),
        ({"7": [{"caption": "a dog"}]}, "a mapping to objects"),
        ({"7": ["a dog"]}, "a mapping"),
    ],
)
def test_other_shapes_are_read_as_before(tmp_path, value, kind):
    table = read(written(tmp_path / "a.json", value))
    assert ([str(each) for each in table.ids], list(table.captions)) == (["7"], ["a dog"]), kind


def test_results_with_captions_can_be_scored_again(tmp_path):
    result = caplens.score(["a dog runs", "cats"], [["a dog", "dogs run"], ["a cat"]], "rouge, bleu")
    result.with_captions().write(tmp_path / "result.json")
    again = caplens.score(caplens.load_corpus(tmp_path / "result.json"), metrics="rouge, bleu")
    assert again["ROUGE_L"].item_scores.tolist() == result["ROUGE_L"].item_scores.tolist()
    assert again["Bleu_4"].score == result["Bleu_4"].score
