"""Fitting of the composites: a logistic function of features of which none may lower the score."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt
from scipy.optimize import minimize

from caplens.arrays import Floats, Integers
from caplens.learned.composite.feedforward import FeedForward


@dataclass(frozen=True, eq=False)
class Targets:
    """What the function shall give: features, shape (rows, features), and a number from 0 to 1 for each row."""

    features: Floats
    wanted: Floats


@dataclass(frozen=True, eq=False)
class MonotoneLogistic:
    r"""A logistic function with weights that are not negative.

    .. math:: f(x) = \sigma\Big(b + \sum_i w_i \frac{x_i - \mu_i}{s_i}\Big),\qquad w_i \ge 0

    Examples
    --------
    >>> rows = np.array([[0.0, 1.0], [1.0, 0.0], [2.0, 1.0], [3.0, 0.0]])
    >>> found = fit(Targets(rows, np.array([0.0, 0.2, 0.8, 1.0])))
    >>> bool(found.weights[0] > 1), bool(found.weights[1] >= 0)
    (True, True)
    """

    mean: Floats
    deviation: Floats
    weights: Floats
    offset: float

    def __call__(self, features: Floats) -> Floats:
        """Return what stands inside the sigmoid, which has the same order as the score."""
        found: Floats = (features - self.mean) / self.deviation @ self.weights + self.offset
        return found

    def network(self, facts: dict[str, str]) -> FeedForward:
        """Return it as a network without hidden units."""
        layer = (self.weights[np.newaxis, :, np.newaxis], np.array([[self.offset]]))
        return FeedForward(self.mean, self.deviation, (layer,), "tanh", facts)


def fit(
    targets: Targets, better: Floats | None = None, preference: float = 0.1, penalty: float = 1e-3
) -> MonotoneLogistic:
    r"""Fit the weights.

    .. math:: \min_{w \ge 0, b} \operatorname{mean} H(t, f(x))
              + \lambda \operatorname{mean} \log(1 + e^{-w \cdot d / s}) + \rho \lVert w \rVert^2

    Parameters
    ----------
    targets : Targets
        Rows and what they shall get; H is the cross entropy.
    better : numpy.ndarray, shape (pairs, features), optional
        Features of a caption less those of a worse one, the d of the formula.
    preference, penalty : float
        The weight of the pairs, and that of large weights.
    """
    features, wanted = targets.features, targets.wanted
    mean, deviation = features.mean(axis=0), features.std(axis=0)
    deviation[deviation == 0] = 1.0
    rows = (features - mean) / deviation
    pairs = np.empty((0, rows.shape[1])) if better is None else better / deviation

    def loss(parameters: Floats) -> tuple[float, Floats]:
        weights, inside = parameters[:-1], rows @ parameters[:-1] + parameters[-1]
        error = 1 / (1 + np.exp(-inside)) - wanted
        value = float((np.logaddexp(0, inside) - wanted * inside).mean() + penalty * (weights**2).sum())
        slope = np.append(rows.T @ error / len(rows) + 2 * penalty * weights, error.mean())
        if len(pairs):
            lead = pairs @ weights
            value += preference * float(np.logaddexp(0, -lead).mean())
            slope[:-1] -= preference * pairs.T @ (1 / (1 + np.exp(lead))) / len(pairs)
        return value, slope

    start = np.append(np.full(rows.shape[1], 0.1), 0.0)
    bounds = [(0.0, None)] * rows.shape[1] + [(None, None)]
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    return MonotoneLogistic(mean, deviation, found[:-1], float(found[-1]))


def disjoint_folds(
    first: npt.ArrayLike, second: npt.ArrayLike, number: int, seed: int
) -> Iterator[tuple[Integers, Integers]]:
    """Yield rows to learn from and rows to test on that have neither image nor caption in common.

    Images and captions are each dealt into ``number`` groups; a test block is one group of each, and what is learned
    from has neither.

    Examples
    --------
    >>> folds = list(disjoint_folds(["a", "a", "b", "b"], ["x", "y", "x", "y"], 2, 0))
    >>> sorted(int(row) for _, tested in folds for row in tested), {len(learned) for learned, _ in folds}
    ([0, 1, 2, 3], {1})
    """
    generator = np.random.default_rng(seed)
    sides = []
    for labels in (first, second):
        distinct, places = np.unique(np.asarray(labels), return_inverse=True)
        sides.append((generator.permutation(len(distinct)) % number)[places])
    for left in range(number):
        for right in range(number):
            tested = (sides[0] == left) & (sides[1] == right)
            learned = (sides[0] != left) & (sides[1] != right)
            if tested.any():
                yield np.flatnonzero(learned), np.flatnonzero(tested)
