"""What Python programs hold captions in is taken as it is."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import caplens

CANDIDATES = ["a dog", "two cats"]
REFERENCES = [["a dog runs", "a dog"], ["two cats", "cats"]]
FRAME = {"image_id": [7, 9], "caption": CANDIDATES, "references": REFERENCES}
LONG = {"image_id": [7, 7, 9, 9], "caption": [text for texts in REFERENCES for text in texts]}


def scores(candidates, references=None):
    result = caplens.score(candidates, references, "rouge")
    return result.ids, result["ROUGE_L"].item_scores.tolist()


EXPECTED = scores(CANDIDATES, REFERENCES)[1]


@pytest.mark.parametrize(
    ("candidates", "references"),
    [
        (np.array(CANDIDATES), np.array(REFERENCES)),
        (tuple(CANDIDATES), np.array([*REFERENCES, None], dtype=object)[:2]),
        (pd.Series(CANDIDATES), pd.Series(REFERENCES)),
        (pl.Series(CANDIDATES), pl.Series(REFERENCES)),
        (pa.array(CANDIDATES), pa.array(REFERENCES)),
        (pa.chunked_array([CANDIDATES]), pa.chunked_array([REFERENCES])),
        ((text for text in CANDIDATES), (iter(texts) for texts in REFERENCES)),
        (dict.fromkeys(CANDIDATES).keys(), map(tuple, REFERENCES)),
    ],
    ids=["arrays", "objects", "pandas", "polars", "arrow", "chunked arrow", "generators", "views"],
)
def test_by_position(candidates, references):
    assert scores(candidates, references) == ([0, 1], EXPECTED)


@pytest.mark.parametrize("make", [pd.DataFrame, pl.DataFrame, pa.table, lambda columns: pl.DataFrame(columns).lazy()])
def test_frames(make):
    assert scores(make(FRAME)) == ([7, 9], EXPECTED)
    assert scores(make(FRAME), make(LONG)) == ([7, 9], EXPECTED)
    assert scores({7: "a dog", 9: "two cats"}, make(FRAME)) == ([7, 9], EXPECTED)


def test_the_index_of_a_series_is_its_ids_unless_it_only_counts():
    frame = pd.DataFrame(FRAME).set_index("image_id")
    assert scores(frame["caption"], frame["references"]) == ([7, 9], EXPECTED)
    assert scores(frame["caption"].iloc[::-1], frame["references"]) == ([9, 7], EXPECTED[::-1])
    assert scores(frame) == ([7, 9], EXPECTED)
    long = pd.DataFrame(LONG).set_index("image_id")["caption"]
    assert scores(frame["caption"], long) == ([7, 9], EXPECTED)


def test_what_the_coco_tools_read_and_hand_over():
    results = [{"image_id": 7, "caption": "a dog"}, {"image_id": 9, "caption": "two cats"}]
    rows = [{"image_id": image, "caption": text, "id": 5} for image, text in zip(*LONG.values(), strict=True)]
    gts = {7: [{"caption": text} for text in REFERENCES[0]], 9: [{"caption": text} for text in REFERENCES[1]]}
    for references in (rows, {"images": [], "annotations": rows}, gts):
        assert scores(results, references) == ([7, 9], EXPECTED)
    assert scores({7: [{"caption": "a dog"}], 9: [{"caption": "two cats"}]}, gts) == ([7, 9], EXPECTED)


def test_evaluators_comparisons_and_rewards_take_them_too():
    evaluator = caplens.Evaluator("rouge", pd.DataFrame(LONG))
    assert evaluator.score(np.array(CANDIDATES), ids=pd.Series([7, 9]))["ROUGE_L"].item_scores.tolist() == EXPECTED
    systems = {"a": pl.Series(CANDIDATES), "b": (text for text in CANDIDATES)}
    assert caplens.compare(systems, pa.array(REFERENCES), "rouge").tests[0].difference == 0
    rouge = caplens.metric("rouge")
    assert rouge(np.array(CANDIDATES), rouge.prepare(REFERENCES))["ROUGE_L"].item_scores.tolist() == EXPECTED
    assert caplens.explain("a dog", np.array(["a dog"]), "rouge").scores["ROUGE_L"] == 1


@pytest.mark.parametrize("empty", [pd.DataFrame({"caption": []}), [], np.array([], dtype=str), (text for text in [])])
def test_nothing_at_all(empty):
    with pytest.raises(caplens.InputError, match="There is nothing to score"):
        caplens.score(empty, [], "rouge")
