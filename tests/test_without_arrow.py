"""What a default install does without Arrow and scipy, and what it says where it cannot."""

from __future__ import annotations

import json
import subprocess
import sys
import textwrap

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

# As if neither were installed: importing them fails, and nothing finds them.
ABSENT = """
import sys
sys.modules["pyarrow"] = sys.modules["scipy"] = None
"""
NEED = 'pip install "caplens[arrow]"'


def run(code, *arguments, folder):
    script = ABSENT + textwrap.dedent(code)
    return subprocess.run(
        [sys.executable, "-c", script, *map(str, arguments)], capture_output=True, text=True, cwd=folder, check=False
    )


def command(*arguments, folder):
    return run("from caplens.cli import main; main(sys.argv[1:])", *arguments, folder=folder)


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    folder = tmp_path_factory.mktemp("without")
    texts = ["a dog runs", "a man rides a horse", "two cats", "a red bus", "people at a table"]
    rows = [{"id": str(k), "candidate": text, "references": [text, f"{text} today"]} for k, text in enumerate(texts)]
    (folder / "rows.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    judged = [{**row, "human": place} for place, row in enumerate(rows)]
    (folder / "judged.jsonl").write_text("".join(json.dumps(row) + "\n" for row in judged))
    pq.write_table(pa.Table.from_pylist(rows), folder / "rows.parquet")
    return folder


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "rows.jsonl", "-m", "bleu, rouge, cider(df=coco-val2014), spice, wmd, scenesim, eval_wcs, critique"],
        ["score", "rows.jsonl", "-m", "lens, fluency", "-o", "o.json", "-o", "o.csv", "-o", "o.jsonl", "-o", "o.html"],
        ["df", "build", "rows.jsonl", "-o", "df.safetensors"],
        ["explain", "a dog", "--reference", "a brown dog", "-m", "cider(df=coco-train2014), spice"],
        ["meta", "table", "--data", "judged.jsonl", "-m", "rouge, bleu", "--resamples", "20"],
        ["doctor"],
    ],
)
def test_these_work(files, arguments):
    done = command(*arguments, folder=files)
    assert done.returncode == 0, done.stderr
    assert "Traceback" not in done.stderr


@pytest.mark.parametrize(
    "arguments",
    [
        ["score", "rows.parquet", "-m", "bleu"],
        ["score", "rows.jsonl", "-m", "bleu", "-o", "new.parquet"],
        ["score", "rows.jsonl", "-m", "bleu", "--stream", "-o", "streamed"],
        ["score", "rows.jsonl", "-m", "bleu", "--shard-out", "shards"],
        ["merge", "shards", "-o", "merged.json"],
        ["df", "build", "rows.jsonl", "-o", "new.parquet"],
        ["df", "build", "rows.jsonl", "--shard-out", "counted"],
        ["meta", "table", "--data", "rows.parquet", "-m", "rouge"],
    ],
)
def test_these_say_what_they_need(files, arguments):
    done = command(*arguments, folder=files)
    assert done.returncode != 0
    assert NEED in done.stderr
    assert "Traceback" not in done.stderr
    assert not [path for path in files.iterdir() if path.name in ("new.parquet", "streamed", "shards", "counted")]


def test_results_say_what_arrow_tables_need(files):
    code = """
    import caplens
    result = caplens.score(["a dog"], [["a dog runs"]], "rouge")
    try:
        result.to_arrow()
    except caplens.CaplensError as error:
        print(error)
    """
    done = run(code, folder=files)
    assert done.stdout.strip() == f"Arrow tables need pyarrow: {NEED}.", done.stderr
