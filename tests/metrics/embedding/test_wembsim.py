"""WEmbSim and the soft overlaps against their definitions."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import embedding_oracle as oracle
from tests.metrics.wmd.test_metric import captions, example_rows

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.prepared import prepare
from caplens.embeddings import library
from caplens.embeddings.importing import import_vectors
from caplens.metrics.embedding.soft import EmbeddingAverage, GreedyMatching, VectorExtrema
from caplens.metrics.embedding.wembsim import WEmbSim
from caplens.metrics.embedding.words import CaptionWords

COMBINE = {"mean": np.mean, "max": max, "min": min}
SOFT = {
    EmbeddingAverage: oracle.embedding_average,
    VectorExtrema: oracle.vector_extrema,
    GreedyMatching: oracle.greedy_matching,
}


def expected(candidates, references, table, similarity, *, remove_stop_words):
    def words(caption):
        return oracle.counting_words(caption, table, remove_stop_words=remove_stop_words)

    return [
        [similarity(words(candidate), words(reference), table) for reference in row]
        for candidate, row in zip(candidates, references, strict=True)
    ]


@pytest.mark.parametrize("vectors", ["captions", "raw"])
@pytest.mark.parametrize("remove_stop_words", [True, False])
def test_scores_of_the_example_are_those_of_the_definition(example_dir, vectors, remove_stop_words):
    candidates, references = example_rows(example_dir)
    table = library.load(vectors)
    rows = expected(candidates, references, table, oracle.wembsim, remove_stop_words=remove_stop_words)
    for name, combine in COMBINE.items():
        metric = WEmbSim(vectors, remove_stop_words, combine=name)
        found = caplens.score(candidates, references, [metric])[metric.keys[0]]
        np.testing.assert_allclose(found.item_scores, [combine(row) for row in rows], rtol=1e-6, atol=1e-7)
        assert found.score == pytest.approx(np.mean(found.item_scores))


def test_scenesim_keeps_the_sign_of_the_cosine(example_dir):
    candidates, references = example_rows(example_dir)
    references = [references[place - 7] for place in range(len(references))]  # of other images
    table = library.load("scene")

    def mean(caption):
        words = oracle.counting_words(caption, table, remove_stop_words=False)
        return np.mean([table.vector(word) for word in words], axis=0)

    def cosine(left, right):
        return left @ right / np.linalg.norm(left) / np.linalg.norm(right)

    found = caplens.score(candidates, references, "scenesim")["SceneSim"].item_scores
    rows = [
        np.mean([cosine(mean(candidate), mean(reference)) for reference in row])
        for candidate, row in zip(candidates, references, strict=True)
    ]
    np.testing.assert_allclose(found, rows, rtol=1e-5, atol=1e-6)
    assert min(found) < 0


@pytest.mark.parametrize("kind", SOFT)
def test_soft_overlaps_are_those_of_their_definitions(example_dir, kind):
    candidates, references = example_rows(example_dir)
    candidates, references = candidates[:25], references[:25]
    rows = expected(candidates, references, library.load("captions"), SOFT[kind], remove_stop_words=False)
    for name, combine in COMBINE.items():
        metric = kind(combine=name)
        found = caplens.score(candidates, references, [metric])[metric.keys[0]]
        np.testing.assert_allclose(found.item_scores, [combine(row) for row in rows], rtol=1e-5, atol=1e-6)


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(captions, st.lists(captions, min_size=1, max_size=3)), min_size=1, max_size=5))
def test_no_caption_leads_to_nan_and_the_range_is_kept(data):
    for metric in (WEmbSim(), WEmbSim(combine="min"), EmbeddingAverage(), VectorExtrema(), GreedyMatching()):
        found = caplens.score([row[0] for row in data], [row[1] for row in data], [metric])
        scores = found[metric.keys[0]].item_scores
        assert np.isfinite(scores).all()
        assert (np.abs(scores) <= 1 + 1e-12).all()
        assert metric.name != "wembsim" or (scores >= 0).all()


@pytest.mark.parametrize("kind", [WEmbSim, *SOFT])
def test_a_candidate_with_the_words_of_its_references_has_the_maximum(kind):
    metric = kind()
    result = caplens.score(["a dog sees a cat"], [["a cat sees a dog", "a dog sees a cat"]], [metric])
    assert result[metric.keys[0]].score == pytest.approx(1, abs=1e-6)


def test_captions_without_a_known_word_score_zero_and_are_counted():
    metric = WEmbSim()
    rows = (["qwrtzp", "a dog"], [["a dog"], ["qwrtzp"]])
    result = caplens.score(*rows, [metric])
    assert result["WEmbSim"].item_scores.tolist() == [0, 0]
    assert [notice.code for notice in metric.notices(prepare(corpus_of(*rows)))] == ["candidate-without-known-word"]
    assert "reference-without-known-word" in [notice.code for notice in result.warnings]


@pytest.mark.parametrize(
    ("kind", "key"), [("word2vec", "WEmbSim-W"), ("glove", "WEmbSim-G"), ("fasttext", "WEmbSim-F")]
)
def test_the_result_is_named_after_what_made_the_vectors(tmp_path, monkeypatch, kind, key):
    monkeypatch.setenv(library.VARIABLE, str(tmp_path))
    file = tmp_path / "tiny.txt"
    file.write_text("dog 1 0 1\ncat 1 0.5 0\n")
    import_vectors(file, kind=kind)
    result = caplens.score(["a dog"], [["a cat"]], [WEmbSim("tiny")])
    assert list(result) == [key]
    assert result[key].score == pytest.approx(1 / np.sqrt(2) / np.sqrt(1.25))
    assert WEmbSim().keys == ("WEmbSim",)
    assert WEmbSim("raw").keys == ("WEmbSim-G",)


def test_what_words_add_sums_to_the_cosine():
    explained = caplens.explain("a man rides a horse", ["a person on a horse", "a horse"], WEmbSim())
    words, references = explained.sections[1:]
    assert sum(row[1] for row in words.rows) == pytest.approx(explained.scores["WEmbSim"], rel=1e-6)
    assert np.mean([row[2] for row in references.rows]) == pytest.approx(explained.scores["WEmbSim"], rel=1e-6)
    for kind in SOFT:
        metric = kind()
        found = caplens.explain("a man rides a horse", ["a person on a horse", "two cats"], metric)
        assert max(row[2] for row in found.sections[-1].rows) == pytest.approx(found.scores[metric.keys[0]], rel=1e-6)
    assert caplens.explain("qwrtzp", ["a dog"], GreedyMatching()).scores["GreedyMatchingScore"] == 0


@settings(max_examples=60, deadline=None)
@given(st.lists(captions, min_size=1, max_size=6))
def test_stop_words_and_unknown_words_do_not_count(texts):
    words, table = WEmbSim().words, library.load("captions")
    side = prepare(corpus_of(texts, [["a dog"]] * len(texts))).candidates
    found, spelling = side.get(CaptionWords(words)), {}
    for word, number in enumerate(side.get(words).numbers.tolist()):
        spelling[number] = side.get(words.words).spelling[word]
    listed = [
        [spelling[number] for number in found.numbers[first:last].tolist()]
        for first, last in zip(found.offsets[:-1], found.offsets[1:], strict=True)
    ]
    assert listed == [oracle.counting_words(text, table) for text in texts]
