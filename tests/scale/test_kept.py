"""Reference lists that come again: prepared once, and nothing that is written depends on it."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.scale.test_streaming import contents
from tests.shard_rows import make_rows, write_jsonl

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.evaluator import Evaluator
from caplens.corpus import KnownReferences
from caplens.scale import Task, kept, merge, score_files
from caplens.scale.kept import KeptReferences, keys_of

STANDING_ALONE = ("bleu", "rouge", "cider(df=coco-val2014)", "meteor", "bleu(length=coco), cider(df=coco-train2014)")


def sets_of(*lists):
    return KnownReferences.of([list(captions) for captions in lists]).sets


def rouge_of(sets, **settings):
    return Evaluator("rouge", sets, **settings)


def meet(references, sets, **settings):
    """Let a batch with these references pass by; return where they are kept, if they are."""
    keys = keys_of(sets)
    places = references.find(sets, keys)
    if places is None:
        evaluator = rouge_of(sets, **settings)
        _ = evaluator.states
        references.add(sets, keys, evaluator.references)
    return places


def repeated(rows, times):
    return [{**row, "id": f"{row['id']}-{time}"} for time in range(times) for row in rows]


@pytest.mark.parametrize("metrics", STANDING_ALONE)
def test_what_is_written_does_not_depend_on_what_is_kept(metrics, tmp_path, monkeypatch):
    rows = repeated(make_rows(30), 5)
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    task = Task.of(metrics, batch_rows=20, resamples=50)
    used = []
    score_at = Evaluator.score_at
    monkeypatch.setattr(Evaluator, "score_at", lambda *given: used.append(1) or score_at(*given))
    score_files([path], tmp_path / "kept", task)
    assert len(used) > 2
    monkeypatch.setattr(KeptReferences, "find", lambda *given: None)
    score_files([path], tmp_path / "each", task)
    assert contents(tmp_path / "kept") == contents(tmp_path / "each")


def test_a_resumed_run_writes_the_same_bytes(tmp_path):
    path = write_jsonl(tmp_path / "rows.jsonl", repeated(make_rows(30), 5))
    task = Task.of("rouge, bleu", batch_rows=20, resamples=50)
    score_files([path], tmp_path / "shards", task)
    before = contents(tmp_path / "shards")
    for number in (2, 5, 6, 7):
        (tmp_path / "shards" / "rows-jsonl" / f"part-{number:06}.sums").unlink()
    score_files([path], tmp_path / "shards", task)
    assert contents(tmp_path / "shards") == before


@pytest.mark.parametrize("metrics", STANDING_ALONE)
def test_rows_that_stand_alone_do_not_see_other_references(metrics, example_dir):
    captions = {row["image_id"]: row["caption"] for row in json.loads((example_dir / "degraded.json").read_bytes())}
    references = {image: [] for image in captions}
    for row in json.loads((example_dir / "references.json").read_bytes())["annotations"]:
        references[row["image_id"]].append(row["caption"])
    ids = list(captions)[100:200]
    few = corpus_of({image: captions[image] for image in ids}, {image: references[image] for image in ids})
    alone = Evaluator(metrics, few.references, documents=dict.fromkeys(few.references.ids, 2)).score(few)
    all_of_them = Evaluator(metrics, references)
    places = np.array([all_of_them.references.ids.index(name) for name in few.references.ids])
    together = all_of_them.score_at(few, places)
    assert all(metric.rows_stand_alone for metric in alone.states)
    for one, other in zip(alone.runs, together.runs, strict=True):
        assert np.array_equal(one.statistics.table, other.statistics.table)
        assert one.state.facts == other.state.facts
    assert together.warnings == alone.warnings
    assert together.facts == alone.facts


@pytest.mark.parametrize("request_", ["cider", "wmd", "mean(rouge, meteor)", "spice"])
def test_other_metrics_do_not_say_that_rows_stand_alone(request_):
    assert not caplens.metric(request_).rows_stand_alone


def test_lists_are_prepared_for_all_when_enough_came_again():
    references = KeptReferences(rouge_of)
    dogs, cats = sets_of(["a dog", "dogs"], ["two dogs"]), sets_of(["a cat"], ["cats", "two cats"])
    assert meet(references, dogs) is None
    assert meet(references, cats) is None
    assert references.evaluator is None
    assert meet(references, sets_of(["two dogs"], ["a cat"])).tolist() == [1, 2]
    assert meet(references, cats).tolist() == [2, 3]
    assert meet(references, sets_of(["cats", "two cats"], ["dogs", "a dog"])) is None  # another order is another list
    assert len(references.evaluator.references) == 6


def test_later_lists_join_those_that_are_prepared():
    references = KeptReferences(rouge_of)
    first, second = sets_of(["a dog"], ["dogs"]), sets_of(["a cat"], ["cats"], ["kittens"])
    assert meet(references, first) is None
    assert meet(references, first).tolist() == [0, 1]
    assert meet(references, second) is None
    assert meet(references, second).tolist() == [2, 3, 4]
    assert meet(references, first).tolist() == [0, 1]


def test_equal_numbers_of_different_lists_are_not_believed():
    references = KeptReferences(rouge_of)
    dogs, cats = sets_of(["a dog"], ["dogs"]), sets_of(["a cat"], ["cats"])
    keys = keys_of(dogs)
    assert meet(references, dogs) is None
    assert references.find(dogs, keys).tolist() == [0, 1]
    assert references.find(cats, keys) is None
    assert references.find(sets_of(["a dog", "dogs"], ["dogs"]), keys) is None


@pytest.mark.parametrize(("name", "most"), [("MOST_CAPTIONS", 3), ("MOST_BYTES", 12)])
def test_no_more_is_kept_than_there_is_room_for(name, most, monkeypatch):
    monkeypatch.setattr(kept, name, most)
    references = KeptReferences(rouge_of)
    dogs, cats = sets_of(["a dog"], ["dogs"]), sets_of(["a cat"], ["cats"])
    for _ in range(3):
        assert meet(references, dogs) is None or references.evaluator is not None
        assert meet(references, cats) is None
    assert meet(references, dogs).tolist() == [0, 1]


def test_lists_about_which_there_is_something_to_say_are_not_kept():
    references = KeptReferences(lambda sets: rouge_of(sets, max_words=2))
    long, chinese = sets_of(["a big dog"], ["dogs"]), sets_of(["一个男人骑马在海边走路"])
    for sets in (long, chinese):
        for _ in range(4):
            assert meet(references, sets, max_words=2) is None


def test_warnings_about_references_are_counted_in_every_batch(tmp_path, monkeypatch):
    rows = make_rows(20)
    rows[7]["references"] = ["a big dog that runs along the beach with a red ball in its mouth", "a dog"]
    rows[19]["references"] = ["一个男人骑马在海边走路"]
    path = write_jsonl(tmp_path / "rows.jsonl", repeated(rows, 6))
    task = Task.of("rouge", batch_rows=5, resamples=50, max_words=11)
    score_files([path], tmp_path / "kept", task)
    monkeypatch.setattr(KeptReferences, "find", lambda *given: None)
    score_files([path], tmp_path / "each", task)
    assert contents(tmp_path / "kept") == contents(tmp_path / "each")
    codes = {notice.code: notice.count for notice in merge(tmp_path / "kept").warnings}
    assert codes["cut-caption"] == 6
    assert "uncut-script" in codes
