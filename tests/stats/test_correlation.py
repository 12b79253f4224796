"""Correlation coefficients and their p-values against scipy, resamples against loops."""

from __future__ import annotations

import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caplens.stats.correlation import (
    COEFFICIENTS,
    SortedPairs,
    bootstrap_coefficients,
    coefficients_of,
    correlate,
    mean_ranks,
)
from caplens.stats.resampling import Units

stats = pytest.importorskip("scipy.stats")


def by_scipy(first, second):
    return {
        "pearson": stats.pearsonr(first, second),
        "spearman": stats.spearmanr(first, second),
        "kendall_b": stats.kendalltau(first, second),
        "kendall_c": stats.kendalltau(first, second, variant="c"),
    }


def assert_like_scipy(first, second):
    found = correlate(first, second)
    for name, expected in by_scipy(first, second).items():
        assert found[name].value == pytest.approx(expected.statistic, abs=1e-12), name
        # Near 1, the last digit of a coefficient decides about its p-value.
        rounding = 1e-7 if abs(expected.statistic) > 1 - 1e-12 else 1e-300
        assert found[name].p == pytest.approx(expected.pvalue, rel=1e-7, abs=rounding), name


def sample(rows, levels, seed=3):
    generator = np.random.default_rng(seed)
    first = generator.normal(size=rows)
    second = first + generator.normal(size=rows) * 2
    if levels:
        first, second = np.round(first * levels) / levels, np.clip(np.round(second), 1, levels).astype(float)
    return first, second


class TestLikeScipy:
    @pytest.mark.parametrize("levels", [None, 3, 8])
    @pytest.mark.parametrize("rows", [5, 33, 34, 200, 3000])
    def test_values_and_p_values(self, rows, levels):
        assert_like_scipy(*sample(rows, levels))

    @pytest.mark.parametrize("rows", [3, 8, 20, 40])
    def test_opposite_and_nearly_opposite_orders(self, rows):
        """Exact p-values for any number of rows if at most one pair is out of order."""
        up = np.arange(float(rows))
        swapped = up.copy()
        swapped[[0, 1]] = swapped[[1, 0]]
        for second in (up, -up, swapped, -swapped):
            found = correlate(up, second)
            for variant, name in (("b", "kendall_b"), ("c", "kendall_c")):
                expected = stats.kendalltau(up, second, variant=variant)
                assert found[name].value == pytest.approx(expected.statistic)
                assert found[name].p == pytest.approx(expected.pvalue, rel=1e-9)

    @settings(max_examples=60, deadline=None)
    @given(st.lists(st.tuples(st.integers(0, 6), st.integers(0, 3)), min_size=4, max_size=40))
    def test_many_ties(self, rows):
        first, second = np.array(rows, dtype=float).T.copy()
        found = correlate(first, second)
        if len(set(first.tolist())) < 2 or len(set(second.tolist())) < 2:
            assert all(math.isnan(coefficient.value) for coefficient in found.values())
            assert all(math.isnan(coefficient.p) for coefficient in found.values())
        else:
            assert_like_scipy(first, second)

    def test_large_values_keep_their_digits(self):
        first, second = sample(500, None)
        expected = stats.pearsonr(first, second).statistic
        assert correlate(first * 1e-9 + 1e4, second)["pearson"].value == pytest.approx(expected, abs=1e-2)
        assert correlate(first * 1e6 + 1e9, second - 1e5)["pearson"].value == pytest.approx(expected, abs=1e-9)


class TestDegenerate:
    @pytest.mark.parametrize("rows", [0, 1])
    def test_too_few_rows_have_none(self, rows):
        found = correlate(np.ones(rows), np.ones(rows))
        assert all(math.isnan(coefficient.value) for coefficient in found.values())

    def test_a_row_without_a_number_is_left_out(self):
        first, second = sample(50, 4)
        with_holes = np.concatenate([first, [np.nan, 3.0, np.inf]]), np.concatenate([second, [2.0, np.nan, 1.0]])
        assert correlate(*with_holes) == correlate(first, second)


class TestResamples:
    @pytest.mark.parametrize("levels", [None, 4])
    def test_they_equal_scipy_on_the_drawn_rows(self, levels):
        first, second = sample(60, levels)
        units = Units.of(map(str, np.repeat(np.arange(20), 3)))
        owners = units.owners
        draws = units.bootstrap_weights(0, 25, 5).astype(int)
        found = bootstrap_coefficients({"metric": SortedPairs(first, second, owners)}, units, 25, seed=5)["metric"]
        for sample_number, counts in enumerate(draws):
            rows = np.concatenate([np.flatnonzero(owners == unit) for unit in np.repeat(np.arange(20), counts)])
            expected = by_scipy(first[rows], second[rows])
            for name in COEFFICIENTS:
                assert found[name][sample_number] == pytest.approx(expected[name].statistic, abs=1e-12)

    def test_threads_do_not_change_them(self):
        units = Units.of(map(str, range(40)))
        pairs = SortedPairs(*sample(40, 5), units.owners)
        one, two = (bootstrap_coefficients({"a": pairs}, units, 100, jobs=jobs)["a"] for jobs in (1, 2))
        for name in COEFFICIENTS:
            np.testing.assert_array_equal(one[name], two[name])

    @pytest.mark.parametrize("levels", [3, None])
    def test_the_order_of_rows_does_not_change_a_bit(self, levels):
        first, second = sample(300, levels)
        images = np.array([f"image {row // 3}" for row in range(300)])
        generator = np.random.default_rng(6)
        found = []
        for order in (np.arange(300), generator.permutation(300), generator.permutation(300)):
            units = Units.of(images[order])
            pairs = SortedPairs(first[order], second[order], units.owners)
            found.append(bootstrap_coefficients({"a": pairs}, units, 50)["a"])
            whole = correlate(first[order], second[order])
            assert {name: whole[name] for name in COEFFICIENTS} == correlate(first, second)
        for name in COEFFICIENTS:
            np.testing.assert_array_equal(found[1][name], found[0][name])
            np.testing.assert_array_equal(found[2][name], found[0][name])

    def test_samples_with_too_few_of_the_known_units_are_left_out(self):
        """Three systems have a score, the others none: a sample with two of the three says nothing."""
        units = Units.of("abcdef", fewest=3)
        scores = np.array([1.0, 5.0, 2.0, np.nan, np.nan, np.nan])
        pairs = SortedPairs(scores, np.arange(6.0) ** 2, units.owners)
        found = bootstrap_coefficients({"a": pairs}, units, 400, seed=2)["a"]["pearson"]
        drawn = np.count_nonzero(units.bootstrap_weights(0, 400, 2)[:, units.owners[:3]], axis=1)
        np.testing.assert_array_equal(np.isnan(found), drawn < 3)
        assert 0 < np.isnan(found).sum() < 400

    def test_one_image_has_no_samples(self):
        units = Units.of(["a", "a", "a"])
        pairs = SortedPairs(np.arange(3.0), np.arange(3.0), units.owners)
        assert np.isnan(bootstrap_coefficients({"a": pairs}, units, 20)["a"]["pearson"]).all()

    def test_a_sample_with_one_value_has_none(self):
        pairs = SortedPairs(np.array([1.0, 2.0]), np.array([1.0, 2.0]))
        found = pairs.coefficients(np.array([[2.0, 0.0], [1.0, 1.0]]))
        assert math.isnan(found["kendall_b"][0])
        assert found["kendall_b"][1] == pytest.approx(1)

    def test_weights_count_rows_several_times(self):
        first, second = sample(12, 3)
        weights = np.random.default_rng(0).integers(0, 4, 12)
        found = coefficients_of(SortedPairs(first, second).sums(weights[np.newaxis].astype(float)))
        expected = by_scipy(np.repeat(first, weights), np.repeat(second, weights))
        for name in COEFFICIENTS:
            assert found[name][0] == pytest.approx(expected[name].statistic, abs=1e-12)


def test_mean_ranks_are_those_of_scipy():
    values = sample(50, 4)[0]
    np.testing.assert_array_equal(mean_ranks(values), stats.rankdata(values))
