"""The fit of the composites: weights that are not negative, preferences, and folds that share nothing."""

from __future__ import annotations

import importlib.util
import sys
from pathlib import Path

import numpy as np
import pytest
from scipy.optimize import approx_fprime

SCRIPT = Path(__file__).resolve().parents[3] / "training" / "composite" / "monotone.py"
specification = importlib.util.spec_from_file_location("monotone", SCRIPT)
monotone = importlib.util.module_from_spec(specification)
sys.modules["monotone"] = monotone  # where dataclasses look their module up
specification.loader.exec_module(monotone)
del sys.modules["monotone"]
Targets, disjoint_folds, fit = monotone.Targets, monotone.disjoint_folds, monotone.fit


@pytest.fixture
def rows():
    return np.random.default_rng(0).normal(size=(2000, 3)) * [1.0, 5.0, 0.1] + [0.0, 2.0, 1.0]


def sigmoid(values):
    return 1 / (1 + np.exp(-values))


def test_it_finds_the_function_that_made_the_targets(rows):
    wanted = sigmoid(0.8 * rows[:, 0] + 0.1 * rows[:, 1] - 0.5)
    found = fit(Targets(rows, wanted), penalty=0.0)
    np.testing.assert_allclose(found.weights / found.deviation, [0.8, 0.1, 0.0], atol=2e-3)
    np.testing.assert_allclose(sigmoid(found(rows)), wanted, atol=1e-3)
    np.testing.assert_allclose(found.network({})(rows), wanted, atol=1e-3)


def test_a_feature_that_speaks_against_gets_no_weight(rows):
    found = fit(Targets(rows, sigmoid(rows[:, 0] - 2 * rows[:, 2])))
    assert found.weights[0] > 0.5
    assert found.weights[2] == 0.0


def test_preferences_give_weight_to_what_the_targets_leave_open(rows):
    targets = Targets(rows, sigmoid(rows[:, 0]))
    better = np.zeros((50, 3))
    better[:, 1] = 5.0
    assert fit(targets).weights[1] == pytest.approx(0, abs=0.01)
    assert fit(targets, better, preference=0.3).weights[1] > 0.1
    assert fit(targets, better, preference=0.0).weights[1] == pytest.approx(0, abs=0.01)


def test_what_it_finds_is_the_minimum_of_its_formula(rows):
    wanted = sigmoid(rows[:, 0] + 0.2 * rows[:, 1])
    better = np.array([[0.1, 0.2, 0.3], [0.0, -0.1, 0.2]])
    found = fit(Targets(rows, wanted), better, preference=0.2, penalty=0.01)

    def loss(weights):
        inside = (rows - rows.mean(axis=0)) / rows.std(axis=0) @ weights + found.offset
        entropy = -(wanted * np.log(sigmoid(inside)) + (1 - wanted) * np.log(1 - sigmoid(inside))).mean()
        lead = better / rows.std(axis=0) @ weights
        return entropy + 0.2 * np.log(1 + np.exp(-lead)).mean() + 0.01 * (weights**2).sum()

    assert (found.weights > 0).all()
    np.testing.assert_allclose(approx_fprime(found.weights, loss, 1e-6), 0, atol=2e-4)


def test_folds_share_neither_images_nor_captions():
    generator = np.random.default_rng(1)
    images, captions = generator.integers(0, 40, 500), generator.integers(0, 25, 500)
    tested = []
    for learned, held in disjoint_folds(images, captions, 4, 3):
        assert not set(images[learned]) & set(images[held])
        assert not set(captions[learned]) & set(captions[held])
        tested.extend(held.tolist())
    assert sorted(tested) == list(range(500))
