"""The same scripts on the original and on its mirror: only the import prefix differs."""

import importlib.util
import json
import math
import random
import shutil
import subprocess
import sys

import pytest

ORIGINAL, MIRROR = "pycocoevalcap", "caplens.compat.pycocoevalcap"

pytestmark = pytest.mark.skipif(
    importlib.util.find_spec(ORIGINAL) is None, reason="pycocoevalcap is not installed (pip install 'caplens[meteor]')"
)
needs_java = pytest.mark.skipif(shutil.which("java") is None, reason="the original's tokenizer needs java")


HARNESS = """
import json, sys
results = {}
for name, (gts, res) in json.load(sys.stdin).items():
    print("data:", name)
    results[name] = evaluate(gts, res)
print(json.dumps(results))
"""


def run(prefix, script, data):
    """Run a script in a process of its own; return its printed lines and the results for each set of captions."""
    done = subprocess.run(
        [sys.executable, "-X", "utf8", "-c", script.replace("PREFIX", prefix) + HARNESS],
        input=json.dumps(data),
        capture_output=True,
        text=True,
        encoding="utf-8",
        check=False,
        timeout=300,
    )
    assert done.returncode == 0, done.stderr
    *lines, results = done.stdout.splitlines()
    return lines, json.loads(results)


def run_both(script, data):
    return run(ORIGINAL, script, data), run(MIRROR, script, data)


def assert_close(ours, theirs, path="result"):
    """Compare plain data: the same shape, numbers to twelve digits."""
    assert type(ours) is type(theirs), path
    if isinstance(theirs, dict):
        assert list(ours) == list(theirs), path
        for key in theirs:
            assert_close(ours[key], theirs[key], f"{path}.{key}")
    elif isinstance(theirs, list):
        assert len(ours) == len(theirs), path
        for place, (left, right) in enumerate(zip(ours, theirs, strict=True)):
            assert_close(left, right, f"{path}[{place}]")
    elif isinstance(theirs, float):
        assert math.isclose(ours, theirs, rel_tol=1e-12, abs_tol=1e-15), (path, ours, theirs)
    else:
        assert ours == theirs, path


WORDS = ["a", "the", "man", "woman", "dog", "two", "red", "horse", "rides", "on", "of", "in", "park", "'s", "n't"]
WORDS += ["street", "tall", "and", "with", "café", "一个", "☃", "1/2"]


def generated(images, seed):
    """Captions that share enough words to have scores, some empty, some of one word repeated."""
    source = random.Random(seed)

    def caption():
        if source.random() < 0.05:
            return ""
        if source.random() < 0.05:
            return " ".join([source.choice(WORDS)] * source.randint(2, 9))
        return " ".join(source.choices(WORDS, weights=range(len(WORDS), 0, -1), k=source.randint(1, 14)))

    gts = {str(image): [caption() for _ in range(source.randint(1, 6))] for image in range(images)}
    return gts, {image: [caption()] for image in gts}


ODD = (
    {
        "double space": ["a  man rides", "a man  rides"],
        "space around": [" a dog ", "a dog"],
        "only spaces": ["   ", " "],
        "empty": ["", "a dog"],
        "empty candidate and a double space": ["two  dogs", "two dogs"],
        "no-break space": ["1\xa01/2 cups", "1 1/2 cups"],
        "tab": ["a\tdog runs", "a dog\truns"],
        "line break": ["a\ndog runs", "a\r\ndog runs"],
        "control": ["a\x01dog runs", "a dog runs"],
        "separators": ["a\x1cdog runs\x85off", "a\u2028dog runs off"],
        "ideographic space": ["一个\u3000男人", "一个 男人"],
        "zero width": ["a\u200bdog", "a dog"],
        "surrogate": ["a \ud800 dog", "a \udfff dog"],
        "private use": ["a \ue000 dog", "a \ue00000000061 dog"],
        "null": ["a \x00 dog", "a dog"],
        "case": ["A DOG", "a dog"],
        "combining": ["cafe\u0301 noir", "café noir"],
    },
    {
        "double space": ["a  man"],
        "space around": ["a dog"],
        "only spaces": ["  "],
        "empty": [""],
        "empty candidate and a double space": [""],
        "no-break space": ["1\xa01/2 cups"],
        "tab": ["a dog\truns"],
        "line break": ["a\ndog runs"],
        "control": ["a\x01dog runs"],
        "separators": ["a\x1cdog runs off"],
        "ideographic space": ["一个\u3000男人"],
        "zero width": ["a\u200bdog"],
        "surrogate": ["a \ud800 dog"],
        "private use": ["a \ue000 dog"],
        "null": ["a \x00 dog"],
        "case": ["a dog"],
        "combining": ["café noir"],
    },
)
DATA = {
    "generated": generated(300, seed=1),
    "few": generated(3, seed=2),
    "one image": ({"1": ["a man on a horse", "a man rides"]}, {"1": ["a man rides a horse"]}),
    "one short image": ({"1": ["a man on a tall horse", "two men on a horse in a park"]}, {"1": ["a man"]}),
    "one empty candidate": ({"1": ["a man"], "2": ["two dogs"]}, {"1": [""], "2": ["two dogs"]}),
    "odd": ODD,
}

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

def evaluate(gts, res):
    outcome = {}
    for name, (references, candidates) in CASES.items():
        for scorer in (Bleu(), Cider(), Rouge()):
            try:
                score, scores = scorer.compute_score(references, candidates)
                outcome[f"{name}: {scorer.method()}"] = [repr(score), [str(value) for value in scores]]
            except Exception as error:
                outcome[f"{name}: {scorer.method()}"] = type(error).__name__
    return outcome
"""


def test_errors_and_strange_ids():
    (their_lines, theirs), (our_lines, ours) = run_both(ERRORS, {"none": ({}, {})})
    assert ours == theirs
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


EVALUATION = """
import PREFIX.eval as module

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

for name in ("Meteor", "Spice"):  # SPICE would download its models
    if hasattr(module, name):
        setattr(module, name, Nothing)

def evaluate(gts, res):
    outcome = []
    for wanted in (None, sorted(gts)[:2]):
        evaluation = module.COCOEvalCap(Captions(gts), Captions(res))
        if wanted:
            evaluation.params["image_id"] = wanted
        outcome.append(dict(evaluation.params))
        evaluation.evaluate()
        for scores in [evaluation.eval, *evaluation.imgToEval.values()]:
            for key in ("METEOR", "SPICE"):
                scores.pop(key, None)
        kinds = {key: type(value).__name__ for key, value in evaluation.eval.items()}
        outcome.append([kinds, evaluation.eval, evaluation.imgToEval, evaluation.evalImgs])
    return outcome
"""


@needs_java
def test_evaluation():
    candidates = {image: [texts[0] or "a dog"] for image, texts in CAPTIONS.items()}
    (their_lines, theirs), (our_lines, ours) = run_both(EVALUATION, {"captions": (CAPTIONS, candidates)})
    assert_close(ours, theirs)
    left_out = ("computing left out", "METEOR:", "SPICE:", "not part of this version")
    told, said = ([line for line in lines if not line.startswith(left_out)] for lines in (their_lines, our_lines))
    assert said == told
    assert "not part of this version of caplens: METEOR, SPICE" in our_lines
