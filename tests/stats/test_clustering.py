"""The order of similar things against all orders of scipy's tree."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from scipy.cluster.hierarchy import leaves_list, linkage, to_tree
from scipy.spatial.distance import squareform

from caplens.stats.clustering import leaf_order


def distances(count, seed):
    points = np.random.default_rng(seed).normal(size=(count, 3))
    return np.sqrt(((points[:, np.newaxis] - points) ** 2).sum(axis=2))


def orders(tree):
    """All orders of the leaves of a tree whose branches may be exchanged."""
    if tree.is_leaf():
        return [[tree.id]]
    left, right = orders(tree.left), orders(tree.right)
    return [one + other for one in left for other in right] + [other + one for one in left for other in right]


def cost(distance, order):
    return sum(distance[one, other] for one, other in pairwise(order))


@pytest.mark.parametrize("count", [2, 3, 4, 7, 10])
@pytest.mark.parametrize("seed", range(6))
def test_the_order_is_the_cheapest_of_the_tree(count, seed):
    distance = distances(count, seed)
    tree = linkage(squareform(distance), "average")
    best = min(orders(to_tree(tree)), key=lambda order: cost(distance, order))
    assert leaf_order(distance) in (best, best[::-1])


def test_the_order_is_never_worse_than_that_of_scipy():
    """With this seed it is better: scipy 1.17 does not find the cheapest order of this tree."""
    distance = distances(7, 1)
    theirs = leaves_list(linkage(squareform(distance), "average", optimal_ordering=True)).tolist()
    assert cost(distance, leaf_order(distance)) == pytest.approx(5.316593845621799)
    assert cost(distance, leaf_order(distance)) <= cost(distance, theirs) + 1e-12


def test_equal_distances_have_one_order_too():
    equal = np.ones((6, 6)) - np.eye(6)
    assert sorted(leaf_order(equal)) == list(range(6))
    assert leaf_order(equal) == leaf_order(equal.copy())


def test_nothing_and_one_thing():
    assert leaf_order(np.zeros((0, 0))) == []
    assert leaf_order(np.zeros((1, 1))) == [0]
