"""Scene graphs instead of references in files of every shape."""

from __future__ import annotations

import csv
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.readers.conftest import Write

import caplens
from caplens.api.loading import load_corpus

HORSE = [["man"], ["Man", "tall"], ["man", "ride", "horse"]]
HORSE_TEXT = '[["man"],["man","tall"],["man","ride","horse"]]'
MIXED = ["a man on a horse", HORSE]


def references_of(corpus):
    return [corpus.references.texts(place) for place in corpus.reference_set.tolist()]


def as_csv(header, *rows):
    text = io.StringIO()
    csv.writer(text).writerows([header, *rows])
    return text.getvalue()


@pytest.mark.parametrize(
    "shape",
    [
        {"1": MIXED, "2": [HORSE]},
        {"1": ["a man on a horse", HORSE_TEXT], "2": HORSE_TEXT},
        {"1": [{"caption": "a man on a horse"}, {"caption": HORSE}], "2": [{"caption": HORSE}]},
        [{"id": 1, "references": MIXED}, {"id": 2, "references": [HORSE]}],
        "\n".join([json.dumps({"id": 1, "refs": MIXED}), json.dumps({"id": 2, "refs": [HORSE]})]),
        {
            "images": [],
            "annotations": [
                {"image_id": 1, "caption": "a man on a horse"},
                {"image_id": 1, "caption": HORSE},
                {"image_id": 2, "caption": HORSE},
            ],
        },
        [
            {"image_id": 1, "caption": "a man on a horse"},
            {"image_id": 1, "caption": HORSE},
            {"image_id": 2, "caption": HORSE},
        ],
        as_csv(["id", "references"], [1, json.dumps(MIXED)], [2, json.dumps(HORSE)]),
        as_csv(["id", "references"], [1, "a man on a horse"], [1, json.dumps(HORSE)], [2, json.dumps([HORSE])]),
        as_csv(["id", "caption"], [1, "a man on a horse"], [1, HORSE_TEXT], [2, json.dumps(HORSE)]),
    ],
)
def test_references_of_any_shape(write: Write, shape):
    corpus = load_corpus(write({"1": "a", "2": "b"}), write(shape))
    assert references_of(corpus) == [["a man on a horse", HORSE_TEXT], [HORSE_TEXT]]


@pytest.mark.parametrize(
    "shape",
    [
        [{"id": 1, "candidate": "a", "references": MIXED}, {"id": 2, "candidate": "b", "references": [HORSE]}],
        [{"id": 1, "candidate": "a", "references": MIXED}, {"id": 2, "candidate": "b", "references": HORSE_TEXT}],
        as_csv(["id", "candidate", "references"], [1, "a", json.dumps(MIXED)], [2, "b", json.dumps(HORSE)]),
        as_csv(
            ["id", "candidate", "references"], [1, "a", "a man on a horse"], [1, "a", HORSE_TEXT], [2, "b", HORSE_TEXT]
        ),
    ],
)
def test_rows_that_carry_both(write: Write, shape):
    assert references_of(load_corpus(write(shape))) == [["a man on a horse", HORSE_TEXT], [HORSE_TEXT]]


def test_parquet(tmp_path):
    text = pa.table({"id": [1, 1], "candidate": ["a", "a"], "references": ["a man on a horse", json.dumps(HORSE)]})
    nested = pa.table({"id": [1], "candidate": ["a"], "references": [[HORSE, HORSE[:1]]]})
    for table, expected in ((text, ["a man on a horse", HORSE_TEXT]), (nested, [HORSE_TEXT, '[["man"]]'])):
        pq.write_table(table, tmp_path / "table")
        assert references_of(load_corpus(tmp_path / "table")) == [expected]


def test_plain_text(write: Write):
    corpus = load_corpus(write("a\nb\n"), [write("a man\n" + HORSE_TEXT + "\n")])
    assert references_of(corpus) == [["a man"], [HORSE_TEXT]]


@pytest.mark.parametrize(
    "shape",
    [
        {"1": HORSE},
        [{"id": 1, "candidate": "a", "references": HORSE}],
        [{"id": 1, "candidate": "a", "references": ["x", ["man", "tall"]]}],
    ],
)
def test_a_missing_pair_of_brackets_is_named(write: Write, shape):
    table = write(shape)
    with pytest.raises(caplens.InputError, match=r"\(id 1.*one pair of brackets may be missing"):
        load_corpus(table) if isinstance(shape, list) else load_corpus(write({"1": "a"}), table)


def test_candidates_may_be_scene_graphs_too(write: Write):
    for shape in ([{"image_id": 1, "caption": HORSE}], {"1": HORSE_TEXT}, {"1": [HORSE]}):
        assert list(load_corpus(write(shape), write({"1": ["x"]})).candidates) == [HORSE_TEXT]
