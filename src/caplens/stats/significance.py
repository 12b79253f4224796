"""P-values from resamples, effect size, and Holm's correction."""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from caplens.arrays import Floats

LEAST_RESAMPLES = 1000
# With this many times the smallest number of resamples that could reject, a corrected p-value has room to be precise.
HEADROOM = 10


def resamples_for(family: int, alpha: float = 0.05, least: int = LEAST_RESAMPLES) -> int:
    """Return how many resamples a family of tests needs so that Holm's correction can reject.

    The smallest p-value of R resamples is 1 / (R + 1); the correction multiplies it by up to the size of the family.

    Examples
    --------
    >>> resamples_for(1), resamples_for(136)
    (1000, 27200)
    """
    return max(least, math.ceil(HEADROOM * family / alpha))


def two_sided_p(null: Floats, observed: float) -> float:
    """Return the share of resamples at least as far from 0 as the observed difference, itself counted.

    NaN where there is no difference to judge, or no resample with a value; single ones without count as extreme.

    Examples
    --------
    >>> two_sided_p(np.array([0.1, -0.3, 0.2]), 0.25)
    0.5
    """
    if math.isnan(observed) or np.isnan(null).all():
        return float("nan")
    tolerance = 1e-12 * max(1.0, abs(observed))
    extreme = int(np.count_nonzero(~(np.abs(null) < abs(observed) - tolerance)))
    return (extreme + 1) / (len(null) + 1)


def paired_effect_size(differences: Floats) -> float:
    """Return the mean of paired differences in units of their standard deviation (Cohen's d for pairs).

    Examples
    --------
    >>> round(paired_effect_size(np.array([1.0, 2.0, 3.0])), 3)
    2.0
    """
    finite = np.sort(differences[np.isfinite(differences)])  # so that the order of items does not matter
    if len(finite) < 2:
        return float("nan")
    spread = float(finite.std(ddof=1))
    mean = float(finite.mean())
    if spread == 0:
        return 0.0 if mean == 0 else math.copysign(float("inf"), mean)
    return mean / spread


def holm(p_values: Sequence[float]) -> list[float]:
    """Return p-values corrected by Holm's step-down method, in the given order; a test without a p-value is none.

    References
    ----------
    S. Holm: A simple sequentially rejective multiple test procedure, Scand. J. Statist. 6, 1979.

    Examples
    --------
    >>> holm([0.01, 0.04, 0.03])
    [0.03, 0.06, 0.06]
    """
    corrected = [float("nan")] * len(p_values)
    tested = [place for place, p in enumerate(p_values) if not math.isnan(p)]
    running = 0.0
    for rank, place in enumerate(sorted(tested, key=lambda place: p_values[place])):
        running = max(running, min(1.0, (len(tested) - rank) * p_values[place]))
        corrected[place] = running
    return corrected
