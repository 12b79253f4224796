"""Coefficients of scores with people, with p-values and intervals, as plain data."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.stats.correlation import (
    COEFFICIENTS,
    Coefficient,
    SortedPairs,
    bootstrap_coefficients,
    correlate,
)
from caplens.stats.resampling import Units, percentile_interval

Floats = npt.NDArray[np.float64]
Samples = dict[str, dict[str, Floats]]


def plain(value: float) -> float | None:
    """Return a number, or None where there is none."""
    return value if math.isfinite(value) else None


def correlate_columns(
    columns: Mapping[str, tuple[Floats, Floats]],
    units: Units,
    resamples: int,
    seed: int,
    jobs: int,
) -> tuple[dict[str, dict[str, Coefficient]], Samples]:
    """Correlate pairs of columns, and bootstrap them with shared draws of images.

    Parameters
    ----------
    columns : mapping of str to (numpy.ndarray, numpy.ndarray)
        By name: scores and human scores, one number a row.
    units : Units
        The images of the rows.
    resamples, seed, jobs
        Of the bootstrap.
    """
    found = {name: correlate(scores, human) for name, (scores, human) in columns.items()}
    pairs = {name: SortedPairs(scores, human, units.owners) for name, (scores, human) in columns.items()}
    return found, bootstrap_coefficients(pairs, units, resamples, seed, jobs)


def mean_coefficients(
    found: Sequence[Mapping[str, Coefficient]], samples: Sequence[Mapping[str, Floats]]
) -> dict[str, dict[str, Any]]:
    """Return coefficients as result files hold them; of several (aspects, raters) the mean, without a p-value."""
    entry = {}
    for name in COEFFICIENTS:
        value = float(np.mean([coefficients[name].value for coefficients in found]))
        low, high = percentile_interval(np.mean([drawn[name] for drawn in samples], axis=0))
        p = found[0][name].p if len(found) == 1 else math.nan
        entry[name] = {"value": plain(value), "p": plain(p), "interval": [plain(low), plain(high)]}
    return entry
