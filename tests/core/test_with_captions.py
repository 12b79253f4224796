"""Candidates and references in outputs: every file can be scored again and gives the same numbers."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

import caplens
from caplens.cli import main
from caplens.errors import UsageError

CANDIDATES = {"7": "two dogs run", "9": "a man, on a horse", "11": '=a "quoted" cat'}
REFERENCES = {"7": ["two dogs", "dogs run"], "9": ["a man rides a horse"], "11": ["a cat", "the cat sat"]}


@pytest.fixture
def result() -> caplens.Result:
    return caplens.score(CANDIDATES, REFERENCES, "rouge, bleu")


def test_only_on_request(result: caplens.Result) -> None:
    assert "candidate" not in result.to_rows()[0]
    assert "candidate" not in result.to_dict()["items"][0]
    shown = result.with_captions()
    assert [item["candidate"] for item in shown.to_dict()["items"]] == list(CANDIDATES.values())
    assert [item["references"] for item in shown.to_dict()["items"]] == list(REFERENCES.values())
    assert list(shown.to_pandas()["candidate"]) == list(CANDIDATES.values())
    assert "candidate" not in result.to_rows()[0]  # the result itself stays as it was
    assert {item["id"]: item["scores"] for item in shown.to_dict()["items"]} == {
        item["id"]: item["scores"] for item in result.to_dict()["items"]
    }


@pytest.mark.parametrize("suffix", [".jsonl", ".jsonl.gz", ".csv", ".parquet"])
def test_files_can_be_scored_again(result: caplens.Result, tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"scores{suffix}"
    result.with_captions().write(path)
    again = caplens.score(caplens.load_corpus(path), metrics="rouge, bleu")
    assert again.ids == list(CANDIDATES)
    for key in result:
        assert again[key].item_scores.tolist() == result[key].item_scores.tolist()


@pytest.mark.parametrize("suffix", [".jsonl", ".csv", ".parquet"])
def test_scene_graphs_have_columns_of_their_own(tmp_path: Path, suffix: str) -> None:
    candidates = ["two dogs", [("man",), ("man", "tall")]]
    references = [["a dog"], ["a tall man", [("man",), ("man", "ride", "horse")]]]
    result = caplens.score(candidates, references, "spice")
    shown = result.with_captions()
    rows = shown.to_rows()
    assert [row["candidate"] for row in rows] == ["two dogs", None]
    assert rows[1]["candidate_graph"] == [["man"], ["man", "tall"]]
    assert rows[1]["references"] == ["a tall man"]
    assert rows[1]["reference_graphs"] == [[["man"], ["man", "ride", "horse"]]]
    path = tmp_path / f"scores{suffix}"
    shown.write(path)
    again = caplens.score(caplens.load_corpus(path), metrics="spice")
    assert again["SPICE"].item_scores.tolist() == result["SPICE"].item_scores.tolist()


def test_rows_that_share_references() -> None:
    references = {1: ["a dog"], 2: ["a cat"]}
    evaluator = caplens.Evaluator("rouge", references)
    shown = evaluator.score(["a dog", "two dogs", "cats"], ids=[1, 1, 2]).with_captions()
    assert [row["references"] for row in shown.to_rows()] == [["a dog"], ["a dog"], ["a cat"]]


def test_comparison() -> None:
    systems = {"a": CANDIDATES, "b": dict.fromkeys(CANDIDATES, "a dog")}
    comparison = caplens.compare(systems, REFERENCES, "rouge")
    assert list(comparison.to_dict()["items"][0]) == ["id", "scores"]
    items = comparison.with_captions().to_dict()["items"]
    assert list(items[0]) == ["id", "candidates", "references", "scores"]
    assert items[0]["candidates"] == {"a": "two dogs run", "b": "a dog"}
    assert items[0]["references"] == REFERENCES["7"]
    frame = comparison.with_captions().to_pandas("items")
    assert frame.loc[("b", "9"), "candidate"] == "a dog"
    assert frame.loc[("a", "9"), "references"] == ["a man rides a horse"]


def test_comparison_of_runs_lists_the_caption_of_every_run() -> None:
    systems = {"a": caplens.Runs([["a dog"], ["a cat"]]), "b": ["a cow"]}
    items = caplens.compare(systems, [["a dog"]], "rouge").with_captions().to_dict()["items"]
    assert items[0]["candidates"] == {"a": ["a dog", "a cat"], "b": "a cow"}


class TestCommandLine:
    @pytest.fixture
    def files(self, tmp_path: Path) -> tuple[Path, Path]:
        (tmp_path / "a.json").write_text(json.dumps(CANDIDATES))
        (tmp_path / "refs.json").write_text(json.dumps(REFERENCES))
        return tmp_path / "a.json", tmp_path / "refs.json"

    def test_score(self, files: tuple[Path, Path], tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
        candidates, references = files
        with pytest.raises(SystemExit, match="0"):
            main(["score", str(candidates), "-r", str(references), "-m", "rouge", "-o", "-", "--with-captions"])
        items = json.loads(capsys.readouterr().out)["items"]
        assert {item["id"]: item["candidate"] for item in items} == CANDIDATES

    def test_compare_writes_them_beside_the_tests(self, files: tuple[Path, Path], tmp_path: Path) -> None:
        candidates, references = map(str, files)
        command = ["compare", f"a={candidates}", f"b={candidates}", "-r", references, "-m", "rouge", "--with-captions"]
        with pytest.raises(SystemExit, match="0"):
            main([*command, "-o", str(tmp_path / "x.json"), "-o", str(tmp_path / "x.csv")])
        items = json.loads((tmp_path / "x.json").read_text())["items"]
        assert items[0]["candidates"] == {"a": "two dogs run", "b": "two dogs run"}
        assert "difference" in (tmp_path / "x.csv").read_text()

    @pytest.mark.parametrize("command", [["score"], ["compare", "b={0}"]])
    def test_without_a_file_that_can_hold_them(
        self, files: tuple[Path, Path], capsys: pytest.CaptureFixture[str], command: list[str]
    ) -> None:
        candidates, references = map(str, files)
        words = [word.format(candidates) for word in command]
        with pytest.raises(SystemExit, match="2"):
            main([*words, candidates, "-r", references, "--with-captions"])
        assert "--with-captions needs an output file that ends in .json" in capsys.readouterr().err


def test_merged_results_have_none(tmp_path: Path) -> None:
    from caplens.scale import Task, merge, score_files

    (tmp_path / "rows.jsonl").write_text('{"id": 1, "candidate": "a dog", "references": ["a dog"]}\n')
    score_files([tmp_path / "rows.jsonl"], tmp_path / "shards", Task.of("rouge", resamples=50))
    with pytest.raises(UsageError, match="has no captions"):
        merge(tmp_path / "shards").with_captions()
