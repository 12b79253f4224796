"""Agreement on pairs: tie conventions, categories, draws of references."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caplens import study
from caplens.errors import InputError, UsageError
from caplens.meta.datasets.pascal50s import Pascal50s
from caplens.meta.pairs.judged import JudgedPairs, draw_references
from caplens.meta.study import Preset


class TestTies:
    @pytest.mark.parametrize(("ties", "share"), [("right", 0.5), ("wrong", 0.0), ("half", 0.25)])
    def test_equal_scores_count_by_convention(self, pascal, ties, share):
        result = study("pascal50s", pascal, metrics="rouge", ties=ties, resamples=10)
        assert result["ROUGE_L"]["accuracy"] == {"HC": 1, "MM": share, "mean": (1 + share) / 2}

    def test_other_conventions_do_not_exist(self, pascal):
        with pytest.raises(UsageError, match=r"pascal50s\(ties=...\) must be one of right, wrong, half, not 'never'"):
            study("pascal50s", pascal, metrics="rouge", ties="never")


class TestVotes:
    def test_the_majority_decides_and_equal_votes_are_left_out(self, pascal):
        rows = json.loads((pascal / "pairs.json").read_text())
        rows[0]["votes_a"] = rows[0]["votes_b"] = 5
        (pascal / "pairs.json").write_text(json.dumps(rows))
        result = study("pascal50s", pascal, metrics="rouge", resamples=10)
        assert (result.to_dict()["n"], result.to_dict()["left_out"]["tied-votes"]["ids"]) == (3, ["1"])
        assert result.to_dict()["categories"] == {"HC": 1, "MM": 2}

    def test_the_consensus_may_decide_instead(self, pascal):
        rows = json.loads((pascal / "pairs.json").read_text())
        rows[0]["consensus_label"] = 1
        (pascal / "pairs.json").write_text(json.dumps(rows))
        result = study("pascal50s", pascal, metrics="rouge", preset="consensus", resamples=10)
        assert result["ROUGE_L"]["accuracy"]["HC"] == 0.5

    def test_votes_that_the_data_lacks_are_named(self):
        pairs = JudgedPairs(["1"], ["i"], ["a"], ["b"], [("r",)], {"votes": np.array([[1.0, 0.0]])})
        with pytest.raises(InputError, match="needs the votes 'consensus'; the data has only votes"):
            Pascal50s(preset=Preset("p", "s"), votes="consensus").apply(pairs)


class TestReferences:
    def test_the_mean_over_draws(self, pascal):
        pairs = Pascal50s().load(pascal, pascal)
        single = [
            study("pascal50s", pascal, metrics="rouge", reference_count=1, draws=draws, resamples=5)["ROUGE_L"]
            for draws in (1, 2)
        ]
        assert single[0]["accuracy"].keys() == single[1]["accuracy"].keys()
        assert draw_references(pairs, 1, 1, 0).references

    def test_images_with_few_references_do_not_stop_the_draws_of_others(self, pascal):
        references = json.loads((pascal / "refs50.json").read_text())
        references["cat.jpg"] = references["cat.jpg"][:2]
        references["dog.jpg"] = [f"a word{place}" for place in range(3)] + ["a dog runs", "a dog sits"] * 20
        (pascal / "refs50.json").write_text(json.dumps(references))
        drawn = study("pascal50s", pascal, metrics="rouge", reference_count=3, draws=5, resamples=5)
        first = study("pascal50s", pascal, metrics="rouge", reference_count=3, draws=0, resamples=5)
        assert drawn["ROUGE_L"]["accuracy"]["HC"] > first["ROUGE_L"]["accuracy"]["HC"]

    @pytest.mark.parametrize(
        ("asked", "message"),
        [({"reference_count": 0}, "a whole number from 1 to .*, not 0"), ({"draws": -1}, "from 0 to .*, not -1")],
    )
    def test_numbers_that_cannot_be(self, pascal, asked, message):
        with pytest.raises(UsageError, match=message):
            study("pascal50s", pascal, metrics="rouge", **asked)


class TestOwnScores:
    def test_each_caption_of_a_pair_has_an_id(self, pascal):
        rows = [{"id": f"{pair} {letter}", "Mine": pair * (letter == "a")} for pair in range(1, 5) for letter in "ab"]
        result = study("pascal50s", pascal, metrics="none", scores=rows, resamples=10)
        assert result["Mine"]["accuracy"] == {"HC": 0.5, "MM": 0.5, "mean": 0.5}
        assert [item["id"] for item in result.items[:3]] == ["1 a", "1 b", "2 a"]


class TestIntervals:
    def test_they_resample_images(self, pascal):
        """One image has all HC pairs, the other all MM pairs: a category is missing from half of the samples."""
        interval = study("pascal50s", pascal, metrics="rouge", ties="half", resamples=200)["ROUGE_L"]["interval"]
        assert interval["HC"] == [1, 1]
        assert interval["MM"] == [0.25, 0.25]


def test_a_missing_image_is_named(pascal):
    (pascal / "refs50.json").write_text(json.dumps({"dog.jpg": ["a dog"]}))
    with pytest.raises(InputError, match=r"1 image of pairs.json have no references \(cat.jpg\)"):
        study("pascal50s", pascal, metrics="rouge")
