"""The fast metrics against the slow, clear ones, on random captions of a small vocabulary."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import oracles

import caplens

words = st.lists(st.sampled_from(["a", "b", "c", "d", "e"]), max_size=9)
rows = st.lists(st.tuples(words, st.lists(words, min_size=1, max_size=4)), min_size=1, max_size=6)


def long_rows(seed):
    """Captions about as long as a number has bits, of so many words that some share a place of the kernels' tables."""
    draw = np.random.default_rng(seed)
    vocabulary = [f"w{number}" for number in range(3_000)]

    def caption(length):
        return draw.choice(vocabulary[: draw.choice([2, 40, 3_000])], length).tolist()

    lengths = (1, 17, 63, 64, 65, 70, 200)
    return [(caption(ours), [caption(theirs) for theirs in draw.permutation(lengths)]) for ours in lengths]


def joined(lists):
    return [" ".join(entry) for entry in lists]


def score(data, metric):
    candidates = joined(candidate for candidate, _ in data)
    references = [joined(row) for _, row in data]
    return caplens.score(candidates, references, metric, tokenizer="none")


@settings(max_examples=150, deadline=None)
@given(rows)
def test_bleu(data):
    result = score(data, "bleu")
    statistics = [oracles.bleu_statistics(*row) for row in data]
    expected = np.array([oracles.bleu([row]) for row in statistics])
    for place, key in enumerate(("Bleu_1", "Bleu_2", "Bleu_3", "Bleu_4")):
        np.testing.assert_allclose(result[key].item_scores, expected[:, place], rtol=1e-12, atol=1e-15)
        np.testing.assert_allclose(result[key].score, oracles.bleu(statistics)[place], rtol=1e-12, atol=1e-15)


@settings(max_examples=100, deadline=None)
@given(rows)
def test_smoothed_bleu(data):
    expected = [oracles.bleu_smoothed(oracles.bleu_statistics(*row)) for row in data]
    result = score(data, "bleu_smoothed")["Bleu_smoothed"]
    np.testing.assert_allclose(result.item_scores, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=150, deadline=None)
@given(rows)
def test_rouge(data):
    result = score(data, "rouge")["ROUGE_L"]
    expected = [oracles.rouge_l(*row) for row in data]
    np.testing.assert_allclose(result.item_scores, expected, rtol=1e-12, atol=1e-15)
    np.testing.assert_allclose(result.score, np.mean(expected), rtol=1e-12, atol=1e-15)


@pytest.mark.parametrize(
    ("request_text", "options"), [("cider", {}), ("cider(n=2,sigma=3)", {"max_order": 2, "sigma": 3})]
)
@settings(max_examples=150, deadline=None)
@given(data=rows)
def test_cider(data, request_text, options):
    result = score(data, request_text)["CIDEr"]
    expected = oracles.cider([candidate for candidate, _ in data], [row for _, row in data], **options)
    np.testing.assert_allclose(result.item_scores, expected, rtol=1e-9, atol=1e-12)


@settings(max_examples=100, deadline=None)
@given(rows)
def test_plain_cider_on_words_that_are_their_own_stems(data):
    result = score(data, "cider(variant=plain)")["CIDEr"]
    expected = oracles.cider([candidate for candidate, _ in data], [row for _, row in data], plain=True)
    np.testing.assert_allclose(result.item_scores, expected, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("seed", range(5))
def test_long_captions_of_many_words(seed):
    data = long_rows(seed)
    statistics = [oracles.bleu_statistics(*row) for row in data]
    expected = {
        "bleu": ("Bleu_4", [oracles.bleu([row])[3] for row in statistics]),
        "rouge": ("ROUGE_L", [oracles.rouge_l(*row) for row in data]),
        "cider": ("CIDEr", oracles.cider([candidate for candidate, _ in data], [row for _, row in data])),
    }
    for metric, (key, scores) in expected.items():
        np.testing.assert_allclose(score(data, metric)[key].item_scores, scores, rtol=1e-9, atol=1e-12)


def test_plain_cider_stems():
    references = [["two dogs running"], ["a cat sleeps"]]
    stemmed = caplens.score(["two dog run", "a cat"], references, "cider(variant=plain)")["CIDEr"].item_scores
    exact = caplens.score(["two dogs running", "a cat"], references, "cider(variant=plain)")["CIDEr"].item_scores
    assert stemmed[0] == pytest.approx(exact[0])
    assert stemmed[0] > caplens.score(["two dog run", "a cat"], references, "cider")["CIDEr"].item_scores[0]
