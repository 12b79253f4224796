"""Streaming, shards and merging, as a user types them."""

from __future__ import annotations

import json

import pyarrow.parquet as pq
import pytest
from tests.command_line import refuse, run, succeed
from tests.shard_rows import cut_into, make_rows

ROWS = make_rows(40)


@pytest.fixture
def files(tmp_path):
    return cut_into(tmp_path / "rows", ROWS, 3)


def test_a_folder_is_streamed_into_a_folder_and_a_rerun_finds_it_done(files, tmp_path):
    command = ("score", files, "-m", "rouge, bleu", "--stream", "--batch-rows", 6, "-o", tmp_path / "scores/")
    first = run(*command)
    assert first.returncode == 0, first.stderr
    assert b"3 shards scored, 0 already complete" in first.stderr
    assert b"does not detect ids that occur in several batches" in first.stderr
    assert b"ROUGE_L" in first.stdout
    result = (tmp_path / "scores" / "result.json").read_bytes()
    assert json.loads(result)["rows"] == 40
    again = run(*command)
    assert b"0 shards scored, 3 already complete" in again.stderr
    assert again.stdout == first.stdout
    assert (tmp_path / "scores" / "result.json").read_bytes() == result


def test_shards_are_merged_into_one_result(files, tmp_path):
    for name in ("part-0001.jsonl", "part-0000.jsonl", "part-0002.jsonl"):
        succeed("score", files / name, "-m", "rouge", "--shard-out", tmp_path / "shards")
    shown = succeed("merge", tmp_path / "shards", "-o", tmp_path / "result.json", "-o", tmp_path / "items.parquet")
    assert "ROUGE_L" in shown
    assert "rows:40" in shown
    assert pq.read_table(tmp_path / "items.parquet").num_rows == 40
    assert "interval" in json.loads((tmp_path / "result.json").read_bytes())["metrics"]["ROUGE_L"]


def test_merged_shards_have_a_page_of_corpus_scores(files, tmp_path):
    succeed("score", files, "-m", "rouge, bleu", "--stream", "-o", tmp_path / "scores/")
    succeed("merge", tmp_path / "scores", "-o", tmp_path / "result.json", "-o", tmp_path / "report.html")
    page = (tmp_path / "report.html").read_text(encoding="utf-8")
    metrics = json.loads((tmp_path / "result.json").read_bytes())["metrics"]
    assert "<h1>Scores of 40 items</h1>" in page
    for key, entry in metrics.items():
        assert key in page
        for number in (entry["score"], *entry["interval"]):
            assert f"{number:.4f}" in page
        assert entry["signature"] in page
    assert "shards hold no captions" in page


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        (("--stream",), "Specify one output folder for the scores: -o DIR/."),
        (("--stream", "-m", "cider", "-o", "out"), "cider computes its document frequencies from all rows: count them"),
        (("--shard-out", "out", "-o", "result.json"), "--shard-out only writes shards"),
    ],
)
def test_what_does_not_go_together_is_refused(options, complaint, files, tmp_path):
    names = [str(path) for path in sorted(files.iterdir())]
    assert complaint in refuse("score", *names, *options, folder=tmp_path)
