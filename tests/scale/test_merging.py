"""Shards put together: the result of all rows at once, or a sentence why not."""

from __future__ import annotations

import json
import shutil

import numpy as np
import pyarrow.parquet as pq
import pytest
from tests.shard_rows import cut_into, make_rows, write_jsonl

from caplens import score
from caplens.api.loading import load_corpus
from caplens.core.grammar import Request
from caplens.core.registry import build, names
from caplens.core.selection import select
from caplens.errors import InputError
from caplens.scale import Task, merge, merging, score_files
from caplens.scale.merging import refuse_repeated_ids

ROWS = make_rows(60)
SINGLE_PRECISION = ("wembsim_c",)
WITH_FIXED_FREQUENCIES = {"cider": "cider(df=coco-val2014)", "spider": "spider(df=coco-val2014)"}


def counts(result):
    """How many of each kind of notice; a metric that is asked for in a part speaks in the order of the parts."""
    return sorted((notice.code, notice.count) for notice in result.warnings)


def agree(merged, whole, tolerance=1e-9):
    assert list(merged) == list(whole)
    for key in whole:
        np.testing.assert_allclose(merged[key].score, whole[key].score, rtol=tolerance, atol=tolerance)
        np.testing.assert_allclose(merged[key].interval, whole[key].interval, rtol=tolerance, atol=tolerance)
        assert merged[key].signature == whole[key].signature
        for name, part in whole[key].parts.items():
            np.testing.assert_allclose(merged[key].parts[name].score, part.score, rtol=tolerance, atol=tolerance)
    assert counts(merged) == counts(whole)
    assert merged.intervals.facts() == whole.intervals.facts()


@pytest.fixture(scope="module")
def whole_file(tmp_path_factory):
    return write_jsonl(tmp_path_factory.mktemp("whole") / "rows.jsonl", ROWS)


def ready(name):
    if name in ("wembsim_e", "composite", "chair", "given"):
        pytest.skip(f"{name} needs data of its own; its shards are tested in tests/core/test_shards.py")
    metric = select(WITH_FIXED_FREQUENCIES.get(name, build(Request(name)))).metrics[0]
    if metric.missing_data() is not None:
        pytest.skip(f"{name}: {metric.missing_data()}")
    if metric.hindrance_to_parts is not None:
        pytest.skip(f"{name}: {metric.hindrance_to_parts}")
    return metric


@pytest.mark.parametrize("name", names())
def test_shards_of_every_metric_equal_the_whole(name, whole_file, tmp_path):
    metric = ready(name)
    parts = cut_into(tmp_path / "rows", ROWS, 7)
    score_files([parts], tmp_path / "shards", Task.of(metric, batch_rows=5))
    whole = score(load_corpus(whole_file), metrics=metric)
    agree(merge(tmp_path / "shards"), whole, 1e-6 if name in SINGLE_PRECISION else 1e-9)


@pytest.mark.parametrize("shards", [1, 2, 60])
def test_any_number_of_shards_is_the_same(shards, whole_file, tmp_path):
    metrics = "bleu, rouge, cider(df=coco-val2014), bleu(length=coco, label=average)"
    score_files([cut_into(tmp_path / "rows", ROWS, shards)], tmp_path / "shards", Task.of(metrics))
    agree(merge(tmp_path / "shards"), score(load_corpus(whole_file), metrics=metrics))


def test_warnings_and_cut_captions_are_added_up(tmp_path):
    rows = [{**row, "candidate": row["candidate"] * 40} for row in ROWS[:20]]
    rows[3] = {**rows[3], "references": []}
    path = write_jsonl(tmp_path / "rows.jsonl", rows)
    settings = {"max_words": 50, "missing": "zero"}
    score_files([path], tmp_path / "shards", Task.of("rouge, bleu", batch_rows=4, **settings))
    whole = score(load_corpus(path, missing="zero"), metrics="rouge, bleu", max_words=50)
    merged = merge(tmp_path / "shards")
    numbers = {notice.code: (notice.count, notice.ids) for notice in whole.warnings}
    assert numbers["cut-caption"][0] > 5
    assert numbers["missing-references"] == (1, ("row 3",))
    assert {notice.code: (notice.count, notice.ids) for notice in merged.warnings} == numbers
    assert merged["ROUGE_L"].signature == whole["ROUGE_L"].signature
    assert "1 candidate has no references; scored 0 (row 3)" in [str(notice) for notice in merged.warnings]


def test_images_are_resampled_whole_across_shards(tmp_path):
    rows = [{**row, "image": f"image {place % 11}"} for place, row in enumerate(ROWS)]
    whole = score(load_corpus(write_jsonl(tmp_path / "rows.jsonl", rows)), metrics="rouge")
    score_files([cut_into(tmp_path / "rows", rows, 4)], tmp_path / "shards", Task.of("rouge"))
    agree(merge(tmp_path / "shards"), whole)


def test_rows_that_share_references_without_an_image_are_named(tmp_path):
    rows = [{**row, "references": ["a dog"]} for row in ROWS[:6]]
    score_files([write_jsonl(tmp_path / "rows.jsonl", rows)], tmp_path / "shards", Task.of("rouge", batch_rows=3))
    (notice,) = [said for said in merge(tmp_path / "shards").warnings if said.code == "shared-references"]
    assert notice.count == 4
    assert "unless a column `image` identifies it" in str(notice)


def test_a_single_row_has_no_interval(tmp_path):
    score_files([write_jsonl(tmp_path / "rows.jsonl", ROWS[:1])], tmp_path / "shards", Task.of("rouge"))
    merged = merge(tmp_path / "shards")
    assert np.isnan(merged["ROUGE_L"].interval).all()
    assert merged.intervals.left_out == merged.intervals.resamples


def test_items_are_written_as_one_table(tmp_path):
    score_files([cut_into(tmp_path / "rows", ROWS, 3)], tmp_path / "shards", Task.of("rouge, spice", batch_rows=7))
    merged = merge(tmp_path / "shards")
    for name in ("items.parquet", "items.jsonl", "items.csv", "result.json"):
        merged.write(tmp_path / name)
    table = pq.read_table(tmp_path / "items.parquet")
    lines = [json.loads(line) for line in (tmp_path / "items.jsonl").read_text().splitlines()]
    assert sorted(table.column("id").to_pylist()) == sorted(row["id"] for row in ROWS)
    assert [line["ROUGE_L"] for line in lines] == table.column("ROUGE_L").to_pylist()
    assert (tmp_path / "items.csv").read_text().count("\n") == len(ROWS) + 1
    document = json.loads((tmp_path / "result.json").read_bytes())
    assert document["rows"] == len(ROWS)
    assert document["metrics"]["ROUGE_L"]["score"] == merged["ROUGE_L"].score
    assert json.loads(table.schema.metadata[b"caplens"])["ROUGE_L"]["score"] == merged["ROUGE_L"].score


def test_repeated_ids_are_refused(tmp_path):
    write_jsonl(tmp_path / "a.jsonl", ROWS[:5])
    write_jsonl(tmp_path / "b.jsonl", ROWS[4:9])
    score_files([tmp_path / "a.jsonl", tmp_path / "b.jsonl"], tmp_path / "shards", Task.of("rouge"))
    with pytest.raises(InputError, match=r"The shards repeat 1 id \(row 4\): every row needs"):
        merge(tmp_path / "shards")
    assert merge(tmp_path / "shards", check_ids=False).rows == 10


def test_ids_are_compared_in_several_passes(tmp_path, monkeypatch):
    monkeypatch.setattr(merging, "KEYS_AT_ONCE", 7)
    score_files([cut_into(tmp_path / "rows", ROWS, 3)], tmp_path / "shards", Task.of("rouge"))
    merged = merge(tmp_path / "shards")
    with pytest.raises(InputError, match=r"repeat \d ids"):
        refuse_repeated_ids([*merged.files, merged.files[0]], merged.rows)


def test_unfinished_damaged_and_foreign_shards_are_refused(tmp_path):
    task = Task.of("rouge", batch_rows=20)
    folder = tmp_path / "shards"
    score_files([cut_into(tmp_path / "rows", ROWS, 2)], folder, task)
    record = folder / "part-0001-jsonl" / "shard.json"
    kept = record.read_text()
    record.unlink()
    with pytest.raises(InputError, match=r"part-0001-jsonl in .* is not finished: rerun"):
        merge(folder)
    record.write_text(kept.replace('"rows": 30', '"rows": 31'))
    with pytest.raises(InputError, match="is not finished"):
        merge(folder)
    record.write_text(kept)
    items = folder / "part-0001-jsonl" / "part-000001.parquet"
    items.write_bytes(items.read_bytes()[:-1])
    with pytest.raises(InputError, match=r"part-000001 is damaged or incomplete: rerun"):
        merge(folder)
    score_files([tmp_path / "rows"], folder, task)
    assert merge(folder).rows == 60
    score_files([write_jsonl(tmp_path / "more.jsonl", make_rows(5, 60))], tmp_path / "others", Task.of("bleu"))
    shutil.copytree(tmp_path / "others" / "more-jsonl", folder / "more-jsonl")
    with pytest.raises(InputError, match="more-jsonl was created with different options from the others"):
        merge(folder)


def test_a_folder_without_shards_is_refused(tmp_path):
    with pytest.raises(InputError, match=r"is not a folder of shards: it has no manifest.json"):
        merge(tmp_path)
