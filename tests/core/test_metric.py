"""What metrics declare about their scores: the main one, details, parts, ranges, directions."""

from __future__ import annotations

import math

import numpy as np
import pytest
from tests import toys

import caplens
from caplens.core.registry import attempt, metric_class, names
from caplens.errors import UsageError

READY = [name for name in names() if attempt(name)[1] is None]


@pytest.mark.parametrize("name", READY)
def test_every_metric_declares_its_scores(name):
    metric = caplens.metric(name)
    assert metric.main_key is None or metric.main_key in metric.keys
    assert set(metric.range) == set(metric.keys)
    assert all(least < largest for least, largest in metric.range.values())
    assert set(metric.shown_parts) <= set(metric.part_names)


@pytest.mark.parametrize("name", READY)
def test_parts_have_the_declared_shape_and_are_named_like_no_key(name):
    metric = caplens.metric(name)
    result = caplens.score(["a man rides a horse", "a dog"], [["a man on a horse"], ["a dog", "a cat"]], [metric])
    table = result[metric.result_keys[0]].run.statistics.table
    parts = metric.parts_of(table, np.ones(2))
    assert parts.shape == (2, len(metric.keys), len(metric.part_names))
    assert len(set(metric.part_names)) == len(metric.part_names)


def test_bleu_has_no_score_above_the_others_and_spice_has():
    assert caplens.metric("bleu").main_key is None
    assert caplens.metric("bleu").details == {}
    spice = caplens.metric("spice(label=Mine)")
    assert spice.main_key == "SPICE"
    assert spice.details["Mine_Object"] == "Mine"
    assert "Mine" not in spice.details


def test_a_label_replaces_what_names_begin_with():
    assert caplens.metric("bleu(n=2, label=My_Bleu)").result_keys == ("My_Bleu_1", "My_Bleu_2")
    assert caplens.metric("cider(label=C)").result_keys == ("C",)

    class Two(toys.Characters):
        @property
        def keys(self):
            return ("First", "Other_Second")

    assert Two(label="L").result_keys == ("L_First", "L_Other_Second")


def test_meteor_is_made_of_its_parts():
    result = caplens.score(["a man rides a horse"], [["a horse a man rides"]], ["meteor"])
    metric = result["METEOR"].run.metric
    table = result["METEOR"].run.statistics.table
    precision, recall, order = metric.parts_of(table, np.ones(1))[0, 0]
    mean = 1 / ((1 - metric.alpha) / precision + metric.alpha / recall)
    assert result["METEOR"].score == pytest.approx(mean * (1 - metric.gamma * (1 - order) ** metric.beta), abs=1e-12)
    assert result["METEOR"].parts == {}  # files show the score alone


def test_scenesim_combines_as_its_parts_say():
    sets = [["a man on a horse", "two dogs in the snow"]]
    scores = {}
    for combine in ("mean", "max", "min"):
        result = caplens.score(["a man rides a horse"], sets, [f"scenesim(combine={combine})"])["SceneSim"]
        parts = result.run.metric.parts_of(result.run.statistics.table, np.ones(1))[0, 0]
        assert result.score == parts[result.run.metric.part_names.index(combine)]
        scores[combine] = result.score
    assert scores["min"] < scores["mean"] < scores["max"]


def test_spice_may_exceed_one_where_two_tuples_match_the_same_one():
    graphs = ["a dog and a path"], [["a track"]]  # WordNet has both among the meanings of a track
    assert caplens.score(*graphs, ["spice"])["SPICE"].score == pytest.approx(4 / 3)
    assert caplens.metric("spice").range["SPICE"] == (0.0, 2.0)
    assert caplens.score(*graphs, ["spice(repeat=once)"])["SPICE"].score == pytest.approx(2 / 3)
    assert caplens.metric("spice(repeat=once)").range["SPICE"] == (0.0, 1.0)


def test_the_range_of_a_combination_follows_from_its_inputs():
    assert caplens.metric("sum(rouge, cider, weights=2 1)").range == {"Sum_ROUGE_L_CIDEr": (0.0, 12.0)}
    assert toys.Characters().range == {"Characters": (-math.inf, math.inf)}


def test_scores_of_which_lower_ones_are_better_are_not_added_to_others():
    class Distance(toys.Characters):
        higher_is_better = False

    with pytest.raises(UsageError, match="sum combines scores for which higher is better, unlike those of characters"):
        metric_class("sum")(metrics=(caplens.metric("rouge"), Distance()))
