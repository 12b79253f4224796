"""Coefficients of scores with people, with p-values and intervals."""

from __future__ import annotations

import math
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, TypeVar

import numpy as np

from caplens.arrays import Floats
from caplens.meta.outcome import IF_ANY
from caplens.output.document import number
from caplens.stats.correlation import (
    COEFFICIENTS,
    Coefficient,
    SortedPairs,
    bootstrap_coefficients,
    correlate,
)
from caplens.stats.resampling import Units, percentile_interval

CoefficientName = Literal["pearson", "spearman", "kendall_b", "kendall_c"]

TITLES = {"pearson": "Pearson", "spearman": "Spearman", "kendall_b": "Kendall b", "kendall_c": "Kendall c"}
LONG_TITLES = {**TITLES, "kendall_b": "Kendall tau-b", "kendall_c": "Kendall tau-c"}

Key = TypeVar("Key", bound=Hashable)


@dataclass(frozen=True)
class Estimate:
    """A coefficient with its p-value and 95 % interval; at system level the range when one system is left out."""

    value: float | None
    p: float | None
    interval: tuple[float | None, float | None]
    leave_one_out: tuple[float | None, float | None] | None = field(default=None, metadata=IF_ANY)


@dataclass(frozen=True)
class Bootstrapped:
    """The coefficients of one pair of columns, and those of its bootstrap samples."""

    found: Mapping[str, Coefficient]
    samples: Mapping[str, Floats]


def correlate_columns(
    columns: Mapping[Key, tuple[Floats, Floats]], units: Units, resamples: int, seed: int, jobs: int
) -> dict[Key, Bootstrapped]:
    """Correlate pairs of columns, and bootstrap them with shared draws of images.

    Parameters
    ----------
    columns : mapping to (numpy.ndarray, numpy.ndarray)
        By any key: scores and human scores, one number per row.
    units : Units
        The images of the rows.
    resamples, seed, jobs
        Of the bootstrap.
    """
    pairs = {str(place): SortedPairs(*pair, units.owners) for place, pair in enumerate(columns.values())}
    samples = bootstrap_coefficients(pairs, units, resamples, seed, jobs)
    return {
        key: Bootstrapped(correlate(*pair), drawn)
        for (key, pair), drawn in zip(columns.items(), samples.values(), strict=True)
    }


def mean_estimates(columns: Sequence[Bootstrapped]) -> dict[str, Estimate]:
    """Return the coefficients with intervals; of several columns (aspects, raters) the mean, without a p-value."""
    entry = {}
    for name in COEFFICIENTS:
        value = float(np.mean([column.found[name].value for column in columns]))
        low, high = percentile_interval(np.mean([column.samples[name] for column in columns], axis=0))
        p = columns[0].found[name].p if len(columns) == 1 else math.nan
        entry[name] = Estimate(number(value), number(p), (number(low), number(high)))
    return entry
