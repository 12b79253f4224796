"""What all combinations have in common: what they read off their inputs, and how a score is shared out."""

from __future__ import annotations

from itertools import permutations

import numpy as np

import caplens
from caplens.metrics.combination.base import InputScore, main_place, shapley_values
from caplens.metrics.combination.mean import Sum

CANDIDATES = ["a man rides a horse", "two dogs"]
REFERENCES = [["a man on a horse", "a person rides"], ["two dogs run"]]


def test_a_combination_can_read_scores_and_parts_of_scores():
    class Parts(Sum):
        """A sum of one score and one part of another."""

        @property
        def input_scores(self):
            return (InputScore(0, 0, "ROUGE_L"), InputScore(1, 1, "SPICE_Object.recall", 1))

    metric = Parts((caplens.metric("rouge"), caplens.metric("spice")))
    result = caplens.score(CANDIDATES, REFERENCES, [metric, "rouge", "spice"])
    expected = result["ROUGE_L"].item_scores + result["SPICE_Object"].parts["recall"].item_scores
    assert result.runs[0].metric is metric
    np.testing.assert_array_equal(next(iter(result.values())).item_scores, expected)


def test_the_place_of_the_main_score():
    assert main_place(caplens.metric("spice")) == 0
    assert main_place(caplens.metric("bleu")) is None
    assert main_place(caplens.metric("bleu(n=1)")) == 0


def test_shapley_values_are_means_over_orders():
    class Odd(Sum):
        """Anything but linear."""

        def combine(self, scores):
            return np.tanh(scores[:, 0] * scores[:, 1]) + scores[:, 2] ** 2

    metric = Odd(tuple(caplens.metric(name) for name in ("rouge", "wmd", "cider")))
    scores = np.array([0.3, 0.9, 2.0])
    expected = np.zeros(3)
    for order in permutations(range(3)):
        now = metric.baseline.copy()
        for place in order:
            before = metric.combine(now[np.newaxis])[0]
            now[place] = scores[place]
            expected[place] += (metric.combine(now[np.newaxis])[0] - before) / 6
    np.testing.assert_allclose(shapley_values(metric, scores), expected)
