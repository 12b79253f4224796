"""Weights against a slow version of the generator, their distribution, and sums against explicit loops."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from caplens.stats import resampling
from caplens.stats.resampling import Units, bootstrap_sums, exchange_sums, percentile_interval

MASK = 2**64 - 1
GOLDEN = 0x9E3779B97F4A7C15
# 1/e by its series, to far below 2**-64.
INVERSE_E = sum(Fraction((-1) ** k, math.factorial(k)) for k in range(40))


def slow_mix(value):
    value = ((value ^ value >> 30) * 0xBF58476D1CE4E5B9) & MASK
    value = ((value ^ value >> 27) * 0x94D049BB133111EB) & MASK
    return value ^ value >> 31


def slow_key(label):
    text = label.encode("utf-8", "surrogatepass")
    key = slow_mix((len(text) + GOLDEN) & MASK)
    for start in range(0, len(text), 8):
        key = slow_mix(((key ^ int.from_bytes(text[start : start + 8], "little")) + GOLDEN) & MASK)
    return key


def slow_bits(seed, number, purpose, label):
    word = slow_mix((slow_mix((seed + GOLDEN) & MASK) + (number + 1) * purpose) & MASK)
    return slow_mix((slow_key(label) + word) & MASK)


def slow_count(seed, sample, label):
    """The inverse of the Poisson distribution function at 32 random bits."""
    bits = slow_bits(seed, sample // 2, 0xD1342543DE82EF95, label) >> 32 * (sample % 2) & 0xFFFFFFFF
    count, term = 0, INVERSE_E
    below = term
    while count < 12 and bits >= math.floor(below * 2**32):
        count += 1
        term /= count
        below += term
    return count


def slow_coin(seed, sample, label):
    return slow_bits(seed, sample // 64, 0xAEF17502108EF2D9, label) >> sample % 64 & 1


def numbered(count):
    return Units.of(map(str, range(count)))


@pytest.fixture
def table():
    return np.column_stack([np.random.default_rng(1).normal(size=(30, 3)), np.ones(30)])


class TestGenerator:
    LABELS = ("1", "dog.jpg", "COCO_val2014_000000391895.jpg", "", "eight by", "犬", "a\ud800")

    @pytest.mark.parametrize("seed", [0, 12345, 2**64 - 1])
    @pytest.mark.parametrize(("draw", "slow"), [("bootstrap_weights", slow_count), ("exchange_weights", slow_coin)])
    @pytest.mark.parametrize("first", [0, 1, 63, 1000])
    def test_weights_are_those_of_the_slow_version(self, seed, draw, slow, first):
        units = Units.of(self.LABELS)
        weights = getattr(units, draw)(first, first + 130, seed)[:, units.owners]
        assert weights.tolist() == [[slow(seed, first + row, label) for label in self.LABELS] for row in range(130)]

    def test_many_weights_are_those_of_the_slow_version(self):
        """Enough for numbers that the first bits do not decide, and for counts of 6 and 7."""
        labels = [f"image {number}" for number in range(3000)]
        units = Units.of(labels)
        weights = units.bootstrap_weights(0, 10, 3)[:, units.owners]
        assert weights.max() >= 6
        assert weights.tolist() == [[slow_count(3, sample, label) for label in labels] for sample in range(10)]

    def test_units_drawn_very_often_have_the_same_weights_alone(self):
        """Several units are drawn at a time in two samples at a time, and otherwise one by one."""
        keys = np.random.default_rng(0).integers(2**64, size=1_000_003, dtype=np.uint64)
        together, alone = np.empty((2, len(keys))), np.empty((2, len(keys)))
        resampling._resampling.bootstrap_weights(5, 0, keys, together)
        for sample in range(2):
            resampling._resampling.bootstrap_weights(5, sample, keys, alone[sample : sample + 1])
        assert alone.max() >= 8
        assert np.array_equal(together, alone)

    def test_labels_have_different_keys(self):
        assert len(set(numbered(100_000).keys.tolist())) == 100_000

    def test_a_key_needs_a_column(self):
        with pytest.raises(ValueError, match="one column of weights"):
            resampling._resampling.bootstrap_weights(1, 0, np.zeros(3, np.uint64), np.zeros((2, 4)))
        with pytest.raises(ValueError, match="one column of weights"):
            resampling._resampling.exchange_weights(1, 0, np.zeros(3, np.uint64), np.zeros((2, 4)))

    @pytest.mark.parametrize(("samples", "columns"), [(1, 1), (4, 8), (7, 19)])
    def test_sums_under_weights_are_products_of_matrices(self, samples, columns):
        generator = np.random.default_rng(samples)
        weights = generator.integers(0, 13, (samples, 50)).astype(float)
        rows = generator.integers(-99, 99, (60, columns))
        table = resampling._tiled(rows.astype(float))
        sums = np.zeros((len(table), samples + 3, 8))
        resampling._resampling.add_weighted(weights, table, 10, sums, 2)
        found = sums.transpose(1, 0, 2).reshape(samples + 3, -1)
        np.testing.assert_array_equal(found[2:-1, :columns], weights @ rows[10:])
        assert not found[:2].any()
        assert not found[-1].any()
        assert not found[:, columns:].any()

    @pytest.mark.parametrize(("row", "sample"), [(-1, 0), (3, 0), (0, 1)])
    def test_sums_have_room_for_all_weights(self, row, sample):
        with pytest.raises(ValueError, match="do not fit"):
            resampling._resampling.add_weighted(np.ones((2, 4)), np.ones((1, 6, 8)), row, np.ones((1, 2, 8)), sample)


class TestUnits:
    LABELS = ("b", "a", "b", "c", "a")

    def test_rows_of_one_label_belong_together(self):
        units = Units.of(self.LABELS)
        assert len(units) == 3
        assert units.owners[0] == units.owners[2] != units.owners[1] == units.owners[4]

    def test_some_rows_keep_their_weights(self):
        """A shard draws what the whole draws."""
        whole = numbered(500)
        rows = np.random.default_rng(0).choice(500, size=80, replace=False)
        part = whole.take(rows)
        for draw in ("bootstrap_weights", "exchange_weights"):
            theirs = getattr(whole, draw)(0, 40, 7)[:, whole.owners[rows]]
            np.testing.assert_array_equal(getattr(part, draw)(0, 40, 7)[:, part.owners], theirs)
            alone = Units.of(str(row) for row in rows)
            np.testing.assert_array_equal(getattr(alone, draw)(0, 40, 7)[:, alone.owners], theirs)

    def test_rows_of_a_unit_are_added(self):
        units = Units.of(self.LABELS)
        sums = units.sum_rows(np.arange(10.0).reshape(5, 2))
        assert sums[units.owners[[0, 1, 3]]].tolist() == [[4, 6], [10, 12], [6, 7]]

    def test_no_columns_have_no_sums(self):
        assert Units.of(self.LABELS).sum_rows(np.empty((5, 0))).shape == (3, 0)

    @pytest.mark.parametrize(("count", "fewest"), [(2, 1), (5, 1), (5, 3), (8, 3), (resampling.MANY - 1, 3)])
    def test_resamples_with_few_units_are_left_out_and_counted(self, count, fewest):
        units = Units.of(map(str, range(count)), fewest)
        drawn = np.count_nonzero(units.bootstrap_weights(0, 2000, 1), axis=1)
        assert units.left_out(2000, seed=1) == np.count_nonzero(drawn < fewest)
        sums = bootstrap_sums(np.ones((count, 1)), units, 2000, seed=1)
        np.testing.assert_array_equal(np.isnan(sums[:, 0]), drawn < fewest)

    @pytest.mark.parametrize("count", [2, 4])
    def test_as_many_are_empty_as_chance_says(self, count):
        share = numbered(count).left_out(20_000, seed=1) / 20_000
        assert share == pytest.approx(math.exp(-count), rel=0.2)

    def test_one_unit_says_nothing(self):
        units = Units.of(["a", "a", "a"])
        assert units.left_out(50, seed=1) == 50
        assert np.isnan(bootstrap_sums(np.ones((3, 2)), units, 50)).all()


class TestBootstrap:
    def test_the_mean_of_the_sums_is_the_sum(self, table):
        sums = bootstrap_sums(table, numbered(30), 20_000)
        error = np.sqrt((table**2).sum(axis=0) / 20_000)
        assert (np.abs(sums.mean(axis=0) - table.sum(axis=0)) <= 4 * error).all()

    def test_sums_equal_a_loop_over_the_same_draws(self, table):
        draws = bootstrap_sums(np.eye(30), numbered(30), 40, seed=7).astype(int)  # how often each row is drawn
        expected = [table[np.repeat(np.arange(30), counts)].sum(axis=0) for counts in draws]
        np.testing.assert_allclose(bootstrap_sums(table, numbered(30), 40, seed=7), expected, rtol=1e-12, atol=1e-12)

    def test_counts_are_poisson_numbers(self):
        """200,000 counts: the share of each number, within five standard errors."""
        draws = numbered(1000).bootstrap_weights(0, 200, 1)
        assert draws.mean() == pytest.approx(1, abs=5 / np.sqrt(draws.size))
        assert draws.var() == pytest.approx(1, abs=5 * np.sqrt(3 / draws.size))
        for number in range(8):
            chance = math.exp(-1) / math.factorial(number)
            assert (draws == number).mean() == pytest.approx(chance, abs=5 * np.sqrt(chance / draws.size))

    @pytest.mark.parametrize("rows", [2, 7, 64])
    def test_every_row_is_drawn_as_often_as_chance_says(self, rows):
        draws = numbered(rows).bootstrap_weights(0, 20_000, 12345)
        assert np.abs(draws.mean(axis=0) - 1).max() < 5 / np.sqrt(20_000)
        assert draws.var(axis=0) == pytest.approx(np.ones(rows), abs=5 * np.sqrt(3 / 20_000))

    def test_samples_and_seeds_are_independent(self):
        draws = [numbered(500).bootstrap_weights(0, 40, seed) - 1 for seed in (0, 1)]
        correlations = np.corrcoef(np.concatenate(draws)) - np.eye(80)
        assert np.abs(correlations).max() < 5.5 / np.sqrt(500)

    def test_units_are_independent(self):
        correlations = np.corrcoef(numbered(80).bootstrap_weights(0, 2000, 3).T) - np.eye(80)
        assert np.abs(correlations).max() < 5.5 / np.sqrt(2000)

    def test_groups_are_drawn_together(self):
        groups = np.repeat(np.arange(10), 3)
        table = np.column_stack([(groups == number).astype(float) for number in range(10)])
        assert (bootstrap_sums(table, Units.of(map(str, groups)), 200) % 3 == 0).all()

    def test_groups_widen_the_interval_of_repeated_rows(self):
        rows = np.repeat(np.random.default_rng(0).normal(size=50), 4)[:, np.newaxis]
        alone = percentile_interval(bootstrap_sums(rows, numbered(200), 2000)[:, 0])
        images = Units.of(map(str, np.repeat(np.arange(50), 4)))
        together = percentile_interval(bootstrap_sums(rows, images, 2000)[:, 0])
        assert (together[1] - together[0]) / (alone[1] - alone[0]) == pytest.approx(2, rel=0.15)  # sqrt(4)

    @pytest.mark.parametrize(("mean", "images"), [(0, 1), (10, 1), (3, 4)])
    def test_the_interval_covers_the_mean_as_often_as_it_says(self, mean, images):
        """Sums are divided by the number of rows drawn, so a mean far from 0 does not widen the interval."""
        generator = np.random.default_rng(3)
        covered, widths = 0, []
        for trial in range(300):
            rows = mean + np.repeat(generator.normal(size=80), images)
            units = Units.of(f"{trial} {number // images}" for number in range(len(rows)))
            sums = bootstrap_sums(np.column_stack([rows, np.ones_like(rows)]), units, 400)
            low, high = percentile_interval(sums[:, 0] / sums[:, 1])
            covered += low <= mean <= high
            widths.append(high - low)
        assert 0.90 <= covered / 300 <= 0.98
        assert np.mean(widths) == pytest.approx(2 * 1.96 / np.sqrt(80), rel=0.05)


class TestExchange:
    def test_each_row_is_in_half_of_the_samples(self):
        shares = exchange_sums(np.eye(20), numbered(20), 4000).mean(axis=0)
        assert np.abs(shares - 0.5).max() < 4 * 0.5 / np.sqrt(4000)

    def test_samples_are_independent(self):
        correlations = np.corrcoef(exchange_sums(np.eye(500), numbered(500), 80)) - np.eye(80)
        assert np.abs(correlations).max() < 5.5 / np.sqrt(500)

    def test_exchanges_do_not_follow_the_bootstrap(self):
        units = numbered(5000)
        counts, coins = units.bootstrap_weights(0, 8, 1), units.exchange_weights(0, 8, 1)
        correlations = np.corrcoef(np.concatenate([counts, coins]))[:8, 8:]
        assert np.abs(correlations).max() < 5 / np.sqrt(5000)

    def test_rows_are_in_or_out(self):
        assert set(exchange_sums(np.eye(5), numbered(5), 100).ravel()) == {0, 1}

    def test_groups_are_exchanged_together(self):
        sums = exchange_sums(np.eye(6), Units.of("aabbcc"), 100)
        assert sums.shape == (100, 6)
        assert (sums[:, 0::2] == sums[:, 1::2]).all()


@pytest.mark.parametrize("draw", [bootstrap_sums, exchange_sums])
class TestBoth:
    def test_the_seed_decides(self, table, draw):
        units = numbered(30)
        assert (draw(table, units, 20, seed=5) == draw(table, units, 20, seed=5)).all()
        assert not (draw(table, units, 20, seed=5) == draw(table, units, 20, seed=6)).all()

    @pytest.mark.parametrize("images", [1, 3])
    def test_the_order_of_rows_does_not_change_a_bit(self, draw, images):
        generator = np.random.default_rng(4)
        table = generator.normal(size=(900, 4)) * 10.0 ** generator.integers(-8, 8, size=(900, 4))
        labels = np.array([f"image {row // images}" for row in range(900)])
        whole = draw(table, Units.of(labels), 50)
        for _ in range(5):
            order = generator.permutation(900)
            np.testing.assert_array_equal(draw(table[order], Units.of(labels[order]), 50), whole)

    def test_other_columns_do_not_change_a_bit(self, draw):
        table = np.random.default_rng(4).normal(size=(700, 9))
        units = numbered(700)
        whole = draw(table, units, 30)
        for columns in ([0], [3, 8], [8, 2, 5, 1]):
            np.testing.assert_array_equal(draw(table[:, columns], units, 30), whole[:, columns])

    def test_sums_of_shards_add_up(self, draw):
        table = np.random.default_rng(4).normal(size=(700, 3))
        units = numbered(700)
        shards = np.array_split(np.random.default_rng(5).permutation(700), 4)
        parts = [draw(table[rows], units.take(rows), 30) for rows in shards]
        np.testing.assert_allclose(np.sum(parts, axis=0), draw(table, units, 30), rtol=0, atol=1e-12)

    @pytest.mark.parametrize("rows", [2, 7, 8, 9, 1000])
    @pytest.mark.parametrize("jobs", [1, 3])
    def test_blocks_and_threads_do_not_change_a_bit(self, monkeypatch, draw, rows, jobs):
        table = np.random.default_rng(2).normal(size=(rows, 2))
        whole = draw(table, numbered(rows), 33)
        monkeypatch.setattr(resampling, "BLOCK_RESAMPLES", 4)
        if rows > 9:  # resamples that draw too few of a few units are told by all of them
            monkeypatch.setattr(resampling, "BLOCK_UNITS", 300)
        np.testing.assert_array_equal(draw(table, numbered(rows), 33, jobs=jobs), whole)


class TestInterval:
    def test_what_does_not_exist_is_left_out(self):
        assert percentile_interval(np.array([np.nan, *np.arange(101.0), np.inf])) == pytest.approx((2.5, 97.5))

    def test_nothing_has_no_interval(self):
        assert np.isnan(percentile_interval(np.array([np.nan]))).all()
