"""P-values, effect size, Holm's correction."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from caplens.stats.resampling import Units, exchange_sums
from caplens.stats.significance import LEAST_RESAMPLES, holm, paired_effect_size, resamples_for, two_sided_p

probabilities = st.lists(st.floats(1e-6, 1), min_size=1, max_size=8)


class TestPValue:
    @pytest.mark.parametrize("resamples", [1, 10, 999])
    def test_it_is_never_zero(self, resamples):
        assert two_sided_p(np.zeros(resamples), 5.0) == 1 / (resamples + 1)

    def test_no_difference_is_no_evidence(self):
        assert two_sided_p(np.zeros(100), 0.0) == 1

    def test_it_counts_both_sides(self):
        assert (
            two_sided_p(np.array([-3.0, -1, 0, 1, 3]), 2.0) == two_sided_p(np.array([-3.0, -1, 0, 1, 3]), -2.0) == 0.5
        )

    def test_an_equal_difference_counts_in_spite_of_rounding(self):
        assert two_sided_p(np.array([0.1 + 0.2]), 0.3) == two_sided_p(np.array([0.3]), 0.1 + 0.2) == 1

    def test_without_a_difference_there_is_no_p_value(self):
        assert math.isnan(two_sided_p(np.zeros(10), float("nan")))

    def test_resamples_without_a_value_are_no_evidence(self):
        assert two_sided_p(np.array([np.nan, 0.5, 0.5]), 1.0) == 0.5
        assert math.isnan(two_sided_p(np.full(9, np.nan), 1.0))

    def test_random_exchanges_approach_all_exchanges(self):
        """The exact randomisation test of ten pairs, against random exchanges of the same pairs."""
        generator = np.random.default_rng(4)
        first, second = generator.normal(0.5, 1, 10), generator.normal(0, 1, 10)
        observed = first.mean() - second.mean()
        signs = np.array(list(product([1, -1], repeat=10)))
        exact = (np.abs(signs @ (first - second)) / 10 >= abs(observed) - 1e-12).mean()
        moved = exchange_sums((second - first)[:, np.newaxis], Units.of("abcdefghij"), 20_000)[:, 0]
        assert two_sided_p(observed + 2 * moved / 10, observed) == pytest.approx(exact, abs=0.015)


class TestEffectSize:
    def test_it_has_the_sign_of_the_mean(self):
        differences = np.array([0.5, 1.5, -0.2])
        assert paired_effect_size(differences) == pytest.approx(differences.mean() / differences.std(ddof=1))
        assert paired_effect_size(-differences) == -paired_effect_size(differences)

    @pytest.mark.parametrize(("differences", "size"), [([0.0, 0, 0], 0), ([2.0, 2], math.inf), ([-2.0, -2], -math.inf)])
    def test_without_spread(self, differences, size):
        assert paired_effect_size(np.array(differences)) == size

    @pytest.mark.parametrize("differences", [[], [1.0], [np.nan, 1.0]])
    def test_fewer_than_two_differences_have_none(self, differences):
        assert math.isnan(paired_effect_size(np.array(differences)))


class TestHolm:
    @given(probabilities)
    def test_it_is_the_written_out_procedure(self, p_values):
        """Sort; multiply the i-th smallest of m by m - i; never let a larger one come out below a smaller; cap at 1."""
        order = np.argsort(p_values, kind="stable")
        expected = np.empty(len(p_values))
        expected[order] = np.minimum(
            1, np.maximum.accumulate(np.array(p_values)[order] * np.arange(len(p_values), 0, -1))
        )
        np.testing.assert_allclose(holm(p_values), expected)

    @given(probabilities)
    def test_it_rejects_what_stepping_down_rejects(self, p_values):
        corrected = holm(p_values)
        rejected = set()
        for rank, place in enumerate(np.argsort(p_values, kind="stable")):
            if p_values[place] * (len(p_values) - rank) > 0.05:
                break
            rejected.add(int(place))
        assert {place for place, p in enumerate(corrected) if p <= 0.05} == rejected

    def test_one_test_needs_no_correction(self):
        assert holm([0.03]) == [0.03]
        assert holm([]) == []

    def test_a_test_without_a_p_value_is_none(self):
        assert holm([0.01, math.nan, 0.02])[::2] == [0.02, 0.02]
        assert math.isnan(holm([0.01, math.nan])[1])


class TestResamples:
    @pytest.mark.parametrize("family", [1, 2, 10, 45, 136, 1000])
    def test_the_correction_can_reject(self, family):
        resamples = resamples_for(family)
        smallest = 1 / (resamples + 1)
        assert max(holm([smallest] * family)) < 0.05
        assert resamples >= LEAST_RESAMPLES
