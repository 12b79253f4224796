"""Bootstrap and exchange sums against explicit loops."""

from __future__ import annotations

import numpy as np
import pytest

from caplens.stats import resampling
from caplens.stats.resampling import bootstrap_sums, exchange_sums, percentile_interval, sum_groups


@pytest.fixture
def table():
    return np.column_stack([np.random.default_rng(1).normal(size=(30, 3)), np.ones(30)])


class TestBootstrap:
    def test_every_sample_has_as_many_rows_as_the_table(self, table):
        assert bootstrap_sums(table, 50)[:, -1].tolist() == [30] * 50

    def test_the_mean_of_the_sums_is_the_sum(self, table):
        sums = bootstrap_sums(table, 20_000)
        error = table.std(axis=0) * np.sqrt(30 / 20_000)
        assert (np.abs(sums.mean(axis=0) - table.sum(axis=0)) <= 4 * error).all()

    def test_sums_equal_a_loop_over_the_same_draws(self, table):
        draws = bootstrap_sums(np.eye(30), 40, seed=7).astype(int)  # how often each row is drawn
        expected = [table[np.repeat(np.arange(30), counts)].sum(axis=0) for counts in draws]
        np.testing.assert_allclose(bootstrap_sums(table, 40, seed=7), expected, rtol=1e-12, atol=1e-12)

    @pytest.mark.parametrize("rows", [1, 2, 7, 64])
    def test_every_row_is_drawn_as_often_as_chance_says(self, rows):
        """Counts of a row over samples are binomial: mean 1, variance 1 - 1 / rows."""
        draws = bootstrap_sums(np.eye(rows), 20_000)
        assert np.abs(draws.mean(axis=0) - 1).max() < 5 / np.sqrt(20_000)
        assert draws.var(axis=0) == pytest.approx(np.full(rows, 1 - 1 / rows), abs=0.06)

    def test_samples_and_seeds_are_independent(self):
        draws = [bootstrap_sums(np.eye(500), 40, seed=seed) - 1 for seed in (0, 1)]
        correlations = np.corrcoef(np.concatenate(draws)) - np.eye(80)
        assert np.abs(correlations).max() < 5.5 / np.sqrt(500)

    def test_groups_are_drawn_together(self):
        groups = np.repeat(np.arange(10), 3)
        table = np.column_stack([(groups == number).astype(float) for number in range(10)])
        sums = bootstrap_sums(table, 200, groups=groups)
        assert (sums % 3 == 0).all()
        assert (sums.sum(axis=1) == 30).all()

    def test_groups_of_different_sizes_change_the_number_of_rows(self):
        sums = bootstrap_sums(np.ones((6, 1)), 100, groups=np.array([0, 0, 0, 0, 1, 2]))
        assert set(sums.ravel()) <= {3, 6, 9, 12}
        assert len(set(sums.ravel())) > 1

    def test_groups_widen_the_interval_of_repeated_rows(self):
        rows = np.repeat(np.random.default_rng(0).normal(size=50), 4)[:, np.newaxis]
        alone = percentile_interval(bootstrap_sums(rows, 2000)[:, 0])
        together = percentile_interval(bootstrap_sums(rows, 2000, groups=np.repeat(np.arange(50), 4))[:, 0])
        assert (together[1] - together[0]) / (alone[1] - alone[0]) == pytest.approx(2, rel=0.15)  # sqrt(4)

    def test_the_interval_covers_the_mean_as_often_as_it_says(self):
        generator = np.random.default_rng(3)
        covered = 0
        for sample in generator.normal(size=(300, 80)):
            low, high = percentile_interval(bootstrap_sums(sample[:, np.newaxis], 400)[:, 0] / 80)
            covered += low <= 0 <= high
        assert 0.90 <= covered / 300 <= 0.98


class TestExchange:
    def test_each_row_is_in_half_of_the_samples(self):
        shares = exchange_sums(np.eye(20), 4000).mean(axis=0)
        assert np.abs(shares - 0.5).max() < 4 * 0.5 / np.sqrt(4000)

    def test_samples_are_independent(self):
        correlations = np.corrcoef(exchange_sums(np.eye(500), 80)) - np.eye(80)
        assert np.abs(correlations).max() < 5.5 / np.sqrt(500)

    def test_rows_are_in_or_out(self):
        assert set(exchange_sums(np.eye(5), 100).ravel()) == {0, 1}

    def test_groups_are_exchanged_together(self):
        sums = exchange_sums(np.eye(6), 100, groups=np.array([0, 0, 1, 1, 2, 2]))
        assert sums.shape == (100, 6)
        assert (sums[:, 0::2] == sums[:, 1::2]).all()


class TestBoth:
    @pytest.mark.parametrize("draw", [bootstrap_sums, exchange_sums])
    def test_the_seed_decides(self, table, draw):
        assert (draw(table, 20, seed=5) == draw(table, 20, seed=5)).all()
        assert not (draw(table, 20, seed=5) == draw(table, 20, seed=6)).all()

    @pytest.mark.parametrize("draw", [bootstrap_sums, exchange_sums])
    @pytest.mark.parametrize("rows", [1, 7, 8, 9, 1000])
    def test_blocks_do_not_change_the_draws(self, monkeypatch, draw, rows):
        table = np.random.default_rng(2).normal(size=(rows, 2))
        whole = draw(table, 33)
        monkeypatch.setattr(resampling, "BLOCK_ELEMENTS", 4 * rows)
        np.testing.assert_allclose(draw(table, 33), whole, rtol=1e-12, atol=1e-12)

    def test_groups_may_have_any_numbers(self, table):
        sums = sum_groups(table, np.where(np.arange(30) < 10, 99, -5))
        np.testing.assert_allclose(sums, [table[10:].sum(axis=0), table[:10].sum(axis=0)])


class TestInterval:
    def test_what_does_not_exist_is_left_out(self):
        assert percentile_interval(np.array([np.nan, *np.arange(101.0), np.inf])) == pytest.approx((2.5, 97.5))

    def test_nothing_has_no_interval(self):
        assert np.isnan(percentile_interval(np.array([np.nan]))).all()
