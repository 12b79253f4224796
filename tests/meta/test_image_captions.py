"""Reference captions of the image sets that judgments are about."""

from __future__ import annotations

import json

import pytest

from caplens.errors import InputError
from caplens.meta.image_captions import captions_of, image_key, unseen_captions


def coco_file(path, *images):
    rows = [{"id": image, "image_id": image, "caption": f"image {image}"} for image in images]
    path.write_text(json.dumps({"images": [{"id": image} for image in images], "annotations": rows}))


def test_training_captions_are_read_only_where_they_are_asked_for(tmp_path):
    coco_file(tmp_path / "captions_val2014.json", 1, 2)
    coco_file(tmp_path / "captions_train2014.json", 2, 3)
    assert captions_of("coco", tmp_path) == {"1": ("image 1",), "2": ("image 2",)}
    assert set(captions_of("coco", tmp_path, further=True)) == {"1", "2", "3"}
    assert set(unseen_captions("coco", tmp_path).captions) == {"1", "2"}


def test_the_test_split_of_a_karpathy_file(tmp_path):
    images = [
        {"cocoid": 1, "filename": "COCO_val2014_000000000001.jpg", "split": "test", "sentences": [{"raw": "a dog"}]},
        {"cocoid": 2, "filename": "COCO_val2014_000000000002.jpg", "split": "train", "sentences": [{"raw": "a cat"}]},
    ]
    (tmp_path / "dataset_coco.json").write_text(json.dumps({"images": images}))
    found = unseen_captions("coco", tmp_path)
    assert (found.captions, found.images) == ({"1": ("a dog",)}, "1 images of the test split of dataset_coco.json")


def test_images_of_flickr30k_that_are_kept_apart(tmp_path):
    (tmp_path / "captions.json").write_text(json.dumps({"1.jpg": ["a dog"], "2.jpg": ["a cat"]}))
    assert unseen_captions("flickr30k", tmp_path).images == (
        "all 2 images of captions.json (there is no kept_apart.txt beside it)"
    )
    (tmp_path / "kept_apart.txt").write_text("2.jpg\n3.jpg\n")
    assert unseen_captions("flickr30k", tmp_path).captions == {"2": ("a cat",)}


def test_captions_of_an_unknown_set(tmp_path):
    with pytest.raises(InputError, match="no caption set 'vizwiz'"):
        captions_of("vizwiz", tmp_path)


@pytest.mark.parametrize(("name", "key"), [("COCO_train2014_000000000009.jpg", "9"), ("a_b.jpg", "a_b"), ("12", "12")])
def test_images_are_known_by_their_key(name, key):
    assert image_key(name) == key
