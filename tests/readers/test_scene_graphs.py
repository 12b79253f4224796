"""Scene graphs in the place of captions, in files of every shape."""

from __future__ import annotations

import csv
import io
import json
from itertools import repeat

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.readers.conftest import Write

import caplens
from caplens.api.loading import load_corpus
from caplens.readers import ReadOptions

HORSE = [["man"], ["Man", "tall"], ["man", "ride", "horse"]]
GRAPH = (("man",), ("man", "tall"), ("man", "ride", "horse"))
MIXED = ["a man on a horse", HORSE]


def references_of(corpus):
    """The references of each row; graphs as tuples."""
    sets = corpus.references
    found = [
        text if graph is None else graph
        for text, graph in zip(sets.captions, sets.graphs or repeat(None), strict=False)
    ]
    return [found[sets.offsets[place] : sets.offsets[place + 1]] for place in corpus.reference_set.tolist()]


def as_csv(header, *rows):
    text = io.StringIO()
    cells = [[json.dumps(cell) if isinstance(cell, list) else cell for cell in row] for row in rows]
    csv.writer(text).writerows([header, *cells])
    return text.getvalue()


@pytest.mark.parametrize(
    "shape",
    [
        {"1": MIXED, "2": [HORSE]},
        {"1": MIXED, "2": HORSE},
        {"1": [{"caption": "a man on a horse"}, {"caption": HORSE}], "2": [{"caption": HORSE}]},
        [{"id": 1, "references": MIXED}, {"id": 2, "references": [HORSE]}],
        [{"id": 1, "references": MIXED}, {"id": 2, "references": HORSE}],
        [
            {"id": 1, "references": "a man on a horse", "reference_graphs": HORSE},
            {"id": 2, "reference_graphs": [HORSE]},
        ],
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
        as_csv(["id", "references", "reference_graphs"], [1, "a man on a horse", json.dumps(HORSE)], [2, "", HORSE]),
        as_csv(["id", "references", "reference_graphs"], [1, "a man on a horse", ""], [1, "", HORSE], [2, "", [HORSE]]),
    ],
)
def test_references_of_any_shape(write: Write, shape):
    corpus = load_corpus(write({"1": "a", "2": "b"}), write(shape))
    assert references_of(corpus) == [["a man on a horse", GRAPH], [GRAPH]]


@pytest.mark.parametrize(
    "shape",
    [
        [{"id": 1, "candidate": "a", "references": MIXED}, {"id": 2, "candidate": "b", "references": [HORSE]}],
        [{"id": 1, "candidate": "a", "references": MIXED}, {"id": 2, "candidate": "b", "references": HORSE}],
        as_csv(
            ["id", "candidate", "references", "reference_graphs"],
            [1, "a", '["a man on a horse"]', json.dumps(HORSE)],
            [2, "b", "", json.dumps([HORSE])],
        ),
        as_csv(
            ["id", "candidate", "references", "reference_graphs"],
            [1, "a", "a man on a horse", ""],
            [1, "a", "", json.dumps(HORSE)],
            [2, "b", "", json.dumps(HORSE)],
        ),
    ],
)
def test_rows_that_carry_both(write: Write, shape):
    assert references_of(load_corpus(write(shape))) == [["a man on a horse", GRAPH], [GRAPH]]


def test_parquet(tmp_path):
    text = pa.table({"id": [1, 1], "candidate": ["a", "a"], "reference_graphs": ['[["man"]]', json.dumps(HORSE)]})
    nested = pa.table({"id": [1], "candidate": ["a"], "reference_graphs": [[HORSE[:1], HORSE]]})
    for table in (text, nested):
        pq.write_table(table, tmp_path / "table")
        assert references_of(load_corpus(tmp_path / "table")) == [[(("man",),), GRAPH]]


@pytest.mark.parametrize(
    ("column", "value", "home"),
    [("references", [[HORSE]], "reference_graphs"), ("candidate", [HORSE], "candidate_graph")],
)
def test_parquet_has_columns_of_its_own_for_graphs(tmp_path, column, value, home):
    columns = {"id": [1], "candidate": ["a"], "references": [["b"]], column: value}
    pq.write_table(pa.table(columns), tmp_path / "table")
    with pytest.raises(caplens.InputError, match=f"lists of lists in '{column}': scene graphs belong in .* '{home}'"):
        load_corpus(tmp_path / "table")


JSON_CAPTION = '[["man"], ["man", "ride", "horse"]]'


@pytest.mark.parametrize(
    "shape",
    [
        {"1": JSON_CAPTION},
        {"1": [JSON_CAPTION]},
        [{"image_id": 1, "caption": JSON_CAPTION}],
        [{"id": 1, "references": JSON_CAPTION}],
        as_csv(["id", "references"], [1, JSON_CAPTION]),
        as_csv(["id", "references"], [1, json.dumps([JSON_CAPTION])]),
        as_csv(["id", "caption"], [1, JSON_CAPTION]),
    ],
)
def test_a_caption_that_looks_like_json_is_a_caption(write: Write, tmp_path, shape):
    assert references_of(load_corpus(write({"1": "a"}), write(shape))) == [[JSON_CAPTION]]
    corpus = load_corpus(write(shape), write({"1": ["x"]}))
    assert (list(corpus.candidates), corpus.candidate_graphs) == ([JSON_CAPTION], None)
    pq.write_table(pa.table({"id": [1], "candidate": [JSON_CAPTION], "references": [JSON_CAPTION]}), tmp_path / "table")
    assert references_of(load_corpus(tmp_path / "table")) == [[JSON_CAPTION]]


def test_plain_text_has_captions_only(write: Write):
    corpus = load_corpus(write("a\nb\n"), [write("a man\n" + JSON_CAPTION + "\n")])
    assert references_of(corpus) == [["a man"], [JSON_CAPTION]]


@pytest.mark.parametrize(
    ("shape", "message"),
    [
        (as_csv(["id", "candidate", "candidate_graph"], [1, "a", JSON_CAPTION]), "Row 1 .* has both a candidate and"),
        (
            as_csv(["id", "candidate_graph"], [1, JSON_CAPTION], [2, "a man"]),
            "Row 2 .* no scene graph in 'candidate_gr",
        ),
        (as_csv(["id", "candidate_graph"], [1, '["man"]']), r"Row 1 .* no scene graph in 'candidate_graph' \(\[\"man"),
        (as_csv(["id", "reference_graphs"], [1, '[["man"], [["dog"]]]']), "no scene graph in 'reference_graphs'"),
        (as_csv(["id", "reference_graphs"], [1, '[["a", "b", "c", "d"]]']), r"\(id 1\): .* has 4 parts"),
        (as_csv(["id", "references"], [1, '["a", [["man"]]]']), "scene graphs belong in the column reference_graphs"),
        (as_csv(["id", "references"], [1, '[null, "a"]']), "not of strings only"),
        ([{"id": 1, "candidate_graph": "a man"}], "no scene graph in 'candidate_graph'"),
    ],
)
def test_what_cannot_be_meant_gets_one_sentence(write: Write, shape, message):
    with pytest.raises(caplens.InputError, match=message):
        load_corpus(write(shape), write(shape))


@pytest.mark.parametrize(
    "shape",
    [
        {"1": ["x", ["man", "tall"]]},
        [{"id": 1, "candidate": "a", "references": ["x", ["man", "tall"]]}],
    ],
)
def test_a_missing_pair_of_brackets_is_named(write: Write, shape):
    table = write(shape)
    with pytest.raises(caplens.InputError, match=r"\(id 1.*a pair of brackets may be missing"):
        load_corpus(table) if isinstance(shape, list) else load_corpus(write({"1": "a"}), table)


@pytest.mark.parametrize(
    "shape",
    [
        [{"image_id": 1, "caption": HORSE}],
        {"1": HORSE},
        {"1": [HORSE]},
        [{"id": 1, "candidate": HORSE, "references": ["y"]}],
        [{"id": 1, "candidate_graph": HORSE}],
        as_csv(["id", "candidate_graph"], [1, json.dumps(HORSE)]),
        as_csv(["id", "candidate", "candidate_graph"], [1, "", json.dumps(HORSE)]),
    ],
)
def test_candidates_may_be_scene_graphs_too(write: Write, shape):
    assert list(load_corpus(write(shape), write({"1": ["x"]})).candidate_graphs) == [GRAPH]


def test_columns_of_graphs_may_have_other_names(write: Write):
    options = ReadOptions(columns={"candidate_graph": "mine", "reference_graphs": "theirs"})
    shape = as_csv(["id", "mine", "theirs"], [1, json.dumps(HORSE), '[["dog"]]'])
    corpus = load_corpus(write(shape), options=options)
    assert (list(corpus.candidate_graphs), references_of(corpus)) == ([GRAPH], [[(("dog",),)]])
    apart = load_corpus(
        write(as_csv(["id", "mine"], [1, json.dumps(HORSE)])),
        write(as_csv(["id", "theirs"], [1, '[["dog"]]'])),
        options,
    )
    assert (list(apart.candidate_graphs), references_of(apart)) == ([GRAPH], [[(("dog",),)]])
