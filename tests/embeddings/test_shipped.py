"""The table that ships with caplens, and what it is good for."""

from __future__ import annotations

import numpy as np
import pytest
from tests.golden_sets import load

import caplens
from caplens.core.metric import Metric
from caplens.embeddings import shipped
from caplens.embeddings.stop_words import ENGLISH
from caplens.metrics.embedding.soft import EmbeddingAverage, GreedyMatching, VectorExtrema
from caplens.metrics.embedding.wembsim import SceneSim, WEmbSim
from caplens.metrics.wmd.metric import WordMoversDistance

MEGABYTE = 1_000_000


def test_the_table_is_small_and_says_where_it_came_from():
    assert shipped.PATH.stat().st_size <= 15 * MEGABYTE
    facts = shipped.load("raw").fingerprint, shipped.load("captions").fingerprint
    assert facts[0] == facts[1] != ""
    assert len(shipped.load("raw")) == 56_000


def test_raw_vectors_are_those_of_glove():
    # The first numbers of `dog` in glove.6B.100d.txt.
    np.testing.assert_allclose(shipped.load("raw").vector("dog")[:4], [0.30817, 0.30938, 0.52803, -0.92543], atol=5e-4)


def test_words_of_captions_are_known_and_treated_vectors_have_two_halves():
    raw, treated = shipped.load("raw"), shipped.load("captions")
    assert (raw.dimensions, treated.dimensions) == (100, 200)
    for word in ("man", "frisbee", "skateboarder", "t-shirt", "zebra", "kitchen", "surfboard"):
        assert treated.vector(word) is not None
    places = np.arange(0, len(treated), 97)
    vectors = treated.take(places)
    assert np.isfinite(vectors).all()
    np.testing.assert_array_equal(vectors[5], treated.take(places[5:6])[0])


def test_scene_vectors_weigh_words_and_know_what_the_treated_table_knows():
    scene, treated = shipped.load("scene"), shipped.load("captions")
    assert shipped.SCENE_PATH.stat().st_size <= 3 * MEGABYTE
    assert scene.dimensions == 128
    assert scene.fingerprint not in ("", treated.fingerprint)
    assert scene.arrays.facts["treated"] == treated.fingerprint  # rare words have vectors made from it
    lengths = {word: np.linalg.norm(scene.vector(word)) for word in ("the", "of", "zebra", "surfboard")}
    assert max(lengths["the"], lengths["of"]) < min(lengths["zebra"], lengths["surfboard"]) / 3
    # A rare word has no vector of its own: it is made from that of the treated table.
    rare = "armadillo"
    assert scene.arrays["rows"][scene.vocabulary.index(rare.encode())] == -1
    vector = treated.vector(rare).astype(np.float64)
    weight = 1 / (1 + np.exp(-(vector @ scene.arrays["gate"] + scene.arrays["gate_offset"][0])))
    np.testing.assert_allclose(scene.vector(rare), weight * vector @ scene.arrays["projection"], atol=1e-6)
    places = np.array([scene.vocabulary.index(word) for word in (b"dog", b"armadillo", b"cat")])
    np.testing.assert_array_equal(scene.take(places)[2], scene.vector("cat"))


def test_there_are_179_stop_words():
    assert len(ENGLISH) == 179


@pytest.mark.parametrize(
    ("metric", "expected"),
    [
        (WordMoversDistance(), 0.503),
        (WordMoversDistance(combine="mean"), 0.5185),
        (WordMoversDistance("raw"), 0.438),
        (WEmbSim(), 0.509),
        (WEmbSim(combine="max"), 0.504),
        (WEmbSim(combine="min"), 0.448),
        (WEmbSim("raw"), 0.301),
        (SceneSim(), 0.550),
        (EmbeddingAverage(), 0.453),
        (VectorExtrema(), 0.453),
        (GreedyMatching(), 0.463),
    ],
    ids=lambda value: str(value.request()) if isinstance(value, Metric) else f"{value:.3f}",
)
def test_agreement_with_people_on_flickr8k_expert(golden, metric, expected):
    stats = pytest.importorskip("scipy.stats", reason="scipy is not installed")
    rows = load("flickr8k_expert", golden)
    ratings = np.array([pair["ratings"] for pair in golden("flickr8k_expert_golden")["pairs"]])
    result = caplens.score(rows.candidates[::3], rows.references[::3], [metric])
    scores = np.repeat(result[metric.keys[0]].item_scores, 3)
    assert stats.kendalltau(scores, ratings.ravel(), variant="c").statistic == pytest.approx(expected, abs=0.001)
