"""Building normalisation constants."""

from __future__ import annotations

import json

import pytest

import caplens
from caplens.api.constants import build_constants
from caplens.errors import UsageError


def test_what_is_measured_and_recorded(tmp_path):
    built = build_constants(["a dog", "a cat"], [["a dog"], ["a dog"]], "rouge, wmd", tmp_path / "c.json", what="pets")
    assert built.keys == ("ROUGE_L", "WMD")
    assert built.captions == 2
    content = json.loads((tmp_path / "c.json").read_text())
    assert content["schema"] == 2
    assert content["what"] == "pets"
    rouge, wmd = content["metrics"].values()
    assert rouge["scores"]["ROUGE_L"] == {"least": 0.5, "largest": 1.0, "mean": 0.75, "deviation": 0.25}
    assert rouge["facts"] == {}
    signature = caplens.score(["a dog"], [["a dog"]], "wmd")["WMD"].signature
    assert f"|table:{wmd['facts']['table']}|" in signature


def test_what_is_learned_from_the_corpus_is_no_fact(tmp_path):
    build_constants(["a dog", "a cat"], [["a dog"], ["a dog"]], "cider, spider", tmp_path / "c.json")
    cider, spider = json.loads((tmp_path / "c.json").read_text())["metrics"].values()
    assert cider["facts"] == {}
    assert set(spider["facts"]) == {"parser"}


def test_an_output_that_cannot_be_written_is_refused_first(tmp_path):
    with pytest.raises(UsageError, match=r"must end in \.json"):
        build_constants(["a"], [["a"]], "no such metric", tmp_path / "c.csv")
