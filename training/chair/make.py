"""Make what CHAIR ships: the words of the 80 COCO categories, and the objects of the images of val2014.

    python training/chair/make.py ../shared/data/chair

The folder holds `words.json` and `objects.json.gz`; its README says where they come from. The same input gives the same
bytes.
"""

from __future__ import annotations

import argparse
import gzip
import json
from pathlib import Path

import numpy as np

from caplens.files.arrays import write_arrays

TARGET = Path(__file__).resolve().parents[2] / "src" / "caplens" / "data" / "chair"
SPLIT = "val2014"
FACTS = {
    "origin": "COCO 2014 val: instance annotations, and the objects that the images' captions name",
    "licence": "CC BY 4.0, COCO Consortium",
    "split": SPLIT,
    "version": "1",
}


def main() -> None:
    """Write both files."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("folder", type=Path)
    folder = parser.parse_args().folder
    found = json.loads(gzip.decompress((folder / "objects.json.gz").read_bytes()))
    given = json.loads((folder / "words.json").read_text(encoding="utf-8"))
    categories = [name for name in found["categories"] if name]
    place = {found["categories"].index(name): number for number, name in enumerate(categories)}
    words = {word.strip(): name for word, name in given["word_to_category"].items() if word.strip()}
    # Only two words are joined, and lemmas are dictionary forms: three words and "glas" never occur.
    pairs = {
        pair: word for pair, word in given["two_words_to_one"].items() if pair.count(" ") == 1 and pair != "wine glas"
    }
    TARGET.mkdir(exist_ok=True)
    document = {"categories": categories, "words": dict(sorted(words.items())), "pairs": dict(sorted(pairs.items()))}
    (TARGET / "words.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")
    images = sorted(found[SPLIT].items(), key=lambda item: int(item[0]))
    objects = [sorted(place[number] for number in numbers) for _, numbers in images]
    arrays = {
        "images": np.array([int(image) for image, _ in images], dtype=np.int32),
        "counts": np.array([len(some) for some in objects], dtype=np.uint8),
        "objects": np.array([number for some in objects for number in some], dtype=np.uint8),
    }
    write_arrays(TARGET / "objects.safetensors", arrays, FACTS)


if __name__ == "__main__":
    main()
