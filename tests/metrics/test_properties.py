"""What must hold for any input: no exception, no NaN, no dependence on order, shards equal the whole, maxima."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.metric import Statistics
from caplens.core.plan import fit, run
from caplens.core.prepared import Usage, prepare
from caplens.core.selection import select
from caplens.text.meteor import resources

LEXICAL = "bleu, bleu_smoothed, rouge, cider, wmd, wembsim"
METRICS = LEXICAL if resources.missing_data() else f"{LEXICAL}, meteor"
any_text = st.text(st.characters(codec=None), max_size=40)  # surrogates and control characters included
odd_words = ["a", "man", "dog's", "rides", ".", ",", "1", "1/2", '"red"', "U.S.", "B.", ":)", "Don't", "A"]
captions = st.one_of(any_text, st.lists(st.sampled_from(odd_words), max_size=8).map(" ".join))
rows = st.lists(st.tuples(captions, st.lists(captions, min_size=1, max_size=4)), min_size=1, max_size=7)


def split(data):
    return [candidate for candidate, _ in data], [references for _, references in data]


@settings(max_examples=150, deadline=None)
@given(rows, st.sampled_from(["ptb", "none", "intl", "char"]))
def test_any_text_scores_without_exception_and_without_nan(data, tokenizer):
    result = caplens.score(*split(data), METRICS, tokenizer=tokenizer)
    for score in result.values():
        assert np.isfinite(score.item_scores).all()
        assert np.isfinite(score.score)
        assert (np.isfinite(score.interval) == (len(data) > 1)).all()  # one item has no interval
        least, largest = score.run.metric.range[score.name]
        assert least - 1e-9 <= score.item_scores.min()
        assert score.item_scores.max() <= largest + 1e-9
        assert least - 1e-9 <= score.score <= largest + 1e-9
    assert "NaN" not in json.dumps(result.to_dict())


@settings(max_examples=60, deadline=None)
@given(rows, st.sampled_from(["any", "once"]))
def test_any_text_has_a_spice_unless_its_references_say_nothing(data, repeat):
    result = caplens.score(*split(data), f"spice(repeat={repeat}), spider")
    items = result["SPICE"].item_scores
    assert (np.isnan(items) == np.isnan(result["SPIDEr"].item_scores)).all()
    assert np.isnan(result["SPICE"].score) == np.isnan(items).all()
    for score in result.values():
        least, largest = score.run.metric.range[score.name]
        found = score.item_scores[~np.isnan(score.item_scores)]
        assert ((found >= least) & (found <= largest)).all()
    assert "NaN" not in json.dumps(result.to_dict())


@settings(max_examples=60, deadline=None)
@given(rows, st.randoms(use_true_random=False))
def test_order_of_items_and_references_does_not_matter(data, generator):
    result = caplens.score(*split(data), METRICS)
    order = list(range(len(data)))
    generator.shuffle(order)
    shuffled = [(data[place][0], generator.sample(data[place][1], len(data[place][1]))) for place in order]
    other = caplens.score(*split(shuffled), METRICS)
    for key, score in result.items():
        np.testing.assert_allclose(other[key].item_scores, score.item_scores[order], rtol=1e-12, atol=1e-12)
        # METEOR sums the statistics of the first of equally good references: which one that is depends on their order.
        if key != "METEOR":
            np.testing.assert_allclose(other[key].score, score.score, rtol=1e-12, atol=1e-12)
        assert other[key].signature == score.signature


@settings(max_examples=60, deadline=None)
@given(rows, st.data())
def test_shards_scored_apart_and_merged_equal_the_whole(data, draw):
    corpus = corpus_of(*split(data))
    metrics = select(f"{METRICS}, spice, spider").metrics
    whole = prepare(corpus, jobs=1)
    states = fit(metrics, whole.references, Usage.of(corpus))
    cut = draw.draw(st.integers(0, len(corpus)))
    shards = [range(cut), range(cut, len(corpus))]
    parts = [run(metrics, prepare(corpus.select(list(rows)), jobs=1), states) for rows in shards if len(rows)]
    for place, entry in enumerate(run(metrics, whole, states)):
        merged = Statistics.concatenate([part[place].statistics for part in parts])
        np.testing.assert_allclose(merged.table, entry.statistics.table, rtol=1e-12, atol=1e-12)


@settings(max_examples=40, deadline=None)
@given(st.lists(st.sampled_from(["one", "two", "three", "four", "five", "six"]), min_size=4, max_size=8).map(" ".join))
def test_a_candidate_that_equals_a_reference_has_the_maximum_of_bleu_and_rouge(caption):
    result = caplens.score([caption], [[caption, "something else entirely"]], "bleu, bleu_smoothed, rouge")
    for score in result.values():
        assert score.score == pytest.approx(1, abs=1e-8)


def test_cider_has_its_maximum_where_every_reference_equals_the_candidate():
    candidates = ["a b c d e", "f g h i j"]
    references = [[candidate] * 3 for candidate in candidates]
    assert caplens.score(candidates, references, "cider")["CIDEr"].item_scores == pytest.approx([10, 10])
    # Below it: one reference differs; no 4-gram; every n-gram in every document, so without weight.
    other = [[*references[0][:2], "k l m n o"], references[1]]
    assert caplens.score(candidates, other, "cider")["CIDEr"].item_scores[0] == pytest.approx(10 * 2 / 3)
    assert caplens.score(["a b c", "f g h"], [["a b c"], ["f g h"]], "cider")["CIDEr"].score == pytest.approx(7.5)
    assert caplens.score(["a b c d"] * 2, [["a b c d"]] * 2, "cider")["CIDEr"].score == 0


@pytest.mark.parametrize("length", [10, 100, 1000, 20_000])
def test_paragraphs_and_many_references_score(length):
    paragraph = " ".join(f"word{place % 37}" for place in range(length))
    metrics = METRICS if length <= 1000 else LEXICAL  # METEOR's search grows with the number of matches
    result = caplens.score([paragraph, "a dog"], [[paragraph, "short"], ["a dog"] * 2000], metrics)
    assert result["Bleu_4"].item_scores[0] == pytest.approx(1)
    assert np.isfinite(result["CIDEr"].item_scores).all()
