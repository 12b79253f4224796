"""Student's t distribution against scipy, and against what is known in closed form."""

from __future__ import annotations

import math

import numpy as np
import pytest
from scipy import special

from caplens.stats.student import outside_share, student_cdf, student_quantile

FREEDOMS = [0.6, 1.0, 1.5, 2.0, 3.7, 10.0, 97.0, 199.9, 201.0, 4_997.0, 5_821.3, 40_503.0, 202_652.0, 950_000.0]


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_probabilities_are_those_of_scipy(freedom):
    limits = -np.logspace(-3, 1.5, 60)
    expected = special.stdtr(freedom, limits)
    assert [student_cdf(freedom, t) for t in limits.tolist()] == pytest.approx(expected.tolist(), rel=1e-12, abs=1e-290)
    above = [student_cdf(freedom, -t) for t in limits.tolist()]
    assert above == pytest.approx(special.stdtr(freedom, -limits).tolist(), rel=1e-12)


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_quantiles_are_those_of_scipy(freedom):
    shares = [0.0005, 0.025, 0.05, 0.3, 0.6, 0.95, 0.975, 0.9995]
    found = [student_quantile(freedom, share) for share in shares]
    assert found == pytest.approx(special.stdtrit(freedom, shares).tolist(), rel=1e-12)
    assert student_quantile(freedom, 0.5) == 0


@pytest.mark.parametrize("freedom", FREEDOMS)
def test_two_sided_p_values_are_those_of_scipy(freedom):
    squares = np.concatenate([np.logspace(-12, -0.01, 60), [0.999, 1 - 1e-9]])
    expected = special.betaincc(0.5, freedom / 2, squares)
    found = [outside_share(freedom / 2, y, 1 - y) for y in squares.tolist()]
    assert found == pytest.approx(expected.tolist(), rel=1e-12, abs=1e-290)


def test_closed_forms():
    for t in (-1e6, -3.0, -1e-5, 0.0, 2.0):
        assert student_cdf(1, t) == pytest.approx(0.5 + math.atan(t) / math.pi, rel=1e-10, abs=1e-16)
        assert student_cdf(2, t) == pytest.approx(0.5 + t / (2 * math.sqrt(2 + t * t)), rel=1e-12, abs=1e-12)


def test_what_lies_at_the_ends():
    assert (student_cdf(5, -math.inf), student_cdf(5, math.inf), student_cdf(5, 0.0)) == (0.0, 1.0, 0.5)
    assert student_cdf(5, -1e200) == 0.0
    assert math.isnan(student_cdf(5, math.nan))
    assert math.isnan(student_cdf(math.nan, 1.0))
    assert student_cdf(100_000, -1e3) == 0.0  # less than any number that can be written
