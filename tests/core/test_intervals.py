"""Intervals are made of the statistics that scores are made of, and of no others."""

from __future__ import annotations

import numpy as np
import pytest

import caplens
from caplens.core.intervals import resampled_scores
from caplens.core.metric import Metric
from caplens.stats.resampling import bootstrap_sums

CANDIDATES = ["a man rides a horse", "two dogs run", "a cat", "a big red bus", "people on a beach"]
REFERENCES = [["a man on a horse"], ["dogs run fast", "two dogs"], ["a cat sleeps"], ["a bus"], ["a beach with people"]]


@pytest.mark.parametrize("metric", ["rouge", "meteor", "bleu, rouge, cider"])
def test_sums_that_nobody_reads_make_no_difference(metric):
    result = caplens.score(CANDIDATES, REFERENCES, metric)
    drawn = result.intervals
    for run, found in zip(result.runs, drawn.samples(), strict=True):
        table = np.column_stack([run.statistics.table, np.ones(len(CANDIDATES))])
        sums = bootstrap_sums(table, drawn.units, drawn.resamples, drawn.seed)
        np.testing.assert_array_equal(found, resampled_scores(run.metric, sums[:, :-1], sums[:, -1]))


@pytest.mark.parametrize("metric", ["rouge", "meteor"])
def test_unread_statistics_exist_and_are_not_read(metric):
    (run,) = caplens.score(CANDIDATES, REFERENCES, metric).runs
    unread = run.metric.unread_statistics
    assert unread < set(run.statistics.columns)
    assert not Metric.unread_statistics
    table = run.statistics.table.copy()
    table[:, [name in unread for name in run.statistics.columns]] = np.nan
    np.testing.assert_array_equal(run.metric.aggregate(table, np.ones(len(table))), run.item_scores)
