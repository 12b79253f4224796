"""Coefficients of scores with people."""

from __future__ import annotations

import numpy as np
import pytest

from caplens.meta.correlations import correlate_columns, mean_estimates
from caplens.output.document import number
from caplens.stats.resampling import Units


def test_several_columns_share_their_draws_and_have_a_mean():
    generator = np.random.default_rng(4)
    human = generator.normal(size=30)
    scores = human + generator.normal(size=30)
    units = Units.of([str(row) for row in range(30)])
    found = correlate_columns({("A", 1): (scores, human), ("A", 2): (-scores, human)}, units, 50, 3, 1)
    assert list(found) == [("A", 1), ("A", 2)]
    np.testing.assert_allclose(found["A", 1].samples["pearson"], -found["A", 2].samples["pearson"])
    one, both = mean_estimates([found["A", 1]]), mean_estimates(list(found.values()))
    assert one["pearson"].value == pytest.approx(np.corrcoef(scores, human)[0, 1])
    assert one["pearson"].interval[0] < one["pearson"].value < one["pearson"].interval[1]
    assert (both["pearson"].value, both["pearson"].p) == (pytest.approx(0), None)


def test_a_number_that_does_not_exist():
    assert (number(0.5), number(float("nan")), number(float("inf"))) == (0.5, None, None)
