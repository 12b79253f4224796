"""The mirror against recorded results of the original, and what it does on its own."""

import gzip
import json
from pathlib import Path

import numpy as np
import pytest

from caplens.compat import pycocoevalcap
from caplens.compat.pycocoevalcap._captions import stand_in
from caplens.compat.pycocoevalcap.eval import SCORERS

GOLDEN = Path(__file__).parents[3] / "shared" / "data" / "golden"
KEYS = [key for scorer, keys in SCORERS if scorer for key in keys]


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


@pytest.mark.parametrize("name", ["coco2000_human", "coco2000_knn"])
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


def test_scorers_on_tokenised_captions():
    golden = load("fakecap1000_golden")
    gts = {identifier: image["references_ptb"] for identifier, image in golden["images"].items()}
    res = {identifier: [image["candidate_ptb"]] for identifier, image in golden["images"].items()}
    evaluation = pycocoevalcap.COCOEvalCap(Captions(gts), Captions(res))
    for scorer, keys in SCORERS:
        if scorer:
            score, scores = scorer().compute_score(gts, res)
            pairs = zip(score, scores, strict=True) if isinstance(score, list) else [(score, scores)]
            for key, (corpus, items) in zip(keys, pairs, strict=True):
                evaluation.setEval(corpus, key)
                evaluation.setImgToEvalImgs(items, gts, key)
    check(golden, evaluation)


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


def test_input_is_not_changed(capsys):
    gts, res = {1: ["a  dog ", ""], 2: ["x"]}, {1: ["a\tdog"], 2: [""]}
    for scorer in (pycocoevalcap.Bleu(), pycocoevalcap.Rouge(), pycocoevalcap.Cider()):
        scorer.compute_score(gts, res)
    assert (gts, res) == ({1: ["a  dog ", ""], 2: ["x"]}, {1: ["a\tdog"], 2: [""]})
    assert capsys.readouterr().out.splitlines()[-1].startswith("ratio: ")
