"""Where results hold the figures that papers publish."""

from __future__ import annotations

import pytest

from caplens import study
from caplens.meta.papers import cells


def test_coefficients_have_the_factor_of_the_preset(flickr):
    outcome = study("flickr8k-expert", flickr, metrics="rouge", preset="hessel2021", resamples=5)
    found = cells.coefficients(outcome.to_dict())
    assert found["ROUGE_L"]["kendall_c"] == pytest.approx(100 * outcome["ROUGE_L"]["kendall_c"]["value"])
    assert found["inter-human"]["kendall_b"] == pytest.approx(
        100 * outcome.to_dict()["inter_human"]["kendall_b"]["value"]
    )


def test_pairs_in_percent(flickr):
    outcome = study("distraction", flickr, metrics="rouge", resamples=5)
    found = cells.shares(outcome.to_dict())["ROUGE_L"]
    assert found["mean"] == pytest.approx(100 * outcome["ROUGE_L"]["accuracy"]["mean"])


def test_systems(shared_dir):
    result = study("coco2015", shared_dir, preset="anderson2016-table2", resamples=5).to_dict()
    assert cells.measures(result)["SPICE"]["M5"] == pytest.approx(0.968, abs=0.0005)
    assert cells.measures(result)["SPICE"]["M4 p"] == pytest.approx(0.075, abs=0.0005)
    assert cells.ranks(result)["SPICE"] == {"rank_of_human": 1, "top_five": 5}


def test_sums_and_pairs_of_metrics(flickr):
    asked = {"metrics": "rouge, bleu_smoothed, wembsim", "preset": "kilickaya2017"}
    sums = study("complementarity", flickr, **asked).to_dict()
    assert {"ROUGE_L", "Bleu_smoothed+ROUGE_L", "Bleu_smoothed+ROUGE_L+WEmbSim"} <= set(cells.sums(sums))
    assert set(cells.raw_sums(sums)) == {"ROUGE_L", "Bleu_smoothed"}
    assert set(cells.raw_sums(sums)["ROUGE_L"]) == {"alone", "WEmbSim"}


def test_pairs_that_differ():
    tests = [("a", "b", 0.01, 0.03), ("b", "a", 0.99, 1.0), ("a", "c", 0.04, 0.2), ("b", "c", None, None)]
    names = ("first", "second", "p", "p_holm")
    found = cells.different_pairs({"williams": [dict(zip(names, test, strict=True)) for test in tests]})
    assert found == {
        "one-sided p": {"different": 2, "pairs": 3},
        "the same, Holm": {"different": 1, "pairs": 3},
    }


def test_sentences_and_areas(flickr, tmp_path):
    result = study("sensitivity", metrics="rouge").to_dict()
    assert cells.sentence_scores(result)["ROUGE_L"]["original"] == 1
    captions = tmp_path / "captions.json"
    captions.write_text('{"1": ["a dog runs here", "the dog"], "2": ["two cats sit there", "cats"]}')
    result = study("robustness", references=captions, metrics="rouge", resamples=5).to_dict()
    assert set(cells.areas(result)["ROUGE_L"]) >= {"RC", "WP", "RW"}
