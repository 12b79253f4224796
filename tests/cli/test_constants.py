"""``caplens constants build`` as a user runs it."""

from __future__ import annotations

import json

import pytest
from tests.command_line import refuse, succeed


def test_a_mean_by_constants_of_the_same_captions_runs_from_0_to_1(example_dir, tmp_path):
    human = (example_dir / "human.json", "-r", example_dir / "references.json")
    text = succeed("constants", "build", *human, "-m", "rouge, wmd", "-o", tmp_path / "mine.json")
    assert text == f"{tmp_path / 'mine.json'}: ROUGE_L, WMD on 250 captions\n"
    request = "rouge, wmd, mean(rouge, wmd, normalize_on=mine.json)"
    succeed("score", *human, "-m", request, "-o", "scores.json", "-q", folder=tmp_path)
    items = [item["scores"] for item in json.loads((tmp_path / "scores.json").read_text())["items"]]
    expected = [0.0] * len(items)
    for key in ("ROUGE_L", "WMD"):
        column = [item[key] for item in items]
        for place, value in enumerate(column):
            expected[place] += (value - min(column)) / (max(column) - min(column)) / 2
    assert [item["Mean_ROUGE_L_WMD"] for item in items] == pytest.approx(expected)


def test_mistakes_are_said_in_one_sentence():
    assert refuse("constants", "build", "nowhere.json", "-o", "c.csv").startswith("'c.csv' cannot be written")
    assert "Missing option" in refuse("constants", "build", "x")
    assert "Usage: caplens constants build" in succeed("constants", "build", "--help")


def test_spice_is_measured_as_a_mean_uses_it(example_dir, tmp_path):
    """A mean has every caption parsed (``known=false``), with further options of SPICE too."""
    human = (example_dir / "human.json", "-r", example_dir / "references.json")
    succeed("constants", "build", *human, "-m", "rouge, spice(repeat=once)", "-o", "mine.json", "-q", folder=tmp_path)
    covered = ("-m", "mean(rouge, spice(repeat=once), normalize_on=mine.json)", "-q")
    assert "Mean_ROUGE_L_SPICE" in succeed("score", *human, *covered, folder=tmp_path)
    other = ("-m", "mean(rouge, spice, normalize_on=mine.json)", "-q")
    sentence = refuse("score", *human, *other, folder=tmp_path)
    assert "only spice(synonyms=true,repeat=once,parser=caplens,known=false,tokenizer=ptb): use those" in sentence
