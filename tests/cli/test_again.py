"""A result file records what was scored; ``score --again`` tells whether its numbers come out again."""

from __future__ import annotations

import hashlib
import json

import pytest

from caplens.cli import main

CANDIDATES = {1: "a dog runs", 2: "two cats", 3: "a red bus"}
REFERENCES = {1: ["a dog runs fast"], 2: ["two cats sleep", "cats"], 3: ["a bus"]}


def run(*arguments):
    with pytest.raises(SystemExit) as left:
        main(list(map(str, arguments)))
    return left.value.code


@pytest.fixture
def files(tmp_path):
    found = {name: tmp_path / f"{name}.json" for name in ("candidates", "references", "scores")}
    found["candidates"].write_text(json.dumps(CANDIDATES))
    found["references"].write_text(json.dumps(REFERENCES))
    arguments = [
        found["candidates"],
        "-r",
        found["references"],
        "-m",
        "bleu, cider",
        "--seed",
        7,
        "-o",
        found["scores"],
    ]
    assert run("score", *arguments, "-q") == 0
    return found


def test_files_record_names_hashes_and_settings(files):
    inputs = json.loads(files["scores"].read_bytes())["inputs"]
    content = files["candidates"].read_bytes()
    wanted = {"file": str(files["candidates"]), "sha256": hashlib.sha256(content).hexdigest()}
    assert inputs["candidates"] == {"candidates": wanted}
    assert inputs["references"][0]["file"] == str(files["references"])
    assert inputs["settings"]["seed"] == 7


def test_comparisons_record_them_by_system(files, tmp_path):
    out = tmp_path / "comparison.json"
    ours, theirs = f"ours={files['candidates']}", f"theirs={files['candidates']}"
    assert run("compare", ours, theirs, "-r", files["references"], "-m", "rouge", "-o", out, "-q") == 0
    assert list(json.loads(out.read_bytes())["inputs"]["candidates"]) == ["ours", "theirs"]


def test_the_same_files_reproduce(files, capsys):
    capsys.readouterr()
    assert run("score", "--again", files["scores"]) == 0
    assert "All 5 scores reproduce." in capsys.readouterr().out


def test_other_content_is_noticed(files, capsys):
    files["references"].write_text(json.dumps({**REFERENCES, 1: ["a cat"]}))
    capsys.readouterr()
    assert run("score", "--again", files["scores"]) == 2
    said = capsys.readouterr()
    assert "references.json differs from the file that was scored" in said.out
    assert "5 of 5 scores do not reproduce: Bleu_1" in said.err


def test_files_that_moved_are_asked_for_and_can_be_named(files, tmp_path, capsys):
    moved = tmp_path / "moved.json"
    files["candidates"].rename(moved)
    assert run("score", "--again", files["scores"]) == 2
    assert "candidates.json cannot be found; specify the files" in capsys.readouterr().err
    assert run("score", "--again", files["scores"], moved) == 0
    assert "All 5 scores reproduce." in capsys.readouterr().out


def test_a_file_without_records_is_refused(tmp_path, capsys):
    path = tmp_path / "old.json"
    path.write_text('{"schema": 1, "caplens": "0", "metrics": {}, "items": []}')
    assert run("score", "--again", path) == 2
    assert "only .json files written by caplens score" in capsys.readouterr().err


def test_score_without_a_file_says_what_to_type(capsys):
    assert run("score") == 2
    assert "caplens score CANDIDATES -r REFERENCES" in capsys.readouterr().err


def test_one_score_is_no_plural(files, capsys):
    assert run("score", files["candidates"], "-r", files["references"], "-m", "rouge", "-o", files["scores"]) == 0
    assert run("score", "--again", files["scores"]) == 0
    assert "The score reproduces." in capsys.readouterr().out


def test_a_comparison_cannot_be_repeated(files, capsys):
    """It records its inputs, too, but not as those of one system."""
    systems = [f"{name}={files['candidates']}" for name in "ab"]
    assert run("compare", *systems, "-r", files["references"], "-m", "rouge", "-o", files["scores"]) == 0
    assert run("score", "--again", files["scores"]) == 2
    assert "cannot be repeated: only .json files written by caplens score" in capsys.readouterr().err
