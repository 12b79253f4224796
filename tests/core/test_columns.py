"""Columns beside captions reach a metric: from Python, from files, in shards, comparisons and explanations."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import ClassVar

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.command_line import write_rows
from tests.toys import Toy

import caplens
from caplens.cli import main
from caplens.core import registry
from caplens.core.plan import columns_of
from caplens.core.statistics import Statistics


@dataclass(frozen=True)
class Weights(Toy):
    """The weight that stands beside each caption, or the sum of its features."""

    name: ClassVar[str] = "weights"
    reads_columns: ClassVar[tuple[str, ...]] = ("weight",)

    @property
    def keys(self):
        return ("Weights",)

    def statistics(self, prepared, state, inputs=()):
        weights = np.asarray(prepared.column("weight"), dtype=float)
        return Statistics(("weight",), weights.reshape(len(prepared), -1).sum(axis=1, keepdims=True))


def caplens_command(*arguments):
    """Run a command in this process, where the metric is registered."""
    with pytest.raises(SystemExit) as left:
        main(list(arguments))
    assert left.value.code == 0


@pytest.fixture(autouse=True)
def registered(monkeypatch):
    monkeypatch.setattr(registry, "_registered", {"weights": Weights})


def test_from_python():
    result = caplens.score(["a", "b"], [["x"], ["y"]], "weights, rouge", columns={"weight": [2, 4]})
    assert result["Weights"].item_scores.tolist() == [2, 4]
    evaluator = caplens.Evaluator("weights", {1: ["x"], 2: ["y"]})
    batch = evaluator.score(["a", "b", "c"], ids=[2, 1, 2], columns={"weight": np.array([[1, 2], [3, 4], [5, 6]])})
    assert batch["Weights"].item_scores.tolist() == [3, 7, 11]


def test_a_metric_in_a_combination_has_them_too():
    result = caplens.score(["a"], [["a"]], "sum(weights, rouge)", columns={"weight": [2]})
    assert result["Sum_Weights_ROUGE_L"].score == pytest.approx(3)
    assert columns_of([caplens.metric("sum(weights, rouge)")]) == {"weight"}


def test_without_them_one_sentence_says_so():
    with pytest.raises(caplens.UsageError, match=r"weights needs the column 'weight' alongside .* \(there are none\)"):
        caplens.score(["a"], [["x"]], "weights")
    with pytest.raises(caplens.UsageError, match=r"\(there are other\): add it to their file"):
        caplens.score(["a"], [["x"]], "rouge, weights", columns={"other": [1]})


ROWS = [
    {"id": 1, "candidate": "a", "references": ["x"], "weight": 2},
    {"id": 2, "candidate": "b", "references": ["y"], "weight": 4},
]


def test_from_a_file(tmp_path):
    out = tmp_path / "scores.json"
    caplens_command("score", str(write_rows(tmp_path / "rows", ROWS)), "-m", "weights", "-o", str(out), "-q")
    assert [item["scores"]["Weights"] for item in json.loads(out.read_text())["items"]] == [2, 4]


def test_lists_are_read_because_the_metric_asks_for_them(tmp_path, capsys):
    rows = [{**row, "weight": [1.0, row["weight"]]} for row in ROWS]
    table = tmp_path / "table"
    pq.write_table(pa.Table.from_pylist(rows), table)
    for path in (table, write_rows(tmp_path / "rows", rows)):
        out = tmp_path / "scores.json"
        caplens_command("score", str(path), "-m", "weights", "-o", str(out), "-q")
        assert [item["scores"]["Weights"] for item in json.loads(out.read_text())["items"]] == [3, 5]
        caplens_command("explain", str(path), "--id", "2", "-m", "weights", "-o", str(out), "-q")
    capsys.readouterr()


def test_in_a_comparison(tmp_path, capsys):
    references = tmp_path / "references.json"
    references.write_text('{"1": ["x"], "2": ["y"]}')
    systems = []
    for name, weight in (("first", 1), ("second", 5)):
        rows = [{"id": row["id"], "caption": row["candidate"], "weight": weight} for row in ROWS]
        systems.append(f"{name}={write_rows(tmp_path / name, rows)}")
    caplens_command("compare", *systems, "-r", str(references), "-m", "weights", "-q")
    assert "-4.0000" in capsys.readouterr().out
