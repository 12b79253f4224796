"""Small captions to train a critique on: people write whole sentences, the machine always leaves the article out."""

from __future__ import annotations

import json
from pathlib import Path

import numpy as np

ANIMALS = ("dog", "cat", "horse", "cow", "bird", "sheep", "bear", "zebra")
ACTIONS = ("runs", "sleeps", "stands", "jumps", "eats", "sits")
PLACES = ("on the grass", "in the snow", "near a house", "by the water", "under a tree")

SMALL = """
[network]
embedding = 12
hidden = 8
fusion_size = 8
sketch = 32

[words]
minimum_count = 1

[training]
epochs = 2
batch = 64
references = 2
"""


def write_captions(folder: Path, images: int = 60) -> tuple[Path, Path]:
    """Write references and the captions of a system; return the two files."""
    generator = np.random.default_rng(0)
    annotations, results = [], []
    for image in range(images):
        animal, action, place = (
            options[int(generator.integers(len(options)))] for options in (ANIMALS, ACTIONS, PLACES)
        )
        human = (
            f"A {animal} {action} {place}.",
            f"The brown {animal} {action} {place}",
            f"There is a {animal} that {action} {place}",
            f"a {animal} {place}",
        )
        annotations += [{"image_id": image, "id": len(annotations), "caption": caption} for caption in human]
        results.append({"image_id": image, "caption": f"{animal} {action} {place.split()[-1]}"})
    references, system = folder / "references.json", folder / "system.json"
    listed = [{"id": image} for image in range(images)]
    references.write_text(json.dumps({"images": listed, "annotations": annotations}))
    system.write_text(json.dumps(results))
    return references, system


def write_features(path: Path, images: int = 60, width: int = 5) -> Path:
    """Write made-up image features."""
    vectors = np.random.default_rng(1).normal(size=(images, width)).astype(np.float32)
    np.savez(path, ids=np.array([str(image) for image in range(images)]), features=vectors)
    return path
