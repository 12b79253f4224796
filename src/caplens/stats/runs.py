"""Differences between systems with several training runs: what varies by image, and what varies by run."""

from __future__ import annotations

import math
from dataclasses import dataclass

import numpy as np

from caplens.arrays import Floats
from caplens.stats.student import student_cdf, student_quantile

LEVEL = 0.95


@dataclass(frozen=True)
class RunVariance:
    """How much the runs of one system vary.

    Attributes
    ----------
    runs : int
        How many there are.
    between : float
        Variance of a run's score on these images, estimated from all runs; NaN for a single run.
    within : float
        The share of ``between`` that comes from the choice of images (runs differ on single images), by the bootstrap.
    """

    runs: int
    between: float
    within: float

    @classmethod
    def of(cls, scores: Floats, resampled: Floats) -> RunVariance:
        """Estimate it from the score of each run and the same on resamples of images, shape (runs, resamples)."""
        if len(scores) < 2:
            return cls(len(scores), math.nan, math.nan)
        within = math.nan
        if resampled.shape[1] > 1:
            residuals = resampled - resampled.mean(axis=0)
            within = float(residuals.var(axis=1, ddof=1).sum()) / (len(scores) - 1)
        return cls(len(scores), float(np.var(scores, ddof=1)), within)


@dataclass(frozen=True)
class RunTest:
    """A t test of a difference between means over runs.

    Attributes
    ----------
    p : float
        Two-sided p-value.
    degrees_of_freedom : float
        Of the t distribution.
    interval : tuple of float
        95 % interval of the difference.
    """

    p: float
    degrees_of_freedom: float
    interval: tuple[float, float]


def run_test(difference: float, by_image: float, images: int, first: RunVariance, second: RunVariance) -> RunTest:
    """Test whether two systems differ, where images and training runs are samples and at least one has several runs.

    Parameters
    ----------
    difference : float
        Mean score over the runs of the first system minus that of the second.
    by_image : float
        Variance of the difference over images, the runs as they are: that of its bootstrap samples.
    images : int
        How many images there are.
    first, second : RunVariance
        How much the runs vary. A system with a single run is taken to vary as much as the other one.

    Notes
    -----
    The variance of the difference is the variance between runs, each system's divided by its number of runs, plus the
    part of the variance over images that is not included in it already. The degrees of freedom follow Satterthwaite;
    beside a single run they are those of the other system's runs. Studies of diagnostic accuracy treat readers and
    cases in this way.

    References
    ----------
    N. A. Obuchowski, H. E. Rockette: Hypothesis testing of diagnostic accuracy for multiple readers and multiple tests:
    an ANOVA approach with dependent observations, Communications in Statistics - Simulation and Computation 24, 1995.
    S. L. Hillis: A comparison of denominator degrees of freedom methods for multiple observer ROC analysis, Statistics
    in Medicine 26, 2007.

    Examples
    --------
    >>> found = run_test(0.5, 0.0, 100, RunVariance(3, 0.03, 0.0), RunVariance(3, 0.03, 0.0))
    >>> round(found.degrees_of_freedom, 6), round(found.p, 4)
    (4.0, 0.0241)
    """
    parts = _parts(first, second)
    images_alone = max(by_image - sum(share * each.within for each, share in parts), 0.0)
    between = [share * each.between for each, share in parts]
    variance = images_alone + sum(between)
    if math.isnan(variance) or math.isnan(difference):
        return RunTest(math.nan, math.nan, (math.nan, math.nan))
    if variance == 0:  # nothing varies: a difference can only be there or not
        return RunTest(1.0 if difference == 0 else 0.0, math.inf, (difference, difference))
    if len(parts) > 1:
        weights = images_alone**2 / max(images - 1, 1)
        weights += sum(part**2 / (each.runs - 1) for part, (each, _) in zip(between, parts, strict=True))
        freedom = variance**2 / weights
    else:  # all rests on the spread of one system, where Satterthwaite's approximation rejects too often
        freedom = parts[0][0].runs - 1.0
    error = math.sqrt(variance)
    half = student_quantile(freedom, (1 + LEVEL) / 2) * error
    p = 2 * student_cdf(freedom, -abs(difference) / error)
    return RunTest(p, freedom, (difference - half, difference + half))


def _parts(first: RunVariance, second: RunVariance) -> list[tuple[RunVariance, float]]:
    """Return the variances that were estimated, with what each counts for."""
    if first.runs > 1 and second.runs > 1:
        return [(first, 1 / first.runs), (second, 1 / second.runs)]
    known, single = (first, second) if first.runs > 1 else (second, first)
    return [(known, 1 / known.runs + 1 / single.runs)]
