"""Feed-forward networks without torch, against a loop that follows the formula."""

from __future__ import annotations

import math
from itertools import pairwise

import numpy as np
import pytest

import caplens
from caplens.learned.composite.feedforward import BLOCK_ROWS, FeedForward, load

BEND = {"tanh": math.tanh, "relu": lambda x: max(x, 0.0), "softsign": lambda x: x / (1 + abs(x))}


def random_networks(seed=0, inputs=3, hidden=(4, 2), networks=2, activation="tanh"):
    generator = np.random.default_rng(seed)
    sizes = [inputs, *hidden, 1]
    layers = tuple(
        (generator.normal(size=(networks, before, after)), generator.normal(size=(networks, after)))
        for before, after in pairwise(sizes)
    )
    return FeedForward(generator.normal(size=inputs), generator.uniform(0.5, 2, inputs), layers, activation)


def by_hand(model, row):
    total = 0.0
    for network in range(model.networks):
        values = [(x - mean) / size for x, mean, size in zip(row, model.mean, model.deviation, strict=True)]
        for place, (weights, biases) in enumerate(model.layers):
            values = [
                sum(x * weights[network, i, o] for i, x in enumerate(values)) + biases[network, o]
                for o in range(weights.shape[2])
            ]
            if place < len(model.layers) - 1:
                values = [BEND[model.activation](value) for value in values]
        total += 1 / (1 + math.exp(-values[0]))
    return total / model.networks


@pytest.mark.parametrize("activation", ["tanh", "relu", "softsign"])
def test_it_follows_the_formula(activation):
    model = random_networks(activation=activation)
    rows = np.random.default_rng(1).normal(size=(20, 3))
    np.testing.assert_allclose(model(rows), [by_hand(model, row) for row in rows.tolist()], rtol=1e-5)


def test_a_row_does_not_depend_on_its_neighbours():
    model = random_networks(hidden=(16,))
    rows = np.random.default_rng(2).normal(size=(BLOCK_ROWS + 100, 3))
    whole = model(rows)
    for row in (0, 7, BLOCK_ROWS - 1, BLOCK_ROWS, BLOCK_ROWS + 99):
        assert model(rows[row : row + 1])[0] == whole[row]
    assert model(rows[:0]).shape == (0,)


def test_extreme_inputs_stay_probabilities():
    model = random_networks(activation="relu")
    found = model(np.full((1, 3), 1e6) * [[1, -1, 1]])
    assert 0 <= found[0] <= 1


def test_what_is_saved_is_loaded(tmp_path):
    model = FeedForward.averaged([random_networks(1), random_networks(1)], {"metric": "Eval_X"})
    model.save(tmp_path / "x.safetensors")
    again = load(tmp_path / "x.safetensors")
    rows = np.random.default_rng(3).normal(size=(5, 3))
    np.testing.assert_array_equal(again(rows), model(rows))
    assert again.fingerprint == model.fingerprint != random_networks(2).fingerprint
    assert (again.networks, again.inputs, again.facts) == (4, 3, {"metric": "Eval_X"})


def test_what_is_no_network_is_refused(tmp_path):
    from caplens.files.arrays import write_arrays

    with pytest.raises(caplens.MissingDataError, match="There is no weights file at"):
        load(tmp_path / "absent")
    (tmp_path / "text").write_text("hello")
    with pytest.raises(caplens.InputError, match="safetensors layout"):
        load(tmp_path / "text")
    model = random_networks()
    arrays = {"mean": model.mean, "deviation": model.deviation, "weights_0": model.layers[0][0]}
    for name, more in {"a": {}, "b": {"bias_0": np.zeros((2, 3))}, "c": {"bias_0": model.layers[0][1]}}.items():
        write_arrays(tmp_path / name, {**arrays, **more}, {"activation": "tanh"})
        with pytest.raises(caplens.InputError, match="not those of a feed-forward network"):
            load(tmp_path / name)
