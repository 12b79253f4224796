"""The example of a metric of one's own, as a user has it: installed, or named by its place."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import tomllib

import pytest

import caplens
from caplens.core import registry
from tests.command_line import CAPLENS, refuse, write_rows
from tests.conftest import ROOT
from tests.plugins import install

EXAMPLE = ROOT / "examples" / "own_metric"
PLACE = "coverage_metric:Coverage"


@pytest.fixture
def installed(tmp_path):
    """A folder that has what ``pip install examples/own_metric`` leaves behind, besides the module."""
    project = tomllib.loads((EXAMPLE / "pyproject.toml").read_text())["project"]
    ((name, value),) = project["entry-points"]["caplens.metrics"].items()
    assert value == PLACE
    install(tmp_path / "packages", "caplens.metrics", name, value)
    return tmp_path / "packages"


def run(*arguments, paths):
    source = os.environ.get("PYTHONPATH")
    found = os.pathsep.join([*map(str, paths), *([source] if source else [])])
    return subprocess.run(
        [CAPLENS, *map(str, arguments)],
        capture_output=True,
        text=True,
        check=False,
        env={**os.environ, "PYTHONPATH": found},
    )


def succeed(*arguments, paths):
    done = run(*arguments, paths=paths)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture
def rows(tmp_path):
    return write_rows(
        tmp_path / "rows.jsonl",
        [
            {"id": 1, "candidate": "a man on a horse", "references": ["a man rides a horse", "a rider"]},
            {"id": 2, "candidate": "two dogs", "references": ["two big dogs"]},
        ],
    )


# Of the five words of the first references (a, man, rides, horse, rider) it has three, of the three of the second two.
CORPUS, ITEMS = 5 / 8, [3 / 5, 2 / 3]


def test_the_example_is_short():
    assert len((EXAMPLE / "coverage_metric.py").read_text().splitlines()) < 60


def test_score(installed, rows, tmp_path):
    out = tmp_path / "scores.json"
    printed = succeed("score", rows, "-m", "rouge, coverage(longest=40)", "-o", out, paths=[installed, EXAMPLE])
    assert "coverage(longest=40)|rows:2" in printed
    data = json.loads(out.read_text())
    assert data["metrics"]["Coverage"]["score"] == pytest.approx(CORPUS)
    assert [item["scores"]["Coverage"] for item in data["items"]] == pytest.approx(ITEMS)
    low, high = data["metrics"]["Coverage"]["interval"]
    assert low <= CORPUS <= high


def test_compare(installed, tmp_path):
    references, first, second = tmp_path / "references.json", tmp_path / "first.json", tmp_path / "second.json"
    references.write_text(json.dumps({"1": ["a man rides a horse"], "2": ["two big dogs"]}))
    first.write_text(json.dumps({"1": "a man rides a horse", "2": "two big dogs"}))
    second.write_text(json.dumps({"1": "a man", "2": "two dogs"}))
    printed = succeed("compare", first, second, "-r", references, "-m", "coverage", paths=[installed, EXAMPLE])
    assert "Coverage" in printed
    assert "first minus second" in printed


def test_explain_and_list(installed, rows):
    paths = [installed, EXAMPLE]
    printed = succeed("explain", "a man", "--reference", "a man rides", "-m", "coverage", paths=paths)
    assert "shared" in printed
    assert "coverage" in succeed("metrics", paths=paths)
    assert "words of each caption that count" in succeed("metrics", "coverage", paths=paths)


def test_meta(installed, tmp_path):
    captions = ["a man", "a man on a horse", "a man rides a big horse", "dogs"]
    table = write_rows(
        tmp_path / "judged.jsonl",
        [
            {"id": place, "candidate": caption, "references": ["a man rides a big horse"], "human": rating}
            for place, (caption, rating) in enumerate(zip(captions, [2, 3, 4, 1], strict=True))
        ],
    )
    printed = succeed("meta", "table", "--data", table, "-m", "coverage", "--format", "csv", paths=[installed, EXAMPLE])
    assert "Coverage" in printed
    place = succeed("meta", "table", "--data", table, "-m", PLACE, "--allow-code", "--format", "csv", paths=[EXAMPLE])
    assert place == printed


def test_without_installing_it_has_to_be_allowed(rows):
    assert "Coverage" in succeed("score", rows, "-m", PLACE, "--allow-code", paths=[EXAMPLE])
    done = run("score", rows, "-m", PLACE, paths=[EXAMPLE])
    assert done.returncode == 2
    assert "use --allow-code" in done.stderr


@pytest.mark.parametrize("metric", ["os:abort", "spice(parser=os:abort)"])
def test_commands_run_no_code_unasked(rows, metric, tmp_path):
    """Were it run, this process would end."""
    captions = tmp_path / "captions.json"
    captions.write_text('{"1": "a"}')
    for command in (
        ("score", rows),
        ("compare", f"a={captions}", f"b={captions}", "-r", captions),
        ("explain", "a man", "--reference", "a man"),
        ("meta", "table", "--data", rows),
        ("meta", "all", "--data", tmp_path, "-o", tmp_path / "out"),
        ("constants", "build", rows, "-o", tmp_path / "constants.json"),
    ):
        assert "would run code from a module" in refuse(*command, "-m", metric)


def test_registered_in_python(monkeypatch, rows):
    monkeypatch.setattr(registry, "_registered", {})
    monkeypatch.syspath_prepend(EXAMPLE)
    metric = caplens.metric(PLACE, allow_code=True)
    caplens.register_metric(type(metric))
    result = caplens.score(caplens.load_corpus(rows), metrics="coverage")
    assert result["Coverage"].score == pytest.approx(CORPUS)
    sys.modules.pop("coverage_metric")
