"""Comparisons as data; the tests themselves are tested in tests/api/test_compare.py."""

from __future__ import annotations

import pytest

import caplens
from caplens.core.comparison import ALPHA, Comparison
from caplens.core.paired import PairTest

REFERENCES = {place: [f"a dog number {place}"] for place in range(8)}
SYSTEMS = {
    "good": {place: f"a dog number {place}" for place in range(8)},
    "fair": {place: f"a dog number {place + place % 2}" for place in range(8)},
    "poor": dict.fromkeys(range(8), "two cats"),
}


@pytest.fixture(scope="module")
def comparison():
    return caplens.Evaluator("rouge", REFERENCES, seed=5).compare(SYSTEMS)


def test_without_a_baseline_all_pairs_are_tested(comparison):
    assert comparison.pairs == [("good", "fair"), ("good", "poor"), ("fair", "poor")]
    assert [(test.first, test.second) for test in comparison.tests] == comparison.pairs
    assert all(test.difference > 0 for test in comparison.tests)


def test_with_one_the_others_are_tested_against_it():
    found = caplens.Evaluator("rouge", REFERENCES).compare(SYSTEMS, baseline="poor")
    assert found.pairs == [("good", "poor"), ("fair", "poor")]
    assert found.baseline == "poor"


def test_it_says_how_it_tested(comparison):
    testing = comparison.to_dict()["testing"]
    assert testing["alpha"] == ALPHA
    assert testing["seed"] == 5
    assert testing["pairs"] == 3
    assert comparison.smallest_p == 1 / (comparison.resamples + 1)
    assert comparison.smallest_p * len(comparison.pairs) <= ALPHA


def test_systems_are_results(comparison):
    assert isinstance(comparison, Comparison)
    assert comparison["good"]["ROUGE_L"].score == 1
    assert comparison["good"].states == comparison["poor"].states
    assert comparison["good"].corpus.references is comparison["poor"].corpus.references


def test_a_number_that_does_not_exist_is_none():
    test = PairTest("A", "x", "y", 0.5, (float("nan"), 1.0), float("nan"), 0.1, 0.2)
    assert test.to_dict()["interval"] == [None, 1.0]
    assert test.to_dict()["effect"] is None


class TestRuns:
    @pytest.fixture
    def runs(self):
        ours = caplens.Runs([SYSTEMS["good"], SYSTEMS["fair"]])
        return caplens.Evaluator("rouge", REFERENCES).compare({"ours": ours, "poor": SYSTEMS["poor"]})

    def test_a_file_holds_the_score_of_each_run(self, runs):
        data = runs.to_dict()
        fair = caplens.score(SYSTEMS["fair"], REFERENCES, "rouge")["ROUGE_L"].score
        entry = data["systems"]["ours"]["metrics"]["ROUGE_L"]
        assert entry["runs"] == [1.0, fair]
        assert entry["score"] == pytest.approx((1 + fair) / 2)
        assert "runs" not in data["systems"]["poor"]["metrics"]["ROUGE_L"]
        assert data["testing"]["runs"] == {"ours": 2, "poor": 1}

    def test_without_runs_a_file_says_nothing_of_them(self, comparison):
        data = comparison.to_dict()
        assert "runs" not in data["testing"]
        assert "degrees_of_freedom" not in data["tests"][0]

    def test_it_prints(self, runs):
        assert "±" in str(runs)
        assert "±" in runs._repr_html_()
        assert runs.to_pandas().loc["ours", "ROUGE_L"] == runs["ours"]["rouge_l"].score

    def test_subsets_have_runs_too(self, runs):
        subsets = runs.by({place: "odd" if place % 2 else "even" for place in range(8)})
        assert subsets["even"]["ours"]["ROUGE_L"].run_scores == (1.0, 1.0)
        assert subsets["odd"]["ours"]["ROUGE_L"].spread > 0

    def test_the_same_captions_twice_are_noticed(self):
        same = caplens.Runs([SYSTEMS["fair"], dict(SYSTEMS["fair"])])
        found = caplens.Evaluator("rouge", REFERENCES).compare({"same": same, "poor": SYSTEMS["poor"]})
        (notice,) = [notice for notice in found.warnings if notice.code == "same-runs"]
        assert str(notice).startswith("some of the 2 runs of same have equal captions")

    def test_all_runs_are_restricted_to_common_items(self):
        part = {place: caption for place, caption in SYSTEMS["fair"].items() if place > 1}
        ours = caplens.Runs([SYSTEMS["good"], part])
        found = caplens.compare({"ours": ours, "poor": SYSTEMS["poor"]}, REFERENCES, "rouge")
        assert any(str(notice).startswith("2 of 8 items of ours/1 are excluded") for notice in found.warnings)
        assert found["ours"].ids == found["poor"].ids == [2, 3, 4, 5, 6, 7]
