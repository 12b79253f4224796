"""Shards scored with one state and merged equal the whole, for every metric without exception."""

from __future__ import annotations

import json

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from caplens import Evaluator
from caplens.api.inputs import corpus_of
from caplens.core.grammar import Request
from caplens.core.prepared import Usage
from caplens.core.registry import build, names
from caplens.core.statistics import Statistics
from caplens.corpus import PairedTable, from_pairs
from caplens.text.captions import Captions
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words

ROWS = [
    ("a man rides a brown horse", ["a man on a horse", "a person is riding a brown horse on the beach"]),
    ("two dogs", ["two dogs run in the snow"]),
    ("a man on a horse", ["a man on a horse", "a person is riding a brown horse on the beach"]),  # the same references
    ("", ["a red bus on the street", "the bus"]),
    ("a cat sits on 1 1/2 mats .", ["the cat sat on the mat", "a cat", "an animal on a mat"]),
    ("zxqv blorp", ["two dogs run in the snow"]),
    ("a black and white photo of a street", ["a street with a red bus", "black and white photo"]),
    ("a cat", ["!!!"]),
]
SINGLE_PRECISION = ("wembsim_c",)


@pytest.fixture(scope="module")
def corpus():
    candidates, references = zip(*ROWS, strict=True)
    ids = [f"row {place}" for place in range(len(ROWS))]
    return from_pairs(PairedTable(ids, list(candidates), list(references), "shards"))


@pytest.fixture(scope="module")
def elmo_file(tmp_path_factory):
    """Vectors of all captions, drawn at random, as AllenNLP's command writes them."""
    h5py = pytest.importorskip("h5py", reason="h5py is not installed (pip install h5py)")
    generator = np.random.default_rng(7)
    path = tmp_path_factory.mktemp("elmo") / "elmo.hdf5"
    texts = [text for candidate, references in ROWS for text in (candidate, *references)]
    words = encode_words(Captions.from_texts(texts)[0], get_tokenizer("ptb"))
    tokenised = dict.fromkeys(" ".join(" ".join(words[place]).split()) for place in range(len(texts)))
    with h5py.File(path, "w") as file:
        for number, text in enumerate(tokenised):
            file.create_dataset(str(number), data=generator.normal(size=(3, len(text.split()), 8)).astype(np.float32))
        index = file.create_dataset("sentence_to_index", (1,), dtype=h5py.special_dtype(vlen=str))
        index[0] = json.dumps({text: str(number) for number, text in enumerate(tokenised)})
    return path


def make(name, request):
    """Return the metric with its usual options; skip it where it cannot run here."""
    if name == "wembsim_e":
        return build(Request(name, (("file", str(request.getfixturevalue("elmo_file"))),)))
    metric = build(Request(name, (("weights", "Eval_MS"),) if name == "composite" else ()))
    if metric.missing_data() is not None:
        pytest.skip(f"{name}: {metric.missing_data()}")
    return metric


@pytest.mark.parametrize("name", names())
@pytest.mark.parametrize("cuts", [(3, 4), (1, 2, 3, 4, 5, 6, 7)], ids=["three shards", "row by row"])
def test_shards_equal_the_whole(corpus, name, cuts, request):
    if name == "diversity":
        pytest.skip("it compares the captions of an image with each other: shards must keep images together")
    metric = make(name, request)
    evaluator = Evaluator([metric], corpus.references, documents=Usage.of(corpus), jobs=1)
    whole = evaluator.score(corpus).runs[0]
    shards = [list(rows) for rows in np.split(np.arange(len(corpus)), cuts)]
    merged = Statistics.concatenate([evaluator.score(corpus.select(rows)).runs[0].statistics for rows in shards])
    tolerance = 1e-6 if name in SINGLE_PRECISION else 1e-12
    np.testing.assert_allclose(merged.table, whole.statistics.table, rtol=tolerance, atol=tolerance)
    scores = metric.corpus_scores(merged)
    np.testing.assert_allclose(scores, whole.corpus_scores, rtol=tolerance, atol=tolerance)
    assert len(merged) == len(ROWS)


captions = st.lists(st.sampled_from(["a", "man", "dog", "rides", ".", "1/2", "Don't"]), max_size=6).map(" ".join)


@settings(max_examples=25, deadline=None)
@given(st.lists(st.tuples(captions, st.lists(captions, min_size=1, max_size=3)), min_size=2, max_size=6), st.data())
def test_any_shards_of_any_captions_equal_the_whole(rows, drawn):
    corpus = corpus_of([candidate for candidate, _ in rows], [references for _, references in rows])
    evaluator = Evaluator("bleu, rouge, cider, spider", corpus.references, documents=Usage.of(corpus), jobs=1)
    cut = drawn.draw(st.integers(1, len(corpus) - 1))
    order = drawn.draw(st.permutations(range(len(corpus))))
    shards = [evaluator.score(corpus.select(list(part))) for part in (order[:cut], order[cut:])]
    for place, run in enumerate(evaluator.score(corpus).runs):
        merged = Statistics.concatenate([shard.runs[place].statistics for shard in shards])
        np.testing.assert_allclose(merged.table, run.statistics.table[order], rtol=1e-12, atol=1e-12)
