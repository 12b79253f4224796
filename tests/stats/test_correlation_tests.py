"""Williams' test against an independent computation, randomisation against all exchanges."""

from __future__ import annotations

import math
from itertools import product

import numpy as np
import pytest

from caplens.stats.correlation import COEFFICIENTS, correlate
from caplens.stats.correlation_tests import exchanged_coefficients, williams
from caplens.stats.resampling import Units
from caplens.stats.significance import two_sided_p

stats = pytest.importorskip("scipy.stats")


def written_out(r13, r23, r12, n):
    """Steiger (1980), eq. 7: the determinant of the correlation matrix, and the mean of the two correlations."""
    determinant = np.linalg.det([[1, r12, r13], [r12, 1, r23], [r13, r23, 1]])
    mean = (r13 + r23) / 2
    scale = math.sqrt((n - 1) * (1 + r12) / (2 * (n - 1) / (n - 3) * determinant + mean**2 * (1 - r12) ** 3))
    t = (r13 - r23) * scale
    return t, stats.t.sf(t, n - 3)


class TestWilliams:
    @pytest.mark.parametrize("rows", [4, 12, 100, 16_992])
    @pytest.mark.parametrize("correlations", [(0.5, 0.4, 0.6), (0.4, 0.5, 0.6), (0.1, -0.2, 0.3), (0.88, 0.43, 0.5)])
    def test_it_equals_the_formula_by_the_determinant(self, correlations, rows):
        found = williams(*correlations, rows)
        t, p = written_out(*correlations, rows)
        assert (found.t, found.p, found.degrees) == (pytest.approx(t, rel=1e-9), pytest.approx(p, rel=1e-7), rows - 3)

    def test_it_is_antisymmetric(self):
        one, other = williams(0.5, 0.3, 0.7, 50), williams(0.3, 0.5, 0.7, 50)
        assert one.t == -other.t
        assert one.p + other.p == pytest.approx(1)

    def test_equally_good_metrics_show_nothing(self):
        assert (williams(0.4, 0.4, 0.2, 30).t, williams(0.4, 0.4, 0.2, 30).p) == (0, 0.5)

    def test_a_metric_against_itself_shows_nothing(self):
        scores = np.random.default_rng(0).normal(size=(2, 40))
        value = correlate(*scores)["pearson"].value
        itself = correlate(scores[0], scores[0] * 3 + 1)["pearson"].value
        assert (williams(value, value, itself, 40).t, williams(value, value, itself, 40).p) == (0, 0.5)

    @pytest.mark.parametrize(
        ("correlations", "rows"),
        [
            ((0.5, 0.4, 0.6), 3),
            ((0.9, -0.9, 0.9), 50),  # no data can have these three correlations
            ((0.5, -0.5, -1.0), 50),  # exact opposites
            ((float("nan"), 0.4, 0.6), 50),
        ],
    )
    def test_where_there_is_none(self, correlations, rows):
        assert math.isnan(williams(*correlations, rows).t)
        assert math.isnan(williams(*correlations, rows).p)

    def test_it_keeps_its_level_on_normal_data(self):
        """Two equally good metrics: one in twenty tests rejects at .05."""
        generator = np.random.default_rng(1)
        rejected = 0
        for _ in range(1000):
            human = generator.normal(size=60)
            first, second = human + generator.normal(size=60), human + generator.normal(size=60)
            r12, r13, r23 = np.corrcoef([first, second, human])[[0, 0, 1], [1, 2, 2]]
            rejected += williams(r13, r23, r12, 60).p < 0.05
        assert 25 <= rejected <= 75


def rows_alone(count):
    return Units.of(map(str, range(count)))


class TestExchanges:
    def test_they_approach_all_exchanges(self):
        generator = np.random.default_rng(4)
        human = generator.integers(1, 5, 9).astype(float)
        first, second = human + generator.normal(size=9), human + 3 * generator.normal(size=9)
        ranks = np.array([stats.rankdata(first), stats.rankdata(second)])
        observed = stats.kendalltau(first, human).statistic - stats.kendalltau(second, human).statistic
        null = []
        for signs in product([0, 1], repeat=9):
            chosen = np.array(signs)
            ours, theirs = np.where(chosen, ranks[1], ranks[0]), np.where(chosen, ranks[0], ranks[1])
            null.append(stats.kendalltau(ours, human).statistic - stats.kendalltau(theirs, human).statistic)
        exact = np.mean(np.abs(null) >= abs(observed) - 1e-12)
        samples = exchanged_coefficients(first, second, human, "kendall_b", rows_alone(9), resamples=5000)
        found = two_sided_p(samples[0] - samples[1], observed)
        assert found == pytest.approx(exact, abs=0.03)

    def test_images_are_exchanged_whole(self):
        generator = np.random.default_rng(2)
        human = generator.normal(size=30)
        samples = exchanged_coefficients(
            human + generator.normal(size=30),
            generator.normal(size=30),
            human,
            "pearson",
            Units.of(map(str, np.repeat(np.arange(2), 15))),
            resamples=200,
        )
        assert len(np.unique(samples[0].round(12))) == 4

    @pytest.mark.parametrize("coefficient", COEFFICIENTS)
    def test_a_metric_and_its_copy_cannot_be_told_apart(self, coefficient):
        generator = np.random.default_rng(3)
        human, metric = generator.normal(size=(2, 25))
        ours, theirs = exchanged_coefficients(metric, metric * 2 + 1, human, coefficient, rows_alone(25), resamples=50)
        np.testing.assert_allclose(ours, theirs, atol=1e-9)

    def test_threads_do_not_change_them(self):
        scores = np.random.default_rng(3).normal(size=(3, 25))
        units = rows_alone(25)
        one, two = (exchanged_coefficients(*scores, "spearman", units, resamples=100, jobs=jobs) for jobs in (1, 2))
        np.testing.assert_array_equal(one, two)

    @pytest.mark.parametrize("coefficient", COEFFICIENTS)
    def test_the_order_of_rows_does_not_change_a_bit(self, coefficient):
        generator = np.random.default_rng(8)
        scores = generator.integers(0, 9, size=(3, 60)) / 7
        images = np.array([f"image {row // 2}" for row in range(60)])
        whole = exchanged_coefficients(*scores, coefficient, Units.of(images), resamples=40)
        for _ in range(3):
            order = generator.permutation(60)
            found = exchanged_coefficients(*scores[:, order], coefficient, Units.of(images[order]), resamples=40)
            np.testing.assert_array_equal(found, whole)
