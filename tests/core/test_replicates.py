"""A system with several training runs, as a result."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import caplens
from caplens.core.replicates import Replicates, result_of
from caplens.core.result import Result

REFERENCES = [["a dog runs"], ["two cats sleep"], ["a red bus"], ["a man on a horse"]]
RUNS = (
    ["a dog", "two cats sleep", "a bus", "a man on a horse"],
    ["a dog runs", "two cats", "the bus", "a horse"],
    ["a cat", "two dogs", "a red bus", "a man"],
)


@pytest.fixture(scope="module")
def results():
    return [caplens.score(captions, REFERENCES, "bleu, cider(df=coco-val2014), spice") for captions in RUNS]


@pytest.fixture(scope="module")
def system(results):
    return Replicates(results)


def test_scores_are_means_over_runs(system, results):
    for key in results[0]:
        scores = [result[key].score for result in results]
        assert system[key].run_scores == pytest.approx(tuple(scores), nan_ok=True)
        assert system[key].score == pytest.approx(np.mean(scores), nan_ok=True)
        assert system[key].spread == pytest.approx(np.std(scores, ddof=1), nan_ok=True)
        items = np.mean([result[key].item_scores for result in results], axis=0)
        np.testing.assert_allclose(system[key].item_scores, items)


def test_parts_are_means_over_runs(system, results):
    precisions = [result["SPICE"].parts["precision"].score for result in results]
    assert system["spice"].parts["precision"].score == pytest.approx(np.mean(precisions))


def test_the_interval_is_that_of_the_mean(system, results):
    samples = np.mean([result.intervals.samples()[0][:, 0] for result in results], axis=0)
    assert system["Bleu_1"].interval == pytest.approx(tuple(np.nanquantile(samples, [0.025, 0.975])))
    assert system["Bleu_1"].interval != pytest.approx(results[0]["Bleu_1"].interval)


def test_files_hold_the_runs(system, results):
    entry = system.summary()["CIDEr"]
    assert entry["runs"] == [result["CIDEr"].score for result in results]
    assert entry["spread"] == system["CIDEr"].spread
    assert entry["signature"] == results[0]["CIDEr"].signature


def test_shares_of_captions_are_means_too(results):
    covered = [
        Result(result.corpus, [replace(run, coverage={"known": share}) for run in result.runs])
        for result, share in zip(results, (0.2, 0.4, 0.9), strict=True)
    ]
    assert Replicates(covered).summary()["CIDEr"]["known"] == pytest.approx(0.5)


def test_rows_are_those_of_all_runs(system, results):
    some = system.select(np.array([0, 2]))
    assert isinstance(some, Replicates)
    assert some.ids == [0, 2]
    assert some["Bleu_1"].run_scores == tuple(result.select(np.array([0, 2]))["Bleu_1"].score for result in results)


def test_a_score_that_is_not_there_is_said_as_ever(system):
    assert "METEOR" not in system
    with pytest.raises(caplens.UsageError, match="There is no score 'METEOR'"):
        system["METEOR"]


def test_one_run_is_the_result_itself(results):
    assert result_of(results[:1]) is results[0]
    assert isinstance(result_of(results), Replicates)
