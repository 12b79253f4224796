"""Comparisons as data; the tests themselves are tested in tests/api/test_compare.py."""

from __future__ import annotations

import pytest

import caplens
from caplens.core.comparison import ALPHA, Comparison, PairTest

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
