"""Parity with the reference tools, caption by caption."""

from __future__ import annotations

import numpy as np
import pytest
from tests import golden_sets
from tests.conftest import LEXICAL

import caplens


def agree(ours: np.ndarray, theirs: np.ndarray) -> np.ndarray:
    return np.abs(ours - theirs) <= np.maximum(1e-12, 1e-9 * np.abs(theirs))


@pytest.mark.parametrize("name", golden_sets.NAMES)
def test_every_item_and_the_corpus_equal_the_reference_tool(name, golden):
    data = golden_sets.load(name, golden)
    result = caplens.score(data.candidates, data.references, "bleu, rouge, cider", tokenizer=data.tokenizer)
    for key in LEXICAL:
        expected = np.array([item[key] for item in data.items])
        different = np.flatnonzero(~agree(result[key].item_scores, expected))
        assert different.size == 0, f"{key} differs at {different[:5]}"
        assert agree(np.array(result[key].score), np.array(data.corpus[key])), key


def test_hard_strings_score_like_the_reference_tool(golden):
    """BLEU and ROUGE-L of tokens that may be odd or empty; CIDEr's documents there are not all known to us."""
    items = golden("nasty_golden")["items"]
    candidates = [item["ptb"] for item in items]
    references = [item["references_ptb"] for item in items]
    result = caplens.score(candidates, references, "bleu", tokenizer="none")
    for key in LEXICAL[:4]:
        assert agree(result[key].item_scores, np.array([item[key] for item in items])).all(), key
    # The reference tool cuts at single spaces only for ROUGE-L, so a token with a no-break space is one word there.
    plain = [
        place for place, item in enumerate(items) if "\xa0" not in " ".join([item["ptb"], *item["references_ptb"]])
    ]
    rouge = caplens.score(candidates, references, "rouge", tokenizer="none")["ROUGE_L"].item_scores
    assert len(plain) >= 110
    assert agree(rouge[plain], np.array([items[place]["ROUGE_L"] for place in plain])).all()


def test_a_no_break_space_in_a_token_splits_for_bleu_and_cider_only():
    rows = ["1 1/2 cups"], [["1 1/2 cups of flour"]]
    bleu = caplens.score(*rows, "bleu")["Bleu_1"].run.statistics
    rouge = caplens.score(*rows, "rouge")["ROUGE_L"].run.statistics
    assert bleu["length"].tolist() == [3.0]
    assert rouge["recall"].tolist() == [0.5]  # 2 of 4 words: `1 1/2` and `cups`
