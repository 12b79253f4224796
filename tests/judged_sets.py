"""Judged sets by name, and small ones that are made up."""

from __future__ import annotations

import json

import pytest

from caplens.meta.registry import study_class
from caplens.meta.study import configure


def preset_of(name, preset=None):
    """Return a study as a preset (by default the first) has it."""
    return configure(study_class(name), {"preset": preset})


def load(name, folder, captions=None):
    """Read the judgments of a study."""
    return preset_of(name).load(folder, captions or folder)


CAPTIONS = {
    "dog.jpg": ["A dog runs on grass .", "A brown dog runs .", "The dog is outside ."],
    "cat.jpg": ["A cat sleeps on a bed .", "A white cat is sleeping .", "The cat lies on a blanket ."],
    "bus.jpg": ["A red bus drives down a street .", "A bus in a city .", "The bus is red ."],
    "man.jpg": ["A man rides a horse .", "A man on a horse .", "Somebody rides ."],
}
EXPERT = [
    ("dog.jpg", "dog.jpg#1", 4, 4, 4),
    ("dog.jpg", "cat.jpg#0", 1, 1, 2),
    ("cat.jpg", "dog.jpg#0", 1, 2, 1),
    ("cat.jpg", "bus.jpg#2", 1, 1, 1),
    ("bus.jpg", "man.jpg#1", 1, 1, 2),
    ("bus.jpg", "dog.jpg#2", 2, 1, 1),
    ("man.jpg", "bus.jpg#0", 1, 2, 2),
    ("man.jpg", "dog.jpg#1", 2, 3, 2),
]
CROWD = [(image, caption, [0, 1 / 3, 1][place % 3], 1, 2) for place, (image, caption, *_) in enumerate(EXPERT)]


@pytest.fixture
def flickr(tmp_path):
    """A folder with the three text files of Flickr8k."""
    return write_flickr(tmp_path / "flickr8k")


def write_flickr(folder):
    """Make that folder."""
    folder.mkdir()
    lines = [f"{image}#{place}\t{text}\n" for image, texts in CAPTIONS.items() for place, text in enumerate(texts)]
    (folder / "Flickr8k.token.txt").write_text("".join(lines))
    for name, rows in (("ExpertAnnotations.txt", EXPERT), ("CrowdFlowerAnnotations.txt", CROWD)):
        (folder / name).write_text("".join("\t".join(map(str, row)) + "\n" for row in rows))
    return folder


@pytest.fixture
def judged_table(tmp_path):
    """A table of the user's own."""
    rows = [
        {"id": 1, "candidate": "a dog runs", "references": ["a dog runs fast", "the dog"], "human": 4},
        {"id": 2, "candidate": "two cats", "references": ["a cat", "a cat sleeps"], "human": 3},
        {"id": 3, "candidate": "a bus", "references": ["three people eat"], "human": 1},
        {"id": 4, "candidate": "a red bus", "references": ["a red bus", "the bus"], "human": 5},
    ]
    path = tmp_path / "judged.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in rows))
    return path


@pytest.fixture
def coco(tmp_path):
    """COCO captions of two images, and two systems."""
    texts = ["a red dog runs", "a cat sits", "two dogs", "a small cat on a bed"]
    annotations = [{"id": place, "image_id": 1 + place % 2, "caption": text} for place, text in enumerate(texts)]
    (tmp_path / "captions_val2014.json").write_text(
        json.dumps({"images": [{"id": 1}, {"id": 2}], "annotations": annotations})
    )
    (tmp_path / "systems").mkdir()
    for name, captions in {"one": ["a red dog", "a cat"], "two": ["a dog", "a zebra"]}.items():
        rows = [{"image_id": image, "caption": caption} for image, caption in enumerate(captions, 1)]
        (tmp_path / "systems" / f"{name}.json").write_text(json.dumps(rows))
    return tmp_path
