"""Word Mover's Distance: the solver against linear programming and POT, and the laws of a distance."""

from __future__ import annotations

import json
import math

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests import embedding_oracle as oracle
from tests.golden_sets import load

import caplens
from caplens.api.inputs import corpus_of
from caplens.core.metric import Statistics
from caplens.core.plan import fit, run
from caplens.core.prepared import Usage, prepare
from caplens.embeddings import library
from caplens.errors import MissingDataError, UsageError
from caplens.metrics.wmd import _transport
from caplens.metrics.wmd.metric import WordMoversDistance

WORDS = ["dog", "puppy", "cat", "man", "woman", "rides", "riding", "horse", "red", "car", "street", "the", "qwrtzp"]
captions = st.lists(st.sampled_from(WORDS), max_size=9).map(" ".join)
known_captions = st.lists(st.sampled_from(WORDS[:11]), min_size=1, max_size=9).map(" ".join)
amounts = st.lists(st.integers(1, 6), min_size=1, max_size=7)


def distances(ours, theirs, **options):
    """Distances of pairs of captions, by the metric."""
    metric = WordMoversDistance(**options)
    corpus = corpus_of(ours, [[reference] for reference in theirs])
    return metric.all_distances(prepare(corpus))[0]


def example_rows(example_dir):
    captions = {row["image_id"]: row["caption"] for row in json.loads((example_dir / "degraded.json").read_bytes())}
    references = {image: [] for image in captions}
    for row in json.loads((example_dir / "references.json").read_bytes())["annotations"]:
        references[row["image_id"]].append(row["caption"])
    return list(captions.values()), list(references.values())


@settings(max_examples=150, deadline=None)
@given(amounts, amounts, st.randoms(use_true_random=False), st.booleans())
def test_the_solver_finds_the_least_cost_and_a_plan_that_has_it(left, right, generator, ties):
    supply = np.array(left, dtype=np.int64) * sum(right)
    demand = np.array(right, dtype=np.int64) * sum(left)
    numbers = [[generator.randint(0, 3) if ties else generator.random() for _ in right] for _ in left]
    costs = np.array(numbers, dtype=float)
    total, flows = _transport.transport(costs, supply, demand)
    assert (flows >= 0).all()
    assert (flows.sum(axis=1) == supply).all()
    assert (flows.sum(axis=0) == demand).all()
    assert total == pytest.approx((flows * costs).sum(), rel=1e-12, abs=1e-12)
    # The plan is possible, so nothing can cost less; linear programming may miss the least by a ten-millionth a unit.
    least = oracle.transport(costs, supply, demand)
    assert total <= least * (1 + 1e-9) + 1e-9
    assert total == pytest.approx(least, rel=1e-6, abs=1e-6 * float(supply.sum()))


@pytest.mark.parametrize(("rows", "columns"), [(300, 300), (300, 293), (40, 350)])
def test_large_problems_have_the_cost_of_pot(rows, columns):
    ot = pytest.importorskip("ot", reason="POT is not installed (pip install POT)")
    generator = np.random.default_rng(rows + columns)
    points, others = generator.normal(size=(rows, 8)), generator.normal(size=(columns, 8))
    costs = np.sqrt(((points[:, np.newaxis] - others) ** 2).sum(axis=-1))
    left, right = generator.integers(1, 5, rows), generator.integers(1, 5, columns)
    supply, demand = left * right.sum(), right * left.sum()
    total, flows = _transport.transport(costs, supply, demand)
    assert (flows >= 0).all()
    assert (flows.sum(axis=1) == supply).all()
    assert (flows.sum(axis=0) == demand).all()
    mass = supply.sum()
    assert total / mass == pytest.approx(ot.emd2(supply / mass, demand / mass, costs), rel=1e-12)


def test_the_solver_refuses_what_cannot_be_brought():
    with pytest.raises(ValueError, match="equal sums"):
        _transport.transport(np.ones((1, 1)), np.array([2]), np.array([3]))


@pytest.mark.parametrize("vectors", ["captions", "raw"])
def test_scores_of_the_example_are_those_of_the_definition(example_dir, vectors):
    candidates, references = example_rows(example_dir)
    candidates, references = candidates[:60], references[:60]
    table = library.load(vectors)

    def words(caption):
        return oracle.counting_words(caption, table)

    expected = [
        [oracle.word_movers_distance(words(candidate), words(reference), table) for reference in row]
        for candidate, row in zip(candidates, references, strict=True)
    ]
    best = caplens.score(candidates, references, [WordMoversDistance(vectors)])["WMD"]
    np.testing.assert_allclose(best.item_scores, [math.exp(-min(row)) for row in expected], rtol=1e-8)
    assert best.score == pytest.approx(np.mean(best.item_scores))
    mean = caplens.score(candidates, references, [WordMoversDistance(vectors, combine="mean")])["WMD"]
    np.testing.assert_allclose(
        mean.item_scores, [np.mean([math.exp(-value) for value in row]) for row in expected], rtol=1e-8
    )


def test_twenty_thousand_real_pairs_have_the_distances_of_pot(golden):
    ot = pytest.importorskip("ot", reason="POT is not installed (pip install POT)")
    rows = load("flickr8k_expert", golden)
    candidates, references = rows.candidates[::3][:4000], rows.references[::3][:4000]
    metric = WordMoversDistance("raw")
    prepared = prepare(corpus_of(candidates, references))
    found, counts = metric.all_distances(prepared)
    assert len(found) == 20_000
    table = library.load("raw")
    words = {
        text: oracle.counting_words(text, table) for text in {*candidates, *(r for row in references for r in row)}
    }
    expected = np.array(
        [
            oracle.word_movers_distance(
                words[candidate], words[reference], table, lambda costs, ours, theirs: ot.emd2(ours, theirs, costs)
            )
            for candidate, row in zip(candidates, references, strict=True)
            for reference in row
        ]
    )
    known = np.isfinite(expected)
    assert (known == np.isfinite(found)).all()
    np.testing.assert_allclose(found[known], expected[known], rtol=1e-9, atol=1e-12)
    # Bounds skip references, never the nearest one.
    nearest = metric.nearest(prepared)[0][:, 1]
    least = np.minimum.reduceat(np.where(known, found, np.inf), np.cumsum(counts) - counts)
    np.testing.assert_allclose(nearest, np.where(np.isfinite(least), least, 0), rtol=1e-12, atol=1e-15)


@settings(max_examples=60, deadline=None)
@given(known_captions, st.randoms(use_true_random=False))
def test_the_distance_of_equal_bags_is_zero(caption, generator):
    words = caption.split()
    generator.shuffle(words)
    assert distances([caption, caption], [" ".join(words), f"{caption} {caption}"]).tolist() == [0, 0]


@settings(max_examples=60, deadline=None)
@given(known_captions, known_captions, known_captions)
def test_distances_are_symmetric_and_obey_the_triangle_inequality(a, b, c):
    ab, ba, bc, ac = distances([a, b, b, a], [b, a, c, c])
    assert ab == pytest.approx(ba, rel=1e-12, abs=1e-12)
    assert ac <= ab + bc + 1e-9


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(captions, st.lists(captions, min_size=1, max_size=4)), min_size=1, max_size=6), st.data())
def test_shards_order_and_threads_change_nothing(data, draw):
    candidates, references = [row[0] for row in data], [row[1] for row in data]
    corpus = corpus_of(candidates, references)
    for combine in ("best", "mean"):
        metrics = [WordMoversDistance(combine=combine)]
        whole = prepare(corpus, jobs=2)
        states = fit(metrics, whole.references, Usage.of(corpus))
        (expected,) = run(metrics, whole, states)
        assert np.isfinite(expected.statistics.table).all()
        cut = draw.draw(st.integers(0, len(corpus)))
        parts = [
            run(metrics, prepare(corpus.select(list(rows)), jobs=1), states)[0].statistics
            for rows in (range(cut), range(cut, len(corpus)))
            if len(rows)
        ]
        np.testing.assert_allclose(
            Statistics.concatenate(parts).table, expected.statistics.table, rtol=1e-12, atol=1e-12
        )


def test_captions_without_a_known_word_score_zero_and_are_counted():
    metric = WordMoversDistance()
    candidates = ["", "qwrtzp the", "a dog", "a dog", "a dog"]
    references = [["a dog"], ["a dog"], ["qwrtzp"], ["qwrtzp", "a dog"], ["a cat"]]
    result = caplens.score(candidates, references, [metric])
    assert result["WMD"].item_scores[:4].tolist() == [0, 0, 0, 1]
    assert 0 < result["WMD"].item_scores[4] < 1
    assert np.isfinite(result["WMD"].interval).all()
    assert ("reference-without-known-word", 2) in [(notice.code, notice.count) for notice in result.warnings]
    notices = metric.notices(prepare(corpus_of(candidates, references)))
    assert [(notice.code, notice.count) for notice in notices] == [("candidate-without-known-word", 2)]
    assert str(notices[0]) == "2 candidates have no word with a vector; wmd treats that as no similarity (0, 1)"
    mean = caplens.score(candidates, references, [WordMoversDistance(combine="mean")])["WMD"]
    assert mean.item_scores[:4].tolist() == [0, 0, 0, 0.5]


def test_a_batch_against_prepared_references_scores_as_the_whole_corpus(example_dir):
    candidates, references = example_rows(example_dir)
    metric = WordMoversDistance()
    whole = caplens.score(candidates, references, [metric])["WMD"].item_scores
    prepared = metric.prepare(references)
    batch = metric(candidates[:7], prepared, ids=range(7))["WMD"].item_scores
    np.testing.assert_allclose(batch, whole[:7], rtol=1e-12)


def test_the_plan_of_the_explanation_has_the_cost_of_the_distance():
    explained = caplens.explain("a man rides a brown horse", ["a cat", "a person on a horse"], WordMoversDistance())
    plan = explained.sections[1]
    assert plan.columns == ("word", "goes to", "mass", "distance", "cost")
    assert sum(row[2] for row in plan.rows) == pytest.approx(1)
    assert sum(row[4] for row in plan.rows) == pytest.approx(explained.facts["distance"])
    assert ("horse", "horse") in {row[:2] for row in plan.rows}
    assert explained.facts["nearest reference"] == 2
    assert explained.scores["WMD"] == pytest.approx(math.exp(-explained.facts["distance"]))
    nothing = caplens.explain("qwrtzp", ["a cat"], WordMoversDistance())
    assert nothing.scores["WMD"] == 0
    assert nothing.sections[1].rows == ()


def test_options_show_in_the_signature_and_do_what_they_say():
    rows = (["the dog"], [["a cat on the street"]])
    plain = caplens.score(*rows, [WordMoversDistance("raw")])["WMD"]
    assert "vectors=raw" in plain.signature
    assert f"table:{library.load('raw').fingerprint}" in plain.signature
    unit = caplens.score(*rows, [WordMoversDistance("raw", normalize=True)])["WMD"]
    assert unit.score > plain.score
    assert math.log(unit.score) >= -2  # no two unit vectors are farther from each other
    everything = caplens.score(*rows, [WordMoversDistance("captions", remove_stop_words=False)])["WMD"]
    assert everything.score != caplens.score(*rows, [WordMoversDistance()])["WMD"].score


def test_tables_that_are_not_there_and_subwords_that_are_not_there_are_refused(tmp_path, monkeypatch):
    monkeypatch.setenv(library.VARIABLE, str(tmp_path))
    with pytest.raises(
        MissingDataError, match=r"no word-vector table 'nowhere', only captions, raw, scene; to import one"
    ):
        caplens.score(["a dog"], [["a cat"]], [WordMoversDistance("nowhere")])
    with pytest.raises(UsageError, match=r"wmd\(subwords=true\) needs a table"):
        caplens.score(["a dog"], [["a cat"]], [WordMoversDistance(subwords=True)])
