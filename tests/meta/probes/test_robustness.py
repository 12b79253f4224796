"""Robustness curves: human captions made worse."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest

import caplens
from caplens import study
from caplens.errors import InputError, UsageError
from caplens.meta.probes.robustness import STRENGTHS, draw_captions, transformed

WORDS = [
    *("a", "red", "dog", "runs", "on", "the", "green", "grass", "while"),
    *("two", "small", "cats", "sit", "near", "an", "old", "tree"),
]


@pytest.fixture
def captions():
    generator = np.random.default_rng(1)
    return {str(image): tuple(" ".join(generator.permutation(WORDS)[:8]) for _ in range(3)) for image in range(12)}


@pytest.fixture
def folder(tmp_path, captions):
    annotations = [
        {"id": place, "image_id": int(image), "caption": text}
        for place, (image, text) in enumerate((image, text) for image, texts in captions.items() for text in texts)
    ]
    images = [{"id": int(image)} for image in captions]
    (tmp_path / "captions_val2014.json").write_text(json.dumps({"images": images, "annotations": annotations}))
    return tmp_path


def test_a_candidate_is_never_among_its_references(captions):
    captions["0"] = ("a dog", "A dog .", "two cats")
    human = draw_captions(captions, 100, 3)
    assert len(human.images) == 12
    for candidate, references in zip(human.candidates, human.references, strict=True):
        assert candidate.lower().rstrip(" .") not in [reference.lower().rstrip(" .") for reference in references]


def test_images_with_one_caption_are_passed_over():
    with pytest.raises(InputError, match="at least two images"):
        draw_captions({"1": ("a dog",), "2": ("a cat", "a cat.")}, 10, 1)


@pytest.mark.parametrize("kind", ["RC", "WP", "RW", "RP"])
def test_transformed_captions_differ_and_are_seeded(captions, kind):
    human = draw_captions(captions, 8, 3)
    one, again, other = (transformed(human, kind, 0.5, seed) for seed in (1, 1, 2))
    assert one == again
    assert (one == other) is (kind == "RP")  # nothing is drawn
    assert all(changed != candidate for changed, candidate in zip(one, human.candidates, strict=True))
    assert transformed(human, kind, 0.0, 1) == human.candidates


def test_weak_random_captions_come_from_images_with_similar_references():
    nouns = ["dog", "cat", "bus", "tree", "boat", "cake"]
    texts = {
        f"{noun} {place}": tuple(f"{word} {noun} here {place}" for word in ("a", "the", "one", "my"))
        for noun in nouns
        for place in range(5)
    }
    human = draw_captions(texts, 30, 1)
    near = transformed(human, "RC", 0.12, 1)  # four of 29 others, as many as have the same noun
    far = transformed(human, "RC", 1.0, 1)
    same = [
        sum(one.split()[1] == other.split()[1] for one, other in zip(human.candidates, changed, strict=True))
        for changed in (near, far)
    ]
    assert same[0] >= 28
    assert same[1] < 15


def test_the_area_under_the_curve(folder):
    result = study("robustness", folder, metrics="rouge, bleu(n=1)", images=10, resamples=20)
    for kind in ("RC", "WP", "RW", "RP"):
        figures = result["ROUGE_L"][kind]
        assert figures["curve"][0] == 1
        curve = np.array(figures["curve"])
        assert figures["R"] == pytest.approx(((curve[1:] + curve[:-1]) / 2 * np.diff(STRENGTHS)).sum())
        assert figures["interval"][0] <= figures["R"] <= figures["interval"][1]
    assert result["Bleu_1"]["WP"]["R"] == pytest.approx(1)  # single words do not know their order


def test_captions_of_any_file(captions, folder, tmp_path):
    path = tmp_path / "mine.jsonl"
    path.write_text("".join(json.dumps({"id": key, "references": texts}) + "\n" for key, texts in captions.items()))
    asked = {"metrics": "rouge", "images": 10, "resamples": 5}
    mine = study("robustness", references=path, **asked).to_dict()
    coco = study("robustness", folder, **asked).to_dict()
    assert mine["images_of"] == "all 12 images of mine.jsonl"
    assert coco["images_of"] == "all 12 images of captions_val2014.json (there is no karpathy_test.txt beside it)"
    assert mine["metrics"] == coco["metrics"]


def test_images_of_the_test_split_and_of_a_list(folder, tmp_path):
    (folder / "splits").mkdir()
    (folder / "splits" / "karpathy_test.txt").write_text("3\n5\n7\n")
    (folder / "captions_train2014.json").write_text((folder / "captions_val2014.json").read_text())
    asked = {"metrics": "rouge", "images": 10, "resamples": 5}
    split = study("robustness", folder, **asked)
    assert split.to_dict()["n"] == 3
    assert "drawn from 3 images of captions_val2014.json that karpathy_test.txt lists" in str(split)
    listed = tmp_path / "mine.txt"
    listed.write_text("1\n2\n")
    assert study("robustness", folder, image_list=listed, **asked).to_dict()["n"] == 2
    path = folder / "captions_val2014.json"
    assert study("robustness", references=path, image_list=listed, **asked).to_dict()["n"] == 2
    listed.write_text("99\n")
    with pytest.raises(InputError, match=r"None of the 1 images of .*mine\.txt is in"):
        study("robustness", folder, image_list=listed, **asked)


def test_scores_from_a_file_cannot_be_used(folder):
    with pytest.raises(UsageError, match="does not accept scores from a file"):
        study("robustness", folder, metrics="rouge", scores=[{"id": 1, "Mine": 1}])


def test_the_whole_caption_is_repeated_at_strength_one(captions):
    human = draw_captions(captions, 8, 3)
    assert transformed(human, "RP", 1.0, 1) == [f"{caption} and {caption}" for caption in human.candidates]


def test_near_images_by_features(captions, folder, tmp_path):
    # Features say that neighbours are the images with the next number: an even image and the odd one after it.
    images = sorted(captions, key=int)
    vectors = np.array([np.eye(6)[int(image) // 2] for image in images])
    np.savez(tmp_path / "features.npz", ids=images, features=vectors)
    human = draw_captions(captions, 12, 3)
    rows = [images.index(image) for image in human.images]
    near = transformed(replace(human, features=vectors[rows].astype(np.float32)), "RC", 0.05, 1)
    drawn = [human.images[human.candidates.index(caption)] for caption in near]
    assert [int(image) // 2 for image in drawn] == [int(image) // 2 for image in human.images]
    asked = {"metrics": "rouge", "images": 12, "resamples": 5}
    by_words = study("robustness", folder, **asked)
    by_features = study("robustness", folder, features=str(tmp_path / "features.npz"), **asked)
    assert "compared by image features" in by_features.render("text")
    assert by_words["ROUGE_L"]["WP"] == by_features["ROUGE_L"]["WP"]
    assert by_words["ROUGE_L"]["RC"] != by_features["ROUGE_L"]["RC"]


def test_a_transformation_of_the_users_own(folder, tmp_path, monkeypatch):
    caplens.register_transformation("halved", lambda caption: " ".join(caption.split()[::2]))
    asked = {"metrics": "rouge", "images": 10, "resamples": 5}
    result = study("robustness", folder, transformation="halved", **asked)
    assert list(result.to_dict()["transformations"]) == ["RC", "WP", "RW", "RP", "halved"]
    curve = result["ROUGE_L"]["halved"]["curve"]
    assert 0 < curve[1] < 1
    assert len(set(curve[1:])) == 1  # it does not know strengths
    (tmp_path / "my_robustness_changes.py").write_text("def emptied(caption):\n    return ''\n")
    monkeypatch.syspath_prepend(tmp_path)
    named = "my_robustness_changes:emptied"
    with pytest.raises(UsageError, match="allow_code=True"):
        study("robustness", folder, transformation=named, **asked)
    result = study("robustness", folder, transformation=named, allow_code=True, **asked)
    assert result["ROUGE_L"][named]["R"] == pytest.approx(0.1)  # the triangle between strengths 0 and 0.2
