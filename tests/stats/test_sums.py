"""Sums that no order of the rows changes, against exact ones."""

from __future__ import annotations

import math

import numpy as np
import pytest

from caplens.stats.sums import ExactColumns, column_sums


def wild(rows, generator):
    """Numbers of very different sizes and signs."""
    return generator.normal(size=(rows, 5)) * 10.0 ** generator.integers(-12, 12, size=(rows, 5))


@pytest.mark.parametrize("rows", [1, 2, 3, 1000, 5000])
def test_sums_are_those_of_exact_addition(rows):
    table = wild(rows, np.random.default_rng(rows))
    expected = [math.fsum(column) for column in table.T.tolist()]
    scale = np.abs(table).max(axis=0)
    assert (np.abs(column_sums(table) - expected) <= 1e-15 * np.maximum(scale, np.abs(expected))).all()


def test_no_order_changes_a_bit():
    generator = np.random.default_rng(0)
    table = wild(2000, generator)
    whole = column_sums(table)
    for _ in range(20):
        np.testing.assert_array_equal(column_sums(generator.permutation(table)), whole)
    assert any((generator.permutation(table).sum(axis=0) != table.sum(axis=0)).any() for _ in range(20))


def test_counts_need_no_second_column():
    table = np.random.default_rng(1).integers(0, 10_000, size=(500, 3)).astype(float)
    assert ExactColumns(table).parts.shape == (500, 3)
    assert column_sums(table).tolist() == table.sum(axis=0).tolist()


def test_small_and_large_numbers_do_not_overflow():
    table = np.array([[5e-324, 1e-260, 1e300, 0.0], [5e-324, 2e-260, 2e300, 0.0]])
    np.testing.assert_allclose(column_sums(table), [0, 3e-260, 3e300, 0], rtol=1e-15, atol=1e-320)


def test_what_is_not_finite_stays_so():
    table = np.array([[np.inf, np.nan, -np.inf, 0.1], [1.0, 2.0, 3.0, 0.2]])
    sums = column_sums(table)
    assert sums[0] == np.inf
    assert np.isnan(sums[1])
    assert sums[2] == -np.inf
    assert sums[3] == pytest.approx(0.3)


@pytest.mark.parametrize("shape", [(0, 3), (4, 0), (0, 0)])
def test_nothing_has_empty_sums(shape):
    assert column_sums(np.empty(shape)).tolist() == [0.0] * shape[1]
