"""The test of systems with several training runs: its parts, and how often it errs where systems are alike."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import stats

from caplens.stats.runs import RunVariance, run_test

IMAGES = 100


def variance_of(items):
    """What `RunVariance.of` finds for scores that are means of items, shape (runs, images), without a bootstrap."""
    runs, images = items.shape
    if runs == 1:
        return RunVariance(1, math.nan, math.nan)
    within = (items - items.mean(axis=0)).var(axis=1, ddof=1).sum() / (runs - 1) / images
    return RunVariance(runs, items.mean(axis=1).var(ddof=1), within)


def false_positives(rng, runs, run_spread, item_spread, image_spread, trials=1500):
    """The share of trials in which two systems of the same quality differ significantly."""
    found = 0
    for _ in range(trials):
        first, second = (
            rng.normal(0, run_spread, (count, 1))
            + rng.normal(0, image_spread, IMAGES)
            + rng.normal(0, item_spread, (count, IMAGES))
            for count in runs
        )
        differences = first.mean(axis=0) - second.mean(axis=0)
        by_image = differences.var(ddof=1) / IMAGES
        test = run_test(differences.mean(), by_image, IMAGES, variance_of(first), variance_of(second))
        found += test.p <= 0.05
    return found / trials


class TestFalsePositives:
    # Standard deviations over runs, over items of a run, and over images of a system. A system's score on 100 images
    # varies by a tenth of the last two.
    @pytest.mark.parametrize("runs", [(2, 2), (3, 3), (5, 5), (2, 5), (2, 1), (5, 1)])
    @pytest.mark.parametrize(
        "spreads",
        [(0.0, 1.0, 0.0), (0.0, 1.0, 1.0), (0.1, 1.0, 1.0), (1.0, 0.1, 0.1)],
        ids=["items", "images", "all", "runs"],
    )
    def test_are_about_one_in_twenty_or_fewer(self, runs, spreads):
        assert false_positives(np.random.default_rng(20), runs, *spreads, trials=400) <= 0.10

    def test_counting_images_alone_errs_far_more_often(self):
        """The bound above is one that a test which takes the runs as given does not keep."""
        rng = np.random.default_rng(20)
        found = 0
        for _ in range(300):
            first, second = (rng.normal(0, 0.3, (2, 1)) + rng.normal(0, 1, (2, IMAGES)) for _ in range(2))
            differences = first.mean(axis=0) - second.mean(axis=0)
            found += stats.ttest_1samp(differences, 0).pvalue <= 0.05
        assert found / 300 > 0.3


class TestRunTest:
    def test_without_variance_by_image_it_is_welchs_test(self):
        rng = np.random.default_rng(3)
        first, second = rng.normal(0.2, 0.1, 4), rng.normal(0, 0.3, 6)
        parts = [RunVariance(len(scores), scores.var(ddof=1), 0.0) for scores in (first, second)]
        found = run_test(first.mean() - second.mean(), 0.0, 100, *parts)
        expected = stats.ttest_ind(first, second, equal_var=False)
        assert found.p == pytest.approx(expected.pvalue)
        assert found.degrees_of_freedom == pytest.approx(expected.df)
        interval = expected.confidence_interval(0.95)
        assert found.interval == pytest.approx((interval.low, interval.high))

    def test_runs_that_are_alike_leave_the_test_over_images(self):
        found = run_test(0.2, 0.01, 50, RunVariance(2, 0.0, 0.0), RunVariance(2, 0.0, 0.0))
        assert found.degrees_of_freedom == pytest.approx(49)
        assert found.p == pytest.approx(2 * stats.t.sf(2, 49))

    def test_what_runs_vary_by_image_counts_once(self):
        noise = RunVariance(2, 0.02, 0.02)  # all of the variance between runs comes from the images
        found = run_test(0.2, 0.02, 50, noise, noise)
        assert found.p == pytest.approx(2 * stats.t.sf(0.2 / math.sqrt(0.02), 2))

    @pytest.mark.parametrize("turned", [False, True])
    def test_a_single_run_is_taken_to_vary_as_the_others(self, turned):
        parts = [RunVariance(4, 0.01, 0.0), RunVariance(1, math.nan, math.nan)]
        found = run_test(0.3, 0.0, 50, *(parts[::-1] if turned else parts))
        assert found.degrees_of_freedom == 3
        assert found.p == pytest.approx(2 * stats.t.sf(0.3 / math.sqrt(0.0125), 3))

    def test_where_nothing_varies_a_difference_is_there_or_not(self):
        alike = RunVariance(2, 0.0, 0.0)
        assert run_test(0.0, 0.0, 5, alike, alike).p == 1
        assert run_test(0.1, 0.0, 5, alike, alike).p == 0

    def test_what_does_not_exist_has_no_test(self):
        alike = RunVariance(2, 0.0, 0.0)
        assert math.isnan(run_test(math.nan, 0.1, 5, alike, alike).p)
        assert math.isnan(run_test(0.1, math.nan, 5, alike, alike).p)


class TestRunVariance:
    def test_the_bootstrap_finds_what_means_of_items_have(self):
        rng = np.random.default_rng(7)
        items = rng.normal(size=(3, 80)) + rng.normal(size=80)
        weights = rng.poisson(1, (20000, 80))
        resampled = (items @ weights.T) / weights.sum(axis=1)
        found = RunVariance.of(items.mean(axis=1), resampled)
        expected = variance_of(items)
        assert (found.runs, found.between) == (3, pytest.approx(expected.between))
        assert found.within == pytest.approx(expected.within, rel=0.05)

    def test_a_single_run_has_none(self):
        found = RunVariance.of(np.array([0.5]), np.ones((1, 10)))
        assert found.runs == 1
        assert math.isnan(found.between)

    def test_without_resamples_the_share_of_images_is_unknown(self):
        found = RunVariance.of(np.array([0.4, 0.6]), np.ones((2, 0)))
        assert found.between == pytest.approx(0.02)
        assert math.isnan(found.within)
