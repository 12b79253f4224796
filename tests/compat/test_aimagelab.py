"""aimagelab's `evaluation` package: its own calls over the numbers of the COCO tools."""

from __future__ import annotations

import json
import pickle

import numpy as np
import pytest
from tests.compat import reward_inputs
from tests.conftest import ROOT, needs_meteor

from caplens.compat.aimagelab.evaluation import (
    Bleu,
    Cider,
    Meteor,
    PTBTokenizer,
    Rouge,
    Spice,
    compute_all_scores,
    compute_scores,
)
from caplens.compat.aimagelab.evaluation.cider.cider_scorer import CiderScorer
from caplens.compat.pycocoevalcap import bleu, cider, rouge

REFERENCES = [["A man on a horse.", "A man rides a horse"], ["Two dogs!"], ["a cat on the mat", "the cat sits"]]
CANDIDATES = ["A man is on a horse", "two dogs run", "a cat"]


@pytest.fixture
def captions():
    return PTBTokenizer.tokenize(REFERENCES), PTBTokenizer.tokenize(CANDIDATES)


def test_the_tokenizer_takes_strings_lists_and_dictionaries():
    assert PTBTokenizer.tokenize(("A dog.", "two")) == {0: ["a dog"], 1: ["two"]}
    assert PTBTokenizer.tokenize({"x": ["A dog.", "two"]}) == {"x": ["a dog", "two"]}
    assert PTBTokenizer().tokenize([["A dog."]]) == {0: ["a dog"]}


@needs_meteor
def test_golden():
    """Against the `evaluation` package of aimagelab/meshed-memory-transformer."""
    golden = json.loads((ROOT / "tests" / "data" / "aimagelab_golden.json").read_text())
    references, samples = reward_inputs.as_written(20)
    gts, gen = PTBTokenizer.tokenize(references), PTBTokenizer.tokenize([texts[0] for texts in samples])
    assert list(gen.values()) == golden["gen"]
    found = compute_scores(gts, gen)
    for ours, theirs in zip(found, golden["scores"], strict=True):
        assert list(ours) == list(theirs)
        for name in ours:
            np.testing.assert_allclose(ours[name], theirs[name], rtol=1e-9, atol=1e-12)
    train = Cider(PTBTokenizer.tokenize({f"{place}_0": texts for place, texts in enumerate(references[:12])}))
    assert train.ref_len == pytest.approx(golden["ref_len"], rel=1e-12)
    np.testing.assert_allclose(train.compute_score(gts, gen)[1], golden["train"], rtol=1e-9, atol=1e-12)


@needs_meteor
def test_camel_has_spice_too(captions):
    scores, of_images = compute_all_scores(*captions)
    assert list(scores) == ["BLEU", "METEOR", "ROUGE", "CIDEr", "SPICE"]
    assert scores["SPICE"] == Spice().compute_score(*captions)[0]
    assert len(of_images["SPICE"]) == 3


@needs_meteor
def test_scores_are_those_of_the_coco_tools(captions):
    scores, of_images = compute_scores(*captions)
    assert list(scores) == ["BLEU", "METEOR", "ROUGE", "CIDEr"]
    assert scores["BLEU"] == bleu.bleu.Bleu(4).compute_score(*captions, verbose=0)[0]
    np.testing.assert_allclose(of_images["CIDEr"], cider.cider.Cider().compute_score(*captions)[1], rtol=1e-12)
    np.testing.assert_array_equal(of_images["ROUGE"], rouge.rouge.Rouge().compute_score(*captions)[1])
    assert len(of_images["METEOR"]) == 3


def test_document_frequencies_are_those_of_the_first_argument(captions, capsys):
    gts, res = captions
    training = {**gts, 7: ["a dog on a mat"], 8: ["two men ride"]}
    scorer = Cider(training)
    _, scores = scorer.compute_score(gts, res)
    expected = CiderScorer(gts, test=res, doc_frequency=scorer.doc_frequency, ref_len=scorer.ref_len).compute_score()[1]
    np.testing.assert_allclose(scores, expected, rtol=1e-9)
    assert not np.allclose(scores, Cider().compute_score(gts, res)[1])
    single = scorer.compute_score({0: gts[0]}, {0: res[0]})[1]
    assert single[0] == pytest.approx(scores[0])
    np.testing.assert_array_equal(pickle.loads(pickle.dumps(scorer)).compute_score(gts, res)[1], scores)
    assert capsys.readouterr().out == ""


def test_odd_white_space_and_other_options_take_the_slow_way(captions):
    gts, res = captions
    _, scores = Cider(gts, sigma=2.0).compute_score({0: ["a\x1dman"]}, {0: ["a man"]})
    assert len(scores) == 1
    np.testing.assert_allclose(
        Cider(n=4, sigma=3.0).compute_score(gts, res)[1], cider.cider.Cider(sigma=3.0).compute_score(gts, res)[1]
    )


def test_names_are_texts():
    assert [str(metric) for metric in (Bleu(), Rouge(), Cider())] == ["BLEU", "ROUGE", "CIDEr"]
    assert Meteor.__str__(object.__new__(Meteor)) == "METEOR"
