"""Parity with the reference tools through the command line."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests import golden_sets
from tests.command_line import succeed, write_rows
from tests.conftest import LEXICAL

from caplens.text.meteor import resources


@pytest.mark.parametrize("name", golden_sets.NAMES)
def test_every_item_and_the_corpus_equal_the_reference_tool(name, golden, tmp_path):
    data = golden_sets.load(name, golden)
    rows = write_rows(tmp_path / "rows.jsonl", data.rows())
    out = tmp_path / "out.json"
    metrics, keys = ("bleu,rouge,cider", LEXICAL) if resources.missing_data() else ("coco", (*LEXICAL, "METEOR"))
    succeed("score", rows, "-m", metrics, "--tokenizer", data.tokenizer, "-o", out)
    written = json.loads(out.read_text("utf-8"))
    assert [item["id"] for item in written["items"]] == data.ids
    for key in keys:
        ours = np.array([item["scores"][key] for item in written["items"]])
        theirs = np.array([item[key] for item in data.items])
        np.testing.assert_allclose(ours, theirs, rtol=1e-9, atol=1e-12, err_msg=key)
        assert written["metrics"][key]["score"] == pytest.approx(data.corpus[key], rel=1e-9, abs=1e-12), key
