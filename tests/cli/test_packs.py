"""``caplens packs``: from a file of parses to a pack in force, and back."""

from __future__ import annotations

import json

import pytest
from tests.command_line import refuse, succeed


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.setenv("CAPLENS_PACKS", str(tmp_path / "packs"))
    lines = [
        {"text": "a purple giraffe juggles", "tuples": [["giraffe"], ["giraffe", "purple"]]},
        {"text": "a giraffe", "tuples": [["giraffe"]]},
    ]
    (tmp_path / "parses.jsonl").write_text("".join(json.dumps(line) + "\n" for line in lines))
    return tmp_path


def test_built_imported_used_and_removed(folder):
    pack, rows, out = folder / "mine.pack.safetensors", folder / "rows.jsonl", folder / "scores.json"
    assert "2 captions" in succeed("packs", "build", folder / "parses.jsonl", "-o", pack, "--about", "made up")
    assert "mine: 2 captions" in succeed("packs", "import", pack)
    listed = succeed("packs", "list")
    assert listed.index("mine") < listed.index("coco-val2014-nocaps")
    rows.write_text('{"id": 1, "candidate": "a purple giraffe juggles", "references": ["a giraffe"]}\n')
    succeed("score", rows, "-m", "spice", "-o", out)
    result = json.loads(out.read_text())
    assert result["metrics"]["SPICE"]["score"] == pytest.approx(2 / 3)
    said = [each["message"] for each in result["warnings"] if each["code"] == "known-graphs"]
    assert len(said) == 2
    assert "scene graphs for 1 of 1 candidate (packs" in said[0] + said[1]
    assert result["metrics"]["SPICE"]["known_candidates"] == result["metrics"]["SPICE"]["known_references"] == 1
    assert "known_references" not in result["metrics"]["SPICE_Object"]
    with_pack = result["metrics"]["SPICE"]["signature"]
    succeed("packs", "remove", "mine")
    succeed("score", rows, "-m", "spice", "-o", out)
    assert json.loads(out.read_text())["metrics"]["SPICE"]["signature"] != with_pack


def test_explanations_and_comparisons_say_what_is_known(folder):
    pack, first, second = folder / "mine.pack.safetensors", folder / "first.json", folder / "second.json"
    references, out, drawing = folder / "references.json", folder / "out.json", folder / "graphs.svg"
    succeed("packs", "build", folder / "parses.jsonl", "-o", pack)
    succeed("packs", "import", pack)
    first.write_text('{"1": "a purple giraffe juggles", "2": "some green zebu on a unicycle"}')
    second.write_text('{"1": "some odd caption of a zebu", "2": "some odd caption of a zebu"}')
    references.write_text('{"1": ["a giraffe", "an odd reference of a zebu"], "2": ["a giraffe"]}')
    shown = succeed("explain", first, "-r", references, "-m", "spice", "--id", "1", "-o", out, "-o", drawing)
    assert "candidate (from a pack)" in shown
    assert "references (1 of 2 from a pack)" in shown
    assert "references (1 of 2 from a pack)" in drawing.read_text()
    (graphs,) = [each for each in _sections(json.loads(out.read_text())) if each["kind"] == "scene_graphs"]
    assert (graphs["candidate"]["known"], graphs["candidate"]["captions"]) == (1, 1)
    assert (graphs["references"]["known"], graphs["references"]["captions"]) == (1, 2)
    succeed("compare", first, second, "-r", references, "-m", "spice", "-o", out)
    said = [each["message"] for each in json.loads(out.read_text())["warnings"] if each["code"] == "known-graphs"]
    assert [message for message in said if "candidate" in message] == [
        message
        for message in said
        if message.startswith("first: SPICE uses the reference tool's scene graphs for 1 of 2 candidates")
    ]
    assert len(said) == 2


def _sections(data):
    explanations = data["explanations"] if isinstance(data, dict) else data
    return [section for each in explanations for section in each["sections"]]


def test_turned_off_nothing_is_known(folder):
    rows, out = folder / "rows.jsonl", folder / "scores.json"
    caption = "a skateboarder pulling tricks on top of a picnic table"
    rows.write_text(json.dumps({"id": 1, "candidate": caption, "references": [caption]}) + "\n")
    succeed("score", rows, "-m", "spice(known=false)", "-o", out)
    result = json.loads(out.read_text())
    assert not [each for each in result["warnings"] if each["code"] == "known-graphs"]
    assert "known:" not in result["metrics"]["SPICE"]["signature"]


def test_what_cannot_be_done_is_said(folder):
    assert "must end in .pack.safetensors" in refuse("packs", "build", folder / "parses.jsonl", "-o", folder / "x.json")
    (folder / "bad.jsonl").write_text("nonsense\n")
    bad = refuse("packs", "build", folder / "bad.jsonl", "-o", folder / "x.pack.safetensors")
    assert "Line 1 of" in bad
    assert "There is no imported pack 'mine'" in refuse("packs", "remove", "mine")
    (folder / "no.pack.safetensors").write_text("nothing")
    assert "no.pack.safetensors" in refuse("packs", "import", folder / "no.pack.safetensors")
