"""The mirror of SPICE: return shape and order of the original, scores of the original from its own parses."""

import math

import numpy as np
import pytest
from tests import spice_reference
from tests.spice_reference import needs_spice

import caplens
from caplens.compat import pycocoevalcap
from caplens.compat.pycocoevalcap.eval import SCORERS, COCOEvalCap
from caplens.compat.pycocoevalcap.eval_spice import COCOEvalCapSpice
from caplens.compat.pycocoevalcap.spice.spice import CATEGORIES, AllSpice, Spice

NUMBERS = ["pr", "re", "f", "fn", "numImages", "fp", "tp"]
GTS = {2: ["a brown dog runs on the grass", "a dog"], 10: ["two cats"], 1: ["a man on a horse"]}
RES = {10: ["two cats"], 1: ["a red car"], 2: ["a brown dog"]}


class Captions:
    def __init__(self, captions):
        self.imgToAnns = {image: [{"caption": text} for text in texts] for image, texts in captions.items()}

    def getImgIds(self):
        return list(self.imgToAnns)


@needs_spice
@pytest.mark.parametrize("name", ["coco2000_knn", "fakecap1000"])
def test_the_parses_of_the_original_give_its_scores(name):
    golden = spice_reference.load(name)
    items = {str(item["id"]): item for item in golden["items"]}
    gts = {image: item["references_ptb"] for image, item in items.items()}
    res = {image: [item["candidate_ptb"]] for image, item in items.items()}
    score, scores = Spice(parser=spice_reference.register()).compute_score(gts, res)
    assert score == pytest.approx(golden["corpus"]["SPICE"], abs=1e-9)
    for image, ours in zip(sorted(items), scores, strict=True):
        theirs = items[image]["scores"]
        assert list(ours) == list(theirs)
        for category, numbers in theirs.items():
            wanted = [numbers[each] if numbers[each] is not None else np.nan for each in numbers]
            np.testing.assert_allclose([ours[category][each] for each in numbers], wanted, rtol=0, atol=1e-12)


def test_the_shape_is_that_of_the_original():
    spice = Spice()
    assert spice.method() == "SPICE"
    score, scores = spice.compute_score(GTS, RES)
    assert type(score) is np.float64
    assert score == np.mean([image["All"]["f"] for image in scores])
    assert [list(image) for image in scores] == [list(CATEGORIES)] * 3
    for image in scores:
        for numbers in image.values():
            assert list(numbers) == NUMBERS
            assert {type(value) for value in numbers.values()} == {float}
            assert numbers["numImages"] == 1


def test_images_are_sorted_as_in_the_original():
    _, scores = Spice().compute_score(GTS, RES)
    assert [image["All"]["tp"] for image in scores] == [0, 2, 2]
    assert math.isnan(scores[0]["Cardinality"]["f"])
    assert scores[2]["Cardinality"]["f"] == 1


def test_an_evaluation_gives_every_image_its_own_scores(capsys):
    evaluation = pycocoevalcap.COCOEvalCap(Captions(GTS), Captions(RES))
    evaluation.evaluate()
    assert evaluation.imgToEval[10]["SPICE"]["All"]["f"] == 1
    assert evaluation.imgToEval[1]["SPICE"]["All"]["f"] == 0
    assert f"SPICE: {evaluation.eval['SPICE']:.3f}" in capsys.readouterr().out.splitlines()
    assert list(evaluation.eval) == [key for keys in SCORERS.values() for key in keys if key in evaluation.eval]


def test_the_mean_has_no_value_if_an_image_has_none():
    score, scores = Spice().compute_score({1: ["a dog"], 2: ["and of the"]}, {1: ["a dog"], 2: ["a dog"]})
    assert math.isnan(score)
    assert scores[0]["All"]["f"] == 1
    assert scores[1]["All"] == pytest.approx(
        {"pr": np.nan, "re": np.nan, "f": np.nan, "fn": 0, "numImages": 1, "fp": 1, "tp": 0}, nan_ok=True
    )


@pytest.mark.parametrize(
    ("gts", "res"),
    [({1: ["a"]}, {2: ["a"]}), ({1: ["a"]}, {1: ["a", "b"]}), ({1: []}, {1: ["a"]}), ({1: "a"}, {1: ["a"]})],
)
def test_what_the_original_asserts(gts, res):
    with pytest.raises(AssertionError):
        Spice().compute_score(gts, res)


def test_no_image_at_all():
    with pytest.raises(ValueError, match="SPICE needs at least one image"):
        Spice().compute_score({}, {})


GTS_OF_SEVERAL = {1: ["a brown dog runs", "a man"], 2: ["two cats", "a red car"]}


class TestSeveralCandidates:
    """AllSPICE: one scene graph of all candidates of an image."""

    def test_equal_captions_change_nothing(self):
        _, one = Spice().compute_score(GTS, RES)
        _, three = AllSpice().compute_score(GTS, {image: texts * 3 for image, texts in RES.items()})
        assert str(one) == str(three)  # NaN is no equal of itself

    def test_a_caption_adds_its_tuples(self):
        gts = {7: ["a brown dog runs", "a man"]}
        _, (one,) = AllSpice().compute_score(gts, {7: ["a brown dog"]})
        score, (two,) = AllSpice().compute_score(gts, {7: ["a brown dog", "a tall man"]})
        assert (one["Object"]["tp"], two["Object"]["tp"]) == (1, 2)
        assert two["Attribute"]["fp"] == 1
        assert score == two["All"]["f"]

    def test_references_as_candidates(self):
        score, _ = AllSpice().compute_score(GTS_OF_SEVERAL, GTS_OF_SEVERAL)
        assert score >= 1


class TestEvaluations:
    def test_spice_alone_of_several_captions(self, capsys):
        references = {"b": ["A brown dog runs.", "a man"], "a": ["two cats", "a red car"]}
        samples = {"b": ["A dog", "A man!"], "a": ["a cat", "a red bus", "a red car"]}
        evaluation = COCOEvalCapSpice(Captions(references), Captions(samples))
        evaluation.evaluate()
        expected, (first, second) = AllSpice().compute_score(
            {"a": ["two cats", "a red car"], "b": ["a brown dog runs", "a man"]},
            {"a": ["a cat", "a red bus", "a red car"], "b": ["a dog", "a man"]},
        )
        assert evaluation.eval == {"SPICE": expected}
        assert str(evaluation.imgToEval["a"]["SPICE"]) == str(first)
        assert str(evaluation.imgToEval["b"]["SPICE"]) == str(second)
        assert f"SPICE: {expected:0.3f}" in capsys.readouterr().out

    def test_the_third_argument_of_a_fork(self):
        captions = Captions({1: ["a dog"]})
        assert COCOEvalCap(captions, captions, "corpus").params == {"image_id": [1]}
        with pytest.raises(caplens.UsageError, match=r"no document frequencies 'coco-val'.*CiderD"):
            COCOEvalCap(captions, captions, "coco-val")
