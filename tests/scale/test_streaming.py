"""Files scored batch by batch: bounded pieces, resuming, locks, and refusals."""

from __future__ import annotations

import gzip
import json
import os
import random
import signal
import subprocess
import sys
import time
from contextlib import suppress

import pyarrow.parquet as pq
import pytest
from tests.shard_rows import make_rows, write_jsonl, write_parquet

from caplens import score
from caplens.errors import InputError, UsageError
from caplens.scale import Task, merge, score_files
from caplens.scale.shards import held
from caplens.scale.streaming import refuse_other_shards

ROWS = make_rows(50)
TASK = Task.of("rouge, bleu", batch_rows=8, resamples=50)


def result_of(folder):
    merged = merge(folder)
    merged.write(folder.parent / "result.json")
    return (folder.parent / "result.json").read_bytes()


def contents(folder):
    files = (path for path in folder.rglob("*") if path.is_file() and path.suffix != ".lock")
    return {path.relative_to(folder): path.read_bytes() for path in files}


def write_csv(path):
    lines = [f'{row["id"]},{row["candidate"]},"{json.dumps(row["references"]).replace(chr(34), chr(34) * 2)}"'
             for row in ROWS]  # fmt: skip
    path.write_text("\n".join(["id,candidate,references", *lines]) + "\n")
    return path


def write_list(path):
    path.write_text(json.dumps(ROWS))
    return path


def write_packed(path):
    path.write_bytes(gzip.compress(write_jsonl(path, ROWS).read_bytes()))
    return path


@pytest.mark.parametrize(
    "write",
    [
        lambda folder: write_jsonl(folder / "rows", ROWS),
        lambda folder: write_parquet(folder / "rows", ROWS, row_group_size=3),
        lambda folder: write_parquet(folder / "rows", ROWS),
        lambda folder: write_csv(folder / "rows"),
        lambda folder: write_list(folder / "rows"),
        lambda folder: write_packed(folder / "rows"),
    ],
    ids=["json lines", "small row groups", "parquet", "csv", "json list", "gzip"],
)
def test_every_format_is_cut_into_the_same_batches(write, tmp_path):
    score_files([write(tmp_path)], tmp_path / "shards", TASK)
    folder = tmp_path / "shards" / "rows"
    assert len(list(folder.glob("*.parquet"))) == 7
    assert merge(tmp_path / "shards").rows == 50
    whole = score(
        {row["id"]: row["candidate"] for row in ROWS}, {row["id"]: row["references"] for row in ROWS}, "rouge"
    )
    assert merge(tmp_path / "shards")["ROUGE_L"].score == pytest.approx(whole["ROUGE_L"].score, rel=1e-12)


def test_references_may_be_in_a_file_of_their_own(tmp_path):
    references = [{"id": row["id"], "references": row["references"]} for row in ROWS]
    write_jsonl(tmp_path / "references.jsonl", references)
    write_jsonl(tmp_path / "rows.jsonl", [{"id": row["id"], "caption": row["candidate"]} for row in ROWS])
    task = Task.of("rouge, bleu", references=[str(tmp_path / "references.jsonl")], batch_rows=8, resamples=50)
    score_files([tmp_path / "rows.jsonl"], tmp_path / "shards", task)
    write_jsonl(tmp_path / "both.jsonl", ROWS)
    score_files([tmp_path / "both.jsonl"], tmp_path / "both", TASK)
    assert merge(tmp_path / "shards").summary() == merge(tmp_path / "both").summary()


def test_plain_text_is_matched_by_position_and_rows_are_named_after_lines(tmp_path):
    (tmp_path / "captions.txt").write_text("".join(f"{row['candidate']}\n" for row in ROWS))
    for place in range(2):
        (tmp_path / f"{place}.txt").write_text("".join(f"{row['references'][place]}\n" for row in ROWS))
    references = [str(tmp_path / f"{place}.txt") for place in range(2)]
    score_files([tmp_path / "captions.txt"], tmp_path / "shards", Task.of("rouge", references=references, batch_rows=8))
    merged = merge(tmp_path / "shards")
    whole = score([row["candidate"] for row in ROWS], [row["references"][:2] for row in ROWS], "rouge")
    assert merged["ROUGE_L"].score == pytest.approx(whole["ROUGE_L"].score, rel=1e-12)
    ids = [name for part in merged.parts() for name in part.column("id").to_pylist()]
    assert ids == [f"captions.txt:{line}" for line in range(1, 51)]


def test_captions_alone_are_refused(tmp_path):
    write_jsonl(tmp_path / "rows.jsonl", [{"id": 1, "caption": "a dog"}])
    with pytest.raises(InputError, match="contains no references; specify a reference file"):
        score_files([tmp_path / "rows.jsonl"], tmp_path / "shards", TASK)


def test_a_rerun_leaves_everything_as_it_is(tmp_path):
    path = write_jsonl(tmp_path / "rows.jsonl", ROWS)
    score_files([path], tmp_path / "shards", TASK)
    before = contents(tmp_path / "shards")
    times = {file: file.stat().st_mtime_ns for file in (tmp_path / "shards").rglob("*") if file.suffix != ".lock"}
    assert score_files([path], tmp_path / "shards", TASK).found == ["rows-jsonl"]
    assert contents(tmp_path / "shards") == before
    assert {file: file.stat().st_mtime_ns for file in times} == times


@pytest.mark.parametrize("ending", [".parquet", ".sums"])
@pytest.mark.parametrize("damage", ["absent", "cut", "changed"])
def test_damaged_parts_are_made_again_and_no_others(ending, damage, tmp_path):
    path = write_jsonl(tmp_path / "rows.jsonl", ROWS)
    score_files([path], tmp_path / "shards", TASK)
    before = contents(tmp_path / "shards")
    part = tmp_path / "shards" / "rows-jsonl" / f"part-000003{ending}"
    other = part.with_name("part-000002.parquet").stat().st_mtime_ns
    data = bytearray(part.read_bytes())
    if damage == "absent":
        part.unlink()
    else:
        data[len(data) // 2] ^= 1
        part.write_bytes(data[:-3] if damage == "cut" else data)
    assert score_files([path], tmp_path / "shards", TASK).scored == ["rows-jsonl"]
    assert contents(tmp_path / "shards") == before
    assert part.with_name("part-000002.parquet").stat().st_mtime_ns == other


def test_a_killed_run_is_resumed_to_the_same_bytes(tmp_path):
    path = write_jsonl(tmp_path / "rows.jsonl", make_rows(400))
    task = Task.of("rouge, bleu", batch_rows=8, resamples=50)
    score_files([path], tmp_path / "whole", task)
    code = (
        "import sys; from caplens.scale import Task, score_files; "
        "score_files(sys.argv[1:2], sys.argv[2], Task.of('rouge, bleu', batch_rows=8, resamples=50))"
    )
    chance, kills = random.Random(21), 0
    for _ in range(3):
        process = subprocess.Popen([sys.executable, "-c", code, str(path), str(tmp_path / "killed")])
        parts = set((tmp_path / "killed").rglob("*.sums"))
        while process.poll() is None and len(set((tmp_path / "killed").rglob("*.sums")) - parts) < 3:
            time.sleep(0.005)
        time.sleep(0.02 * chance.random())
        with suppress(ProcessLookupError):
            os.kill(process.pid, signal.SIGKILL)
        kills += process.wait() == -signal.SIGKILL
    assert kills == 3
    score_files([path], tmp_path / "killed", task)
    assert contents(tmp_path / "killed") == contents(tmp_path / "whole")


def test_a_shard_that_somebody_is_making_is_left_to_them(tmp_path):
    files = [write_jsonl(tmp_path / f"{name}.jsonl", ROWS) for name in "ab"]
    folder = tmp_path / "shards"
    folder.mkdir()
    with held(folder / "a-jsonl.lock", wait=False) as is_ours:
        assert is_ours
        report = score_files(files, folder, TASK)
    assert (report.scored, report.busy) == (["b-jsonl"], ["a-jsonl"])
    assert score_files(files, folder, TASK, wait=True).scored == ["a-jsonl"]


def test_other_options_are_refused(tmp_path):
    path = write_jsonl(tmp_path / "rows.jsonl", ROWS)
    score_files([path], tmp_path / "shards", TASK)
    with pytest.raises(UsageError, match="were created with seed=12345, not with seed=7: use the same value, or"):
        score_files([path], tmp_path / "shards", Task.of("rouge, bleu", batch_rows=8, resamples=50, seed=7))
    with pytest.raises(UsageError, match="were created with metrics=rouge"):
        score_files([path], tmp_path / "shards", Task.of("rouge", batch_rows=8, resamples=50))


def test_a_shard_of_other_data_is_refused(tmp_path):
    path = write_jsonl(tmp_path / "rows.jsonl", ROWS)
    score_files([path], tmp_path / "shards", TASK)
    write_jsonl(path, ROWS[:-1])
    with pytest.raises(InputError, match=r"rows-jsonl in .* was created from another file, or rows.jsonl has changed"):
        score_files([path], tmp_path / "shards", TASK)
    (tmp_path / "shards" / "rows-jsonl" / "shard.json").unlink()
    with pytest.raises(InputError, match="was created from another file"):
        score_files([path], tmp_path / "shards", TASK)


def test_other_folders_and_names_are_refused(tmp_path):
    path = write_jsonl(tmp_path / "rows.jsonl", ROWS)
    with pytest.raises(UsageError, match="contains other files: specify a new folder"):
        score_files([path], tmp_path, TASK)
    with pytest.raises(UsageError, match="is a file: specify a folder"):
        score_files([path], path, TASK)
    (tmp_path / "more").mkdir()
    other = write_jsonl(tmp_path / "more" / "rows.jsonl", ROWS)
    with pytest.raises(InputError, match="have the same name, but each needs its own shard"):
        score_files([path, other], tmp_path / "shards", TASK)
    with pytest.raises(InputError, match="No file is named"):
        score_files([tmp_path / "none-*"], tmp_path / "shards", TASK)
    with pytest.raises(UsageError, match="Standard input cannot be scored in parts"):
        score_files(["-"], tmp_path / "shards", TASK)


def test_shards_of_other_files_are_not_mixed_in(tmp_path):
    first, second = (write_jsonl(tmp_path / f"{name}.jsonl", ROWS) for name in "ab")
    score_files([first], tmp_path / "shards", TASK)
    refuse_other_shards([first], tmp_path / "shards")
    with pytest.raises(InputError, match=r"also contains shards of other files \(a-jsonl\)"):
        refuse_other_shards([second], tmp_path / "shards")


def test_an_empty_file_is_refused(tmp_path):
    (tmp_path / "rows.jsonl").write_text("")
    with pytest.raises(InputError, match=r"rows\.jsonl is empty"):
        score_files([tmp_path / "rows.jsonl"], tmp_path / "shards", TASK)
    write_parquet(tmp_path / "rows.parquet", ROWS)
    pq.write_table(pq.read_table(tmp_path / "rows.parquet").slice(0, 0), tmp_path / "none.parquet")
    with pytest.raises(InputError, match="There is nothing to score in"):
        score_files([tmp_path / "none.parquet"], tmp_path / "shards", TASK)
