"""The mirror against recorded results of the original, and what it does on its own."""

import gzip
import json
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest
from tests.conftest import needs_meteor

from caplens.compat import pycocoevalcap
from caplens.compat.pycocoevalcap._captions import stand_in
from caplens.compat.pycocoevalcap.eval import SCORERS
from caplens.compat.pycocoevalcap.meteor._protocol import PRINTED, statistics_of
from caplens.errors import MissingDataError
from caplens.text.meteor import resources

GOLDEN = Path(__file__).parents[3] / "shared" / "data" / "golden"
# SPICE has a parser of its own, and tests of its own in test_pycocoevalcap_spice.py.
EXACT = [(getattr(pycocoevalcap, name), keys) for name, keys in SCORERS.items() if name != "Spice"]
KEYS = [key for _, keys in EXACT for key in keys]


def load(name):
    path = GOLDEN / f"{name}.json.gz"
    if not path.exists():
        pytest.skip(f"{path} is not there")
    return json.loads(gzip.decompress(path.read_bytes()))


class Captions:
    def __init__(self, captions):
        self.imgToAnns = {image: [{"caption": text} for text in texts] for image, texts in captions.items()}

    def getImgIds(self):
        return list(self.imgToAnns)


def check(golden, evaluation):
    for key in KEYS:
        assert evaluation.eval[key] == pytest.approx(golden["corpus"][key], rel=1e-12)
        theirs = [image[key] for image in golden["images"].values()]
        ours = [evaluation.imgToEval[identifier][key] for identifier in golden["images"]]
        np.testing.assert_allclose(ours, theirs, rtol=1e-11, atol=1e-15)


@needs_meteor
@pytest.mark.parametrize("name", ["coco2000_knn"])
def test_evaluation_of_raw_captions(name, capsys):
    inputs, golden = load(f"{name}_inputs")["images"], load(f"{name}_golden")
    coco = Captions({identifier: image["references"] for identifier, image in inputs.items()})
    results = Captions({identifier: [image["candidate"]] for identifier, image in inputs.items()})
    evaluation = pycocoevalcap.COCOEvalCap(coco, results)
    evaluation.evaluate()
    check(golden, evaluation)
    assert f"CIDEr: {golden['corpus']['CIDEr']:.3f}" in capsys.readouterr().out


@pytest.mark.parametrize("name", ["coco2000_human", "coco2000_knn"])
def test_tokens(name):
    inputs, golden = load(f"{name}_inputs")["images"], load(f"{name}_golden")["images"]
    captions = {
        identifier: [{"caption": text} for text in (image["candidate"], *image["references"])]
        for identifier, image in inputs.items()
    }
    tokenised = pycocoevalcap.PTBTokenizer().tokenize(captions)
    theirs = {identifier: [image["candidate_ptb"], *image["references_ptb"]] for identifier, image in golden.items()}
    assert tokenised == theirs


@needs_meteor
def test_scorers_on_tokenised_captions():
    golden = load("fakecap1000_golden")
    gts = {identifier: image["references_ptb"] for identifier, image in golden["images"].items()}
    res = {identifier: [image["candidate_ptb"]] for identifier, image in golden["images"].items()}
    evaluation = pycocoevalcap.COCOEvalCap(Captions(gts), Captions(res))
    for scorer, keys in EXACT:
        score, scores = scorer().compute_score(gts, res)
        pairs = zip(score, scores, strict=True) if isinstance(score, list) else [(score, scores)]
        for key, (corpus, items) in zip(keys, pairs, strict=True):
            evaluation.setEval(corpus, key)
            evaluation.setImgToEvalImgs(items, gts, key)
    check(golden, evaluation)


@needs_meteor
@pytest.mark.parametrize("name", ["coco2000_human", "coco2000_knn", "fakecap1000"])
def test_meteor_statistics(name):
    images = load(f"{name}_golden")["images"].values()
    table = statistics_of([image["candidate_ptb"] for image in images], [image["references_ptb"] for image in images])
    lines = [" ".join(map(str, numbers)) for numbers in table[:, :PRINTED].tolist()]
    assert lines == [image["METEOR_stats"] for image in images]


@needs_meteor
def test_meteor_of_hard_strings():
    items, meteor = load("nasty_golden")["items"], pycocoevalcap.Meteor()
    for item in items:
        assert meteor._stat(item["ptb"], item["references_ptb"]) == item["METEOR_stats"], item["text"]
        assert meteor._score(item["ptb"], item["references_ptb"]) == pytest.approx(item["METEOR"], rel=1e-9)
    for item, following in pairwise(items):
        if following["id"] == item["id"] + 1:  # else the string that was its second reference is not in the file
            references = ["a man riding a wave on top of a surfboard", following["text"]]
            assert meteor._stat(item["text"], references) == item["METEOR_raw_stats"], item["text"]


@needs_meteor
@pytest.mark.parametrize("line_break", ["\n", "\r", "\r\n"])
def test_meteor_keeps_in_step_after_a_line_break(line_break):
    gts = {1: ["two dogs run", f"a{line_break}cat"], 2: ["a horse"], 3: ["a man"]}
    broken = {1: [f"two{line_break}dogs run"], 2: ["a horse runs"], 3: ["a man"]}
    whole = {**broken, 1: ["two dogs run"]}
    meteor = pycocoevalcap.Meteor()
    assert meteor.compute_score(gts, broken) == meteor.compute_score(gts, whole)


@needs_meteor
def test_meteor_works_after_an_error():
    meteor, gts = pycocoevalcap.Meteor(), {1: ["a dog"]}
    for wrong in ({}, {1: []}, {1: ["a", "b"]}):
        with pytest.raises(AssertionError):
            meteor.compute_score(gts, wrong)
    assert meteor.compute_score(gts, {1: ["a dog"]}) == (1.0, [1.0])


def test_meteor_without_its_data(monkeypatch, capsys):
    monkeypatch.setattr(resources, "_loaded", [])
    monkeypatch.setattr(resources.Sources, "find", lambda: None)
    with pytest.raises(MissingDataError, match=r"meteor cannot run here: .* pip install \"caplens\[meteor\]\""):
        pycocoevalcap.Meteor()
    evaluation = pycocoevalcap.COCOEvalCap(Captions({1: ["A dog."]}), Captions({1: ["A dog"]}))
    evaluation.evaluate()
    assert [key for key in KEYS if key not in evaluation.eval] == ["METEOR"]
    assert "left out: meteor cannot run here" in capsys.readouterr().out


def test_stand_ins_are_different_for_different_words():
    words = ["", "a", "a\xa0b", "\ue000", "\ue00000000061", "\ud800", "\ufffd", "a\x01", "a\x02", "\t"]
    stand_ins = [stand_in(word) for word in words]
    assert len(set(stand_ins)) == len(words)
    assert all(len(word.split()) == 1 for word in stand_ins)


def test_more_orders_than_the_original_has():
    gts, res = {1: ["a b c d e f"], 2: ["g h"]}, {1: ["a b c d e f"], 2: ["g"]}
    scores, item_scores = pycocoevalcap.Bleu(5).compute_score(gts, res, verbose=0)
    assert len(scores) == len(item_scores) == 5
    assert item_scores[4][0] == pytest.approx(1)
    assert pycocoevalcap.Cider(n=2).compute_score(gts, res)[1].tolist() == pytest.approx(
        [10, 10 * 2**-0.5 / 2 * np.exp(-1 / 72)]
    )


@needs_meteor
def test_input_is_not_changed(capsys):
    gts, res = {1: ["a  dog ", ""], 2: ["x"]}, {1: ["a\tdog"], 2: [""]}
    for scorer in (pycocoevalcap.Bleu(), pycocoevalcap.Meteor(), pycocoevalcap.Rouge(), pycocoevalcap.Cider()):
        scorer.compute_score(gts, res)
    assert (gts, res) == ({1: ["a  dog ", ""], 2: ["x"]}, {1: ["a\tdog"], 2: [""]})
    assert capsys.readouterr().out.splitlines()[-1].startswith("ratio: ")
