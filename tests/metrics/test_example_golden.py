"""Parity with the original tools on the shipped example, which is always there."""

from __future__ import annotations

import json

import numpy as np
import pytest
from tests.conftest import ROOT

import caplens
from caplens.text.captions import Captions
from caplens.text.meteor import resources
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words


@pytest.fixture(scope="module")
def expected():
    return json.loads((ROOT / "tests" / "data" / "example_golden.json").read_text(encoding="utf-8"))


@pytest.mark.parametrize("system", ["human", "degraded"])
def test_scores_equal_those_of_the_original(system, expected, example_dir):
    corpus = caplens.load_corpus(example_dir / f"{system}.json", example_dir / "references.json")
    result = caplens.score(
        corpus, metrics="bleu, rouge, cider" if resources.missing_data() else "bleu, meteor, rouge, cider"
    )
    assert result.ids == expected[system]["ids"]
    for key in result:
        items = np.array(expected[system]["items"][key])
        np.testing.assert_allclose(result[key].item_scores, items, rtol=1e-9, atol=1e-12)
        np.testing.assert_allclose(result[key].score, expected[system]["corpus"][key], rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("system", ["human", "degraded"])
def test_tokens_equal_those_of_the_original(system, expected, example_dir):
    rows = json.loads((example_dir / f"{system}.json").read_text(encoding="utf-8"))
    words = encode_words(Captions.from_texts([row["caption"] for row in rows])[0], get_tokenizer("ptb"))
    golden = expected[system]["candidates_ptb"]
    assert [words.text(place) for place in range(len(rows))] == [golden[str(row["image_id"])][0] for row in rows]
