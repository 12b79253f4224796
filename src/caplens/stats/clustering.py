"""An order in which similar things are neighbours."""

from __future__ import annotations

from itertools import combinations

from caplens.arrays import Floats

# The cheapest order of a cluster's leaves that begins and ends with two of them, and what it costs.
_Orders = dict[tuple[int, int], tuple[float, tuple[int, ...]]]


def leaf_order(distance: Floats) -> list[int]:
    """Order the leaves of a tree of clusters so that neighbours are near: the sum of their distances is least.

    The two clusters with the least mean distance are joined until one is left (average linkage); the branches of this
    tree may be exchanged. Meant for a few dozen things.

    Parameters
    ----------
    distance : numpy.ndarray
        Square and symmetric.

    References
    ----------
    Z. Bar-Joseph, D. K. Gifford, T. S. Jaakkola: Fast optimal leaf ordering for hierarchical clustering, Bioinformatics
    17, 2001.

    Examples
    --------
    >>> import numpy as np
    >>> leaf_order(np.array([[0, 9, 1], [9, 0, 8], [1, 8, 0]]))
    [0, 2, 1]
    """
    clusters: list[_Orders] = [{(leaf, leaf): (0.0, (leaf,))} for leaf in range(len(distance))]
    while len(clusters) > 1:
        first, second = min(combinations(clusters, 2), key=lambda pair: _mean_distance(distance, *pair))
        clusters = [each for each in clusters if each is not first and each is not second]
        clusters.append(_joined(distance, first, second))
    return list(min(clusters[0].values())[1]) if clusters else []


def _mean_distance(distance: Floats, first: _Orders, second: _Orders) -> float:
    members = [sorted({left for left, _ in orders}) for orders in (first, second)]
    return float(distance[members[0]][:, members[1]].mean())


def _joined(distance: Floats, first: _Orders, second: _Orders) -> _Orders:
    """Return the cheapest orders of two clusters side by side, in both directions."""
    joined: _Orders = {}
    for (left, inner), (cost, leaves) in first.items():
        for (other, right), (other_cost, other_leaves) in second.items():
            whole = (cost + float(distance[inner, other]) + other_cost, leaves + other_leaves)
            if (left, right) not in joined or whole < joined[left, right]:
                joined[left, right] = whole
    return joined | {(right, left): (cost, leaves[::-1]) for (left, right), (cost, leaves) in joined.items()}
