"""The same scripts on the original and on its mirror: only the import prefix differs."""

import importlib.util
import shutil

import pytest
from tests.side_by_side import DATA, ODD, ORIGINAL, assert_close, hard, run_both

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec(ORIGINAL) is None, reason="pycocoevalcap is not installed (pip install 'caplens[meteor]')"
)
needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="the original's tokenizer and METEOR need java")


BLEU = """
from PREFIX.bleu.bleu import Bleu

def evaluate(gts, res):
    score, scores = Bleu({n}).compute_score(gts, res{verbose})
    kinds = [type(value).__name__ for value in (score, score[0], scores, scores[0], scores[0][0])]
    return [Bleu().method(), kinds, score, scores]
"""
MEAN = """
from PREFIX.{module} import {name} as Scorer

def evaluate(gts, res):
    score, scores = Scorer({arguments}).compute_score(gts, res)
    kinds = [type(score).__name__, type(scores).__name__, str(scores.dtype), scores.shape]
    return [Scorer().method(), kinds, float(score), scores.tolist()]
"""


@pytest.mark.parametrize(("n", "verbose"), [("", ""), ("2", ""), ("4", ", 0"), ("n=3", ", verbose=2")])
def test_bleu(n, verbose):
    (their_lines, theirs), (our_lines, ours) = run_both(BLEU.format(n=n, verbose=verbose), DATA)
    assert_close(ours, theirs)
    assert our_lines == their_lines


@pytest.mark.parametrize(
    ("module", "name", "arguments"),
    [
        ("rouge.rouge", "Rouge", ""),
        ("cider.cider", "Cider", ""),
        ("cider.cider", "Cider", "None, None, 4, 2.5"),
        ("cider.cider", "Cider", "n=5, sigma=-6"),
    ],
)
def test_rouge_and_cider(module, name, arguments):
    (_, theirs), (_, ours) = run_both(MEAN.format(module=module, name=name, arguments=arguments), DATA)
    assert_close(ours, theirs)


ROUGE_PARTS = """
from PREFIX.rouge.rouge import Rouge, my_lcs

def evaluate(gts, res):
    rouge = Rouge()
    rouge.beta = 0.7
    single = [rouge.calc_score(res[image], gts[image]) for image in gts]
    return [single, rouge.compute_score(gts, res)[1].tolist(), my_lcs("a b c d".split(), "b d a".split())]
"""


def test_rouge_beta_single_images_and_common_subsequence():
    (_, theirs), (_, ours) = run_both(ROUGE_PARTS, DATA)
    assert_close(ours, theirs)


ERRORS = """
import warnings
from PREFIX.bleu.bleu import Bleu
from PREFIX.cider.cider import Cider
from PREFIX.rouge.rouge import Rouge

warnings.simplefilter("ignore")  # the mean of nothing
GOOD = {1: ["a dog"], 2: ["two dogs"]}
CASES = {
    "other ids": ({1: ["a dog"]}, GOOD),
    "two candidates": (GOOD, {1: ["a dog", "a dog"], 2: ["two dogs"]}),
    "no candidate": (GOOD, {1: [], 2: ["two dogs"]}),
    "no references": ({1: [], 2: ["two dogs"]}, GOOD),
    "tuple": (GOOD, {1: ("a dog",), 2: ["two dogs"]}),
    "not text": (GOOD, {1: [5], 2: ["two dogs"]}),
    "nothing": ({}, {}),
    "no reference words": ({1: [""]}, {1: ["a dog"]}),
    "any hashable id": (
        {(1, 2): ["a dog"], "1": ["a"], 1: ["b"], None: ["c"]},
        {"1": ["a"], 1: ["b"], None: ["d"], (1, 2): ["a"]},
    ),
}

def plain(value):
    inner = map(plain, value) if hasattr(value, "__len__") else [float(value)]
    return [type(value).__name__, *inner]

def evaluate(gts, res):
    outcome = {}
    for name, (references, candidates) in CASES.items():
        for scorer in (Bleu(), Cider(), Rouge()):
            try:
                score, scores = scorer.compute_score(references, candidates)
                outcome[f"{name}: {scorer.method()}"] = [plain(score), plain(scores)]
            except Exception as error:
                outcome[f"{name}: {scorer.method()}"] = type(error).__name__
    return outcome
"""


def test_errors_and_strange_ids():
    (their_lines, theirs), (our_lines, ours) = run_both(ERRORS, {"none": ({}, {})})
    assert_close(ours, theirs)  # powers differ in the last bit from one processor to the next
    assert our_lines == their_lines


TOKENIZER = """
from PREFIX.tokenizer.ptbtokenizer import PTBTokenizer

def evaluate(gts, res):
    captions = {image: [{"caption": text, "id": 1} for text in texts] for image, texts in gts.items()}
    captions["without captions"] = []
    tokenised = PTBTokenizer().tokenize(captions)
    return [list(tokenised), type(tokenised).__name__, tokenised]
"""
CAPTIONS = {
    "1": ["A man riding a wave.", "Two dogs (running) in the park!", ""],
    "2": ["He isn't here, \"she\" said; it's a man's dog.", "A 2-story house\nat 5:30 p.m."],
    "10": ["   ", "café at night…", "They're gonna eat 1 1/2 pizzas -- maybe", "Mr. Smith's U.S. flag & $5.00"],
    "3": ["", "A red/blue kite, #1 http://example.com/x :-)"],
    "full stops that depend on the next caption": [
        *(
            "A sign with a P.",
            "A lamp post",
            "a sign with a P.",
            "Two lamps",
            "J. R.",
            "",
            "  ",
            "The dog",
            "12th Ave S.",
        ),
        *(
            "<b> dog",
            "see no.",
            "5 dogs",
            "see No.",
            "dogs",
            "fig. ",
            "2",
            "pp.",
            " 7",
            "no.",
            "",
            "7",
            "at 5 p.m.",
            "A dog",
        ),
    ],
    "last": ["the end", "", ""],
}


@needs_java
def test_tokenizer():
    (_, theirs), (_, ours) = run_both(TOKENIZER, {"captions": (CAPTIONS, {}), "one": ({"1": [""]}, {})})
    assert ours == theirs


def without(pair, *left_out):
    return tuple({key: texts for key, texts in side.items() if key not in left_out} for side in pair)


GOOD = {"1": ["a dog"], "2": ["two dogs"]}
METEOR_DATA = {
    **DATA,
    "odd": without(ODD, "line break", "surrogate"),  # the original fails
    "hard": hard(300, seed=3),
    "other order": ({"1": ["a"], "2": ["b c"]}, {"2": ["b"], "1": ["a"]}),
    "many references": ({"1": [f"a dog on {number} beds" for number in range(2000)]}, {"1": ["dogs on 1234 beds"]}),
    "no references": ({"1": [], "2": ["two dogs"]}, GOOD),
    "one string of references": ({"1": "dog", "2": ["two dogs"]}, GOOD),
    "other ids": ({"1": ["a dog"]}, GOOD),
    "two candidates": (GOOD, {"1": ["a dog", "a dog"], "2": ["two dogs"]}),
    "no candidate": (GOOD, {"1": [], "2": ["two dogs"]}),
    "not text": (GOOD, {"1": [5], "2": ["two dogs"]}),
    "reference that is no text": ({"1": [5], "2": ["two dogs"]}, GOOD),
    "nothing": ({}, {}),
}
# One scorer serves all tests, because the original takes seconds to start.
METEOR = """
import PREFIX.eval as module

meteor = module.Meteor()
module.Meteor = lambda: meteor

def meteor_outcome(gts, res):
    try:
        score, scores = meteor.compute_score(gts, res)
    except Exception as error:
        if getattr(meteor, "lock", None) and meteor.lock.locked():
            meteor.lock.release()  # the original leaves it locked
        return type(error).__name__
    lines = [meteor._stat(res[image][0], gts[image]) for image in gts]
    return [meteor.method(), type(score).__name__, type(scores).__name__, score, scores, lines]
"""
EVALUATION = """
class Nothing:
    def method(self):
        return "left out"
    def compute_score(self, gts, res):
        return 0.0, [0.0] * len(gts)

class Captions:
    def __init__(self, captions):
        self.imgToAnns = {
            image: [{"image_id": image, "caption": text} for text in texts] for image, texts in captions.items()
        }
    def getImgIds(self):
        return list(self.imgToAnns)

module.Spice = Nothing  # it would download its models; ours has tests of its own

def evaluate(gts, res, only_meteor=False):
    if only_meteor:
        return meteor_outcome(gts, res)
    outcome = []
    for wanted in (None, sorted(gts)[:2]):
        evaluation = module.COCOEvalCap(Captions(gts), Captions(res))
        if wanted:
            evaluation.params["image_id"] = wanted
        outcome.append(dict(evaluation.params))
        evaluation.evaluate()
        for scores in [evaluation.eval, *evaluation.imgToEval.values()]:
            scores.pop("SPICE", None)
        kinds = {key: type(value).__name__ for key, value in evaluation.eval.items()}
        outcome.append([kinds, evaluation.eval, evaluation.imgToEval, evaluation.evalImgs])
    return outcome
"""


@pytest.fixture(scope="module")
def with_meteor():
    candidates = {image: [texts[0] or "a dog"] for image, texts in CAPTIONS.items()}
    data = {"evaluation": (CAPTIONS, candidates), **{name: (*pair, True) for name, pair in METEOR_DATA.items()}}
    return run_both(METEOR + EVALUATION, data)


@needs_java
@pytest.mark.parametrize("name", METEOR_DATA)
def test_meteor(with_meteor, name):
    (_, theirs), (_, ours) = with_meteor
    assert_close(ours[name], theirs[name])


@needs_java
def test_evaluation(with_meteor):
    (their_lines, theirs), (our_lines, ours) = with_meteor
    assert_close(ours["evaluation"], theirs["evaluation"])
    left_out = ("computing left out", "SPICE:")
    told, said = ([line for line in lines if not line.startswith(left_out)] for lines in (their_lines, our_lines))
    assert said == told
    assert "computing METEOR score..." in told
