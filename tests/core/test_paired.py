"""Paired tests of systems with several training runs; those of single runs are tested in tests/api/test_compare.py."""

from __future__ import annotations

import math
import random

import numpy as np
import pytest

import caplens
from caplens.stats.runs import RunVariance, run_test

WORDS = ["a", "the", "dog", "cat", "bus", "man", "red", "two", "old", "on", "in", "runs", "sleeps", "rides"]
IDS = range(60)


def captions(seed, kept):
    """Captions of a run that keep so many of the words of their reference."""
    rng = random.Random(seed)
    return {
        place: " ".join(word if rng.random() < kept else rng.choice(WORDS) for word in REFERENCES[place][0].split())
        for place in IDS
    }


REFERENCES = {place: [" ".join(random.Random(place).choices(WORDS, k=7))] for place in IDS}
GOOD = [captions(seed, 0.8) for seed in range(3)]
POOR = [captions(seed, 0.4) for seed in range(10, 12)]
SINGLES = {"single": captions(20, 0.6), "other": captions(21, 0.6)}


@pytest.fixture(scope="module")
def comparison():
    systems = {"good": caplens.Runs(GOOD), "poor": caplens.Runs(POOR), **SINGLES}
    return caplens.compare(systems, REFERENCES, "bleu(n=2), rouge")


def found(comparison, score, first, second):
    (test,) = [each for each in comparison.tests if (each.score, each.first, each.second) == (score, first, second)]
    return test


def test_pairs_with_runs_count_runs_and_images(comparison):
    test = found(comparison, "ROUGE_L", "good", "poor")
    items = [np.array([run["ROUGE_L"].item_scores for run in comparison[name].each]) for name in ("good", "poor")]
    # The score is a mean over items, so that all variances are known without a bootstrap.
    by_image = np.var(items[0].mean(axis=0) - items[1].mean(axis=0), ddof=1) / len(IDS)
    variances = []
    for each in items:
        within = (each - each.mean(axis=0)).var(axis=1, ddof=1).sum() / (len(each) - 1) / len(IDS)
        variances.append(RunVariance(len(each), each.mean(axis=1).var(ddof=1), within))
    expected = run_test(items[0].mean() - items[1].mean(), by_image, len(IDS), *variances)
    assert test.difference == pytest.approx(items[0].mean() - items[1].mean())
    assert test.degrees_of_freedom == pytest.approx(expected.degrees_of_freedom, rel=0.2)
    assert test.interval == pytest.approx(expected.interval, rel=0.1)
    assert test.p_bootstrap < 0.05
    assert math.isnan(test.p_randomisation)
    assert math.isnan(test.p_randomisation_holm)


def test_single_runs_are_tested_as_if_they_were_alone(comparison):
    test = found(comparison, "Bleu_2", "single", "other")
    alone = found(caplens.compare(SINGLES, REFERENCES, "bleu(n=2)"), "Bleu_2", "single", "other")
    assert test.difference == alone.difference
    assert test.p_randomisation == pytest.approx(alone.p_randomisation, abs=0.06)  # more pairs, more resamples
    assert math.isnan(test.degrees_of_freedom)
    assert alone.degrees_of_freedom is None


def test_a_run_given_as_runs_is_a_single_one():
    plain = caplens.compare(SINGLES, REFERENCES, "rouge")
    wrapped = caplens.compare({name: caplens.Runs([run]) for name, run in SINGLES.items()}, REFERENCES, "rouge")
    assert wrapped.to_dict() == plain.to_dict()


def test_the_order_of_runs_does_not_matter():
    found = [
        caplens.compare({"good": caplens.Runs(runs), **SINGLES}, REFERENCES, "rouge").tests
        for runs in (GOOD, GOOD[::-1])
    ]
    for first, second in zip(*found, strict=True):
        assert first.p_bootstrap == pytest.approx(second.p_bootstrap)
        assert first.difference == pytest.approx(second.difference)


def test_one_item_has_no_test():
    systems = {"a": caplens.Runs([["a dog"], ["a cat"]]), "b": caplens.Runs([["dogs"], ["cats"]])}
    (test,) = caplens.compare(systems, [["a dog"]], "rouge").tests
    assert math.isnan(test.p_bootstrap)


def test_rows_of_tables_have_the_same_columns(comparison):
    rows = comparison.to_rows()
    assert len({tuple(row) for row in rows}) == 1
    assert rows[0]["degrees_of_freedom"] is not None
    assert rows[0]["p_randomisation"] is None
