"""The kernels of the encoder refuse arrays that do not fit each other."""

from __future__ import annotations

import numpy as np
import pytest

from caplens.learned.lens._encoding import Captions, add_up, add_windows, gather

IDS, OFFSETS = np.array([0, 2, 1], np.int32), np.array([0, 2, 3])
WIDTH, INNER = 2, 3


def zeros(*shape):
    return np.zeros(shape, np.float32)


@pytest.mark.parametrize(
    ("ids", "offsets"),
    [([0, 3, 1], [0, 2, 3]), ([0, -1, 1], [0, 2, 3]), ([0, 2, 1], [0, 2]), ([0, 2, 1], [0, 4, 3]), ([0], [])],
)
def test_captions_of_unknown_words(ids, offsets):
    with pytest.raises(ValueError, match="slices of their words"):
        Captions(np.array(ids, np.int32), np.array(offsets, np.int64), 2, 1)


def test_windows_reach_to_both_neighbours():
    table = np.arange(18, dtype=np.float32).reshape(3, 6)
    captions = Captions(IDS, OFFSETS, 3, 0)
    found = zeros(captions.rows, 2) + 9
    add_windows(captions, table, zeros(0, 6), np.array([100, 200], np.float32), found)
    behind, itself, before = table[:, :2], table[:, 2:4], table[:, 4:]
    bias = np.array([100, 200])
    expected = [
        zeros(2),
        bias + itself[0] + before[2],
        bias + behind[0] + itself[2],
        zeros(2),
        bias + itself[1],
        zeros(2),
    ]
    assert np.array_equal(found, expected)


def test_sums_of_words():
    table = np.arange(6, dtype=np.float32).reshape(3, 2)
    found = zeros(3, 2) + 9
    add_up(Captions(IDS, np.array([0, 2, 2, 3]), 2, 1), table[:2], table[2:], found)
    assert np.array_equal(found, [table[0] + table[2], [0, 0], table[1]])


@pytest.mark.parametrize(("below", "sums"), [((2, 2), (2, 2)), ((3, 3), (2, 2)), ((3, 2), (1, 2))])
def test_sums_that_do_not_fit(below, sums):
    with pytest.raises(ValueError, match=r"row|sum"):
        add_up(Captions(IDS, OFFSETS, 3, 0), zeros(*below), zeros(0, below[1]), zeros(*sums))


@pytest.mark.parametrize(
    ("below", "above", "bias", "states"),
    [
        ((2, 6), (0, 6), 2, (6, 2)),
        ((3, 5), (0, 5), 2, (6, 2)),
        ((3, 6), (0, 6), 3, (6, 2)),
        ((3, 6), (0, 6), 2, (5, 2)),
    ],
)
def test_windows_that_do_not_fit(below, above, bias, states):
    with pytest.raises(ValueError, match=r"row|state"):
        add_windows(Captions(IDS, OFFSETS, 3, 0), zeros(*below), zeros(*above), zeros(bias), zeros(*states))


@pytest.mark.parametrize(
    "changed",
    [
        {"below": (3, 4)},
        {"gates": (1, INNER)},
        {"biases": (3,)},
        {"states": (5, INNER)},
        {"vectors": (3, WIDTH)},
        {"weights": (2,)},
        {"means": (2, WIDTH)},
    ],
)
def test_words_that_do_not_fit(changed):
    shapes = {
        "below": (3, 2 * WIDTH + 1),
        "above": (0, 2 * WIDTH + 1),
        "gates": (2, INNER),
        "biases": (2,),
        "states": (6, INNER),
        "vectors": (4, WIDTH),
        "weights": (3,),
        "means": (2, WIDTH + 3 * INNER),
    }
    captions = Captions(IDS, OFFSETS, 3, 0)
    gather(captions, *(zeros(*shape) for shape in shapes.values()))
    with pytest.raises(ValueError, match=r"row|word|gates|caption"):
        gather(captions, *(zeros(*shape) for shape in {**shapes, **changed}.values()))
