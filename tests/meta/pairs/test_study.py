"""Agreement on pairs: tie conventions, categories, draws of references."""

from __future__ import annotations

import json

import numpy as np
import pytest

from caplens import study
from caplens.errors import InputError, UsageError
from caplens.meta.datasets.pascal50s import Pascal50s
from caplens.meta.pairs.judged import JudgedPairs, agreement, draw_references
from caplens.meta.study import Preset


@pytest.fixture
def pascal(tmp_path):
    """Four made-up pairs, two a category, in the shape of PASCAL-50S."""
    rows = [
        ("dog.jpg", "a dog runs", "a cat", "HC", 9, 2, 0),
        ("dog.jpg", "a bus", "a dog sits", "HC", 3, 8, 1),
        ("cat.jpg", "a cat", "a dog", "MM", 2, 9, 1),
        ("cat.jpg", "a tree", "a tree", "MM", 7, 4, 0),
    ]
    names = ("image", "a", "b", "category", "votes_a", "votes_b", "consensus_label")
    (tmp_path / "pairs.json").write_text(json.dumps([dict(zip(names, row, strict=True)) for row in rows]))
    references = {image: [f"a {image[:3]} number {place}" for place in range(8)] for image in ("dog.jpg", "cat.jpg")}
    (tmp_path / "refs50.json").write_text(json.dumps(references))
    return tmp_path


class TestTies:
    @pytest.mark.parametrize(("ties", "share"), [("right", 0.5), ("wrong", 0.0), ("half", 0.25)])
    def test_equal_scores_count_by_convention(self, pascal, ties, share):
        result = study("pascal50s", pascal, metrics="rouge", ties=ties, resamples=10)
        assert result["ROUGE_L"]["accuracy"] == {"HC": 1, "MM": share, "mean": (1 + share) / 2}

    def test_rounding_makes_no_winner(self):
        assert agreement(np.array([0.1 + 0.2]), np.array([0.3]), np.array([True]), "half").tolist() == [0.5]

    def test_a_score_that_does_not_exist_is_no_answer(self):
        assert np.isnan(agreement(np.array([np.nan]), np.array([0.3]), np.array([True]), "right")).all()

    def test_other_conventions_do_not_exist(self, pascal):
        with pytest.raises(UsageError, match=r"pascal50s\(ties=...\) is one of right, wrong, half, not 'never'"):
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
        with pytest.raises(InputError, match="needs the votes 'consensus'; the data only has votes"):
            Pascal50s(preset=Preset("p", "s"), votes="consensus").apply(pairs)


class TestReferences:
    def test_a_draw_is_seeded_and_shared_by_the_pairs_of_an_image(self, pascal):
        pairs = Pascal50s().load(pascal, pascal)
        one, again, other = (draw_references(pairs, 3, 7, draw).references for draw in (0, 0, 1))
        assert one == again != other
        assert one[0] == one[1]
        assert {len(theirs) for theirs in one} == {3}
        assert set(one[0]) < set(pairs.references[0])

    def test_the_first_ones_or_all(self, pascal):
        pairs = Pascal50s().load(pascal, pascal)
        assert draw_references(pairs, 2, 7, None).references[0] == pairs.references[0][:2]
        assert draw_references(pairs, 99, 7, 0).references == pairs.references
        assert draw_references(pairs, None, 7, 0).references == pairs.references

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

    def test_the_table_says_which_references_were_used(self, pascal):
        def said(**options):
            return str(study("pascal50s", pascal, resamples=5, **options))

        assert "3 references, mean of 2 random draws." in said(metrics="rouge", reference_count=3, draws=2)
        assert "the first 3 references." in said(metrics="rouge", reference_count=3, draws=0)
        assert "random draw" not in said(metrics="rouge", reference_count=8, draws=2)  # there are no more to draw from
        rows = [{"id": f"{pair} {letter}", "Mine": pair} for pair in range(1, 5) for letter in "ab"]
        assert "scores from a file" in said(metrics="none", scores=rows)

    def test_a_curve_over_numbers_of_references(self, pascal):
        result = study("pascal50s", pascal, metrics="rouge", curve=(1, 8), draws=2, resamples=5)
        curve = result.to_dict()["curve"]
        assert curve["references"] == [1, 8]
        assert len(curve["metrics"]["ROUGE_L"]["MM"]) == 2
        assert "accuracy by number of references" in str(result)

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
