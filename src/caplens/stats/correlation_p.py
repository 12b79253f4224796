"""P-values of correlation coefficients, as scipy computes them."""

from __future__ import annotations

import math

import numpy as np

from caplens.arrays import Floats
from caplens.stats.student import outside_share

# As in scipy: up to here all permutations are counted, if there are no ties.
MOST_EXACT_ROWS = 33


def linear_p(value: float, rows: int) -> float:
    """Return the two-sided p-value of Pearson's or Spearman's coefficient (Student's t, rows - 2 degrees of freedom).

    Examples
    --------
    >>> round(linear_p(0.5, 20), 4), linear_p(1.0, 20)
    (0.0248, 0.0)
    """
    if rows < 3 or math.isnan(value):
        return 1.0 if rows == 2 and not math.isnan(value) else float("nan")
    return outside_share((rows - 2) / 2, value * value, (1 - value) * (1 + value))


def kendall_p(balance: float, first: Floats, second: Floats) -> float:
    """Return the two-sided p-value of Kendall's coefficients, given concordant less discordant pairs."""
    rows = len(first)
    ties = [_tie_sums(values) for values in (first, second)]
    pairs = rows * (rows - 1) // 2
    if rows < 2 or any(tied == pairs for tied, _, _ in ties):
        return float("nan")
    discordant = round((pairs - balance) / 2)
    if not any(tied for tied, _, _ in ties) and (rows <= MOST_EXACT_ROWS or min(discordant, pairs - discordant) <= 1):
        return _exact_p(rows, min(discordant, pairs - discordant))
    (tied_x, threes_x, weighted_x), (tied_y, threes_y, weighted_y) = ties
    ordered = rows * (rows - 1.0)
    variance = (ordered * (2 * rows + 5) - weighted_x - weighted_y) / 18 + 2 * tied_x * tied_y / ordered
    if rows > 2:
        variance += threes_x * threes_y / (9 * ordered * (rows - 2))
    return math.erfc(abs(balance) / math.sqrt(2 * variance))


def _tie_sums(values: Floats) -> tuple[float, float, float]:
    """Return sums over groups of t equal values: t(t-1)/2, t(t-1)(t-2), t(t-1)(2t+5)."""
    counts = np.unique(values, return_counts=True)[1].astype(np.float64)
    pairs = counts * (counts - 1)
    return float(pairs.sum()) / 2, float((pairs * (counts - 2)).sum()), float((pairs * (2 * counts + 5)).sum())


def _exact_p(rows: int, fewer: int) -> float:
    """Return twice the share of permutations with at most ``fewer`` discordant (or concordant) pairs."""
    if 2 * fewer >= rows * (rows - 1) // 2:
        return 1.0
    # counts[d]: permutations of the rows so far with d inversions; one more row adds 0 to row - 1 of them.
    counts = [1] + [0] * fewer
    for row in range(2, rows + 1):
        running = 0
        longer = []
        for inversions in range(fewer + 1):
            running += counts[inversions] - (counts[inversions - row] if inversions >= row else 0)
            longer.append(running)
        counts = longer
    return min(1.0, 2 * sum(counts) / math.factorial(rows))
