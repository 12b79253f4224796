"""Document frequencies counted in shards: the file is the one that counting everything at once makes."""

from __future__ import annotations

import numpy as np
import pytest
from tests.command_line import refuse, succeed
from tests.shard_rows import cut_into, make_rows, write_jsonl

import caplens
from caplens.api.frequencies import build_frequencies
from caplens.api.loading import load_corpus, load_references
from caplens.errors import InputError, UsageError
from caplens.metrics.cider.document_frequencies import add_frequencies, load
from caplens.scale import Task, frequencies, merge, score_files
from caplens.scale.frequencies import Counting, build_shards, merge_shards

ROWS = make_rows(150)


@pytest.mark.parametrize("counting", [Counting(), Counting(tokenizer="char", stem=True, max_order=2)], ids=str)
def test_shards_make_the_file_of_the_whole(counting, tmp_path, monkeypatch):
    monkeypatch.setattr(frequencies, "RANGE_NGRAMS", 128)
    monkeypatch.setattr(frequencies, "GROUP_NGRAMS", 32)
    counting = Counting(**{**vars(counting), "batch_rows": 11})
    build_shards([cut_into(tmp_path / "rows", ROWS, 7)], tmp_path / "shards", counting)
    merged = merge_shards(tmp_path / "shards", tmp_path / "merged.parquet")
    rules = {"tokenizer": counting.tokenizer, "stem": counting.stem, "max_order": counting.max_order}
    references = load_references(write_jsonl(tmp_path / "rows.jsonl", ROWS))
    whole = build_frequencies(references, tmp_path / "whole.parquet", **rules)
    assert (merged.documents, merged.ngrams) == (whole.documents, whole.ngrams) == (150, merged.ngrams)
    assert (tmp_path / "merged.parquet").read_bytes() == (tmp_path / "whole.parquet").read_bytes()


def test_cider_with_merged_frequencies_is_that_of_the_whole_corpus(tmp_path):
    files = cut_into(tmp_path / "rows", ROWS, 4)
    build_shards([files], tmp_path / "counted", Counting())
    merge_shards(tmp_path / "counted", tmp_path / "df.parquet")
    score_files([files], tmp_path / "scored", Task.of(f"cider(df={tmp_path}/df.parquet)"))
    merged = merge(tmp_path / "scored")["CIDEr"]
    whole = caplens.score(load_corpus(write_jsonl(tmp_path / "rows.jsonl", ROWS)), metrics="cider")["CIDEr"]
    assert merged.score == pytest.approx(whole.score, rel=1e-9)
    assert merged.interval == pytest.approx(whole.interval, rel=1e-9)
    assert merged.run.state.facts == whole.run.state.facts


def test_states_of_parts_are_merged_in_memory_too():
    cider = caplens.metric("cider")
    sides = [{row["id"]: row["references"] for row in rows} for rows in (ROWS, ROWS[:70], ROWS[70:])]
    whole, *parts = (caplens.Evaluator(cider, side).states[cider] for side in sides)
    merged = type(whole).merge(parts)
    assert merged.facts == whole.facts
    assert sorted(np.concatenate(merged.frequencies.frequencies)) == sorted(
        np.concatenate(whole.frequencies.frequencies)
    )


def test_frequencies_of_files_cannot_be_added(tmp_path):
    build_frequencies({1: ["a dog"], 2: ["a dog"]}, tmp_path / "df.parquet")
    pruned = load(tmp_path / "df.parquet")
    with pytest.raises(InputError, match="only if they were counted in the same way and include n-grams"):
        add_frequencies([pruned, pruned])


def test_a_rerun_counts_nothing_and_other_rules_are_refused(tmp_path):
    files = cut_into(tmp_path / "rows", ROWS, 2)
    assert len(build_shards([files], tmp_path / "shards", Counting()).scored) == 2
    assert len(build_shards([files], tmp_path / "shards", Counting()).found) == 2
    with pytest.raises(UsageError, match="were created with stem=false, not with stem=true"):
        build_shards([files], tmp_path / "shards", Counting(stem=True))
    with pytest.raises(InputError, match="contains shards of document frequencies"):
        merge(tmp_path / "shards")
    part = tmp_path / "shards" / "part-0000-jsonl" / "part-000000.parquet"
    part.write_bytes(part.read_bytes()[:-1])
    with pytest.raises(InputError, match="part-000000 is damaged or incomplete"):
        merge_shards(tmp_path / "shards", tmp_path / "df.parquet")


def test_captions_without_words_have_no_frequencies(tmp_path):
    build_shards([write_jsonl(tmp_path / "a.jsonl", [{"id": 1, "references": [""]}])], tmp_path / "s", Counting())
    assert merge_shards(tmp_path / "s", tmp_path / "df.parquet").ngrams == 0


def test_the_commands_count_and_merge(tmp_path):
    files = cut_into(tmp_path / "rows", ROWS, 2)
    assert "2 shards counted, 0 already complete" in succeed("df", "build", files, "--shard-out", tmp_path / "shards")
    shown = succeed("df", "merge", tmp_path / "shards", "-o", tmp_path / "df.parquet")
    assert shown.strip().endswith("n-grams of 150 documents")
    sentence = refuse("df", "build", files, "--shard-out", tmp_path / "s", "--name", "x")
    assert "--shard-out only writes shards" in sentence
