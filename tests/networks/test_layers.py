"""The parts of small networks: products, maxima, and an LSTM against a plain one in double precision."""

import pickle

import numpy as np
import pytest

from caplens.networks import Matrix, ShortMatrix, add_normalized, attention, largest_rows
from caplens.networks._layers import ALL_INSTRUCTIONS, run_lstm, use_instructions

SHAPES = ((1, 1, 1), (3, 16, 6), (160, 640, 13), (21, 17, 7), (512, 33, 100), (5, 40, 0))


@pytest.fixture(params=range(ALL_INSTRUCTIONS + 1))
def instructions(request):
    """Run a test with the loops for each kind of processor, as far as this one has them."""
    use_instructions(request.param)
    yield request.param
    use_instructions(ALL_INSTRUCTIONS)


def short_product(weights, inputs, bias, bound):
    """Multiply integers: inputs in steps of bound / 8192, columns as large as sums of 32 bits allow."""
    magnitudes = np.abs(weights)
    steps = np.minimum(32767 / magnitudes.max(axis=0), (2**31 / 8192 - len(weights)) / magnitudes.sum(axis=0))
    scaled = np.clip(inputs.astype(np.float32) * np.float32(8192 / bound), -8192, 8192).astype(float)
    integers = np.trunc(scaled + np.copysign(0.5, scaled)).astype(np.int64)
    sums = integers @ np.rint(weights * steps).astype(np.int64)
    assert np.abs(sums).max(initial=0) < 2**31
    return sums * (bound / 8192 / steps) + bias


@pytest.mark.parametrize("bound", [1.0, 2.0])
def test_short_products_are_those_of_integers_on_every_processor(instructions, bound):
    generator = np.random.default_rng(16)
    for depth, width, rows in SHAPES:
        weights, bias = (generator.normal(size=shape).astype(np.float32) for shape in ((depth, width), width))
        inputs = generator.uniform(-1.2 * bound, 1.2 * bound, (rows, depth)).astype(np.float32)
        matrix = ShortMatrix(weights, bias, bound)
        expected = short_product(weights.astype(float), inputs, bias, bound)
        np.testing.assert_allclose(matrix(inputs), expected, rtol=1e-5, atol=1e-5)
        exact = np.clip(inputs, -bound, bound).astype(float) @ weights + bias
        np.testing.assert_allclose(matrix(inputs), exact, atol=5e-3 * bound * depth**0.5)


def test_short_products_do_not_overflow(instructions):
    for weight in (1e-3, 1.0, 1e5):
        weights = np.full((512, 16), weight, np.float32)
        for sign in (1, -1):
            found = ShortMatrix(weights)(np.full((7, 512), sign, np.float32))
            np.testing.assert_allclose(found, sign * 512 * weight, rtol=2e-3)


def test_rows_of_a_short_product_do_not_depend_on_each_other(instructions):
    generator = np.random.default_rng(17)
    matrix = ShortMatrix(generator.normal(size=(37, 45)).astype(np.float32), bound=2.0)
    inputs = generator.uniform(-2, 2, (59, 37)).astype(np.float32)
    whole = matrix(inputs)
    for first in range(0, 59, 5):
        for last in range(first, 60, 7):
            assert np.array_equal(matrix(inputs[first:last]), whole[first:last])


def test_a_short_matrix_survives_pickling_and_zeros():
    weights = np.random.default_rng(18).normal(size=(9, 20)).astype(np.float32)
    weights[:, 3] = 0
    matrix, inputs = ShortMatrix(weights, bound=2.0), np.linspace(-2, 2, 18, dtype=np.float32).reshape(2, 9)
    copy = pickle.loads(pickle.dumps(matrix))
    assert isinstance(copy, ShortMatrix)
    assert copy.bound == 2
    assert np.array_equal(copy(inputs), matrix(inputs))
    assert not matrix(inputs)[:, 3].any()


def test_a_short_matrix_refuses_what_does_not_fit():
    with pytest.raises(ValueError, match="at most 512"):
        ShortMatrix(np.zeros((513, 2), np.float32))
    with pytest.raises(ValueError, match="above 0"):
        ShortMatrix(np.zeros((4, 2), np.float32), bound=0.0)


def test_rows_of_a_product_do_not_depend_on_each_other():
    generator = np.random.default_rng(5)
    matrix = Matrix(generator.normal(size=(37, 45)).astype(np.float32), generator.normal(size=45).astype(np.float32))
    inputs = generator.normal(size=(29, 37)).astype(np.float32)
    whole = matrix(inputs)
    for first in range(29):
        for last in range(first, 30):
            assert np.array_equal(matrix(inputs[first:last]), whole[first:last])


def test_products_are_products(instructions):
    generator = np.random.default_rng(6)
    for depth, width, rows in SHAPES:
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


def test_attention_and_normalised_sums_refuse_what_does_not_fit():
    rows, offsets = np.ones((4, 6), np.float32), np.array([0, 4], np.int32)
    with pytest.raises(ValueError, match="cut into heads"):
        attention(rows, offsets, np.ones((4, 12), np.float32), offsets, 4)
    with pytest.raises(ValueError, match="keys and values as wide"):
        attention(rows, offsets, rows, offsets, 2)
    with pytest.raises(ValueError, match="must lie between 0 and 4"):
        attention(rows, np.array([0, 5], np.int32), np.ones((4, 12), np.float32), offsets, 2)
    with pytest.raises(ValueError, match="rows of 6 numbers"):
        add_normalized(rows, rows[:3], np.ones(6, np.float32), np.ones(6, np.float32), 1e-12)
