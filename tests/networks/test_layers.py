"""The parts of small networks: products, maxima, and an LSTM against a plain one in double precision."""

import numpy as np
import pytest

from caplens.networks import Matrix, largest_rows
from caplens.networks._layers import run_lstm


def test_rows_of_a_product_do_not_depend_on_each_other():
    generator = np.random.default_rng(5)
    matrix = Matrix(generator.normal(size=(37, 45)).astype(np.float32), generator.normal(size=45).astype(np.float32))
    inputs = generator.normal(size=(29, 37)).astype(np.float32)
    whole = matrix(inputs)
    for first in range(29):
        for last in range(first, 30):
            assert np.array_equal(matrix(inputs[first:last]), whole[first:last])


def test_products_are_products():
    generator = np.random.default_rng(6)
    for depth, width, rows in ((1, 1, 1), (3, 16, 6), (160, 640, 13), (20, 17, 7), (5, 40, 0)):
        weights, bias = generator.normal(size=(depth, width)), generator.normal(size=width)
        inputs = generator.normal(size=(rows, depth)).astype(np.float32)
        expected = inputs.astype(float) @ weights + bias
        found = Matrix(weights.astype(np.float32), bias.astype(np.float32))(inputs)
        np.testing.assert_allclose(found, expected, atol=1e-4)
        every_other = np.repeat(inputs, 2, axis=0)[::2]
        assert np.array_equal(Matrix(weights.astype(np.float32), bias.astype(np.float32))(every_other), found)


def test_a_product_refuses_what_does_not_fit():
    matrix = Matrix(np.zeros((4, 2), np.float32))
    with pytest.raises(ValueError, match="rows of 4"):
        matrix(np.zeros((3, 5), np.float32))
    with pytest.raises(ValueError, match="neighbouring"):
        matrix(np.zeros((4, 3), np.float32).T)


def test_largest_rows_are_maxima():
    generator = np.random.default_rng(8)
    states = generator.normal(size=(12, 19)).astype(np.float32)
    offsets = np.array([0, 5, 6, 12], np.int32)
    expected = [states[first:last].max(axis=0) for first, last in ((0, 5), (5, 6), (6, 12))]
    assert np.array_equal(largest_rows(states, offsets), expected)
    assert largest_rows(states, np.array([0], np.int32)).shape == (0, 19)


def plain_lstm(inputs, recurrent):
    """Run an LSTM over rows of gates (input, forget, candidate, output)."""

    def sigmoid(x):
        return 1 / (1 + np.exp(-x))

    memory = state = np.zeros(len(recurrent))
    states = []
    for row in inputs.astype(float):
        let_in, keep, candidate, show = np.split(row + state @ recurrent, 4)
        memory = sigmoid(keep) * memory + sigmoid(let_in) * np.tanh(candidate)
        state = sigmoid(show) * np.tanh(memory)
        states.append(state)
    return np.array(states)


@pytest.mark.parametrize("backward", [False, True])
def test_an_lstm_is_an_lstm(backward):
    generator = np.random.default_rng(9)
    size, offsets = 10, np.array([0, 6, 9, 10], np.int32)
    recurrent = generator.normal(0, 0.5, (size, 4 * size)).astype(np.float32)
    inputs = generator.normal(size=(10, 4 * size)).astype(np.float32)
    rows = generator.permutation(10).astype(np.int32)
    found = np.empty((10, size), np.float32)
    run_lstm(Matrix(recurrent), inputs, rows, offsets, 0, backward, found, 0)
    for first, last in ((0, 6), (6, 9), (9, 10)):
        order = slice(None, None, -1) if backward else slice(None)
        expected = plain_lstm(inputs[rows[first:last]][order], recurrent.astype(float))[order]
        np.testing.assert_allclose(found[first:last], expected, atol=1e-5)
