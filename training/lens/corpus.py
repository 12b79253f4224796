"""The captions that `lens` is trained on, cut into words once and kept: COCO train2014 and Flickr30k."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path

import numpy as np

from caplens.arrays import Integers
from caplens.text.captions import Captions
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
HELD_OUT = 40  # every fortieth image is never trained on: choices without judgments are made by it
DATA_USE = {
    "fitted_on": "captions of COCO train2014, Flickr30k without kept_apart.txt, partly as all-MiniLM-L6-v2 reads them",
    "reported_on": "Flickr8k, and on sets that chose nothing: ABSTRACT-50S, THumB, FOIL, COCO val2014",
}


def say(line: str) -> None:
    """Print a line at once."""
    sys.stdout.write(line + "\n")
    sys.stdout.flush()


def tokens(texts: list[str]) -> list[list[str]]:
    """Cut captions into words as the metrics do."""
    found = encode_words(Captions.from_texts(texts)[0], get_tokenizer("ptb"))
    return [list(found[place]) for place in range(len(found))]


@dataclass(frozen=True, eq=False)
class Corpus:
    """Captions in the order of their images; the captions of image ``i`` are ``first[i]`` to ``first[i + 1]``."""

    texts: list[str]
    words: list[list[str]]
    first: Integers

    @property
    def images(self) -> int:
        """How many images there are."""
        return len(self.first) - 1

    def counts(self) -> Counter[str]:
        """Count the words."""
        return Counter(word for caption in self.words for word in caption)

    def split(self) -> tuple[Integers, Integers]:
        """Return the images to train on, and those that are held out."""
        places = np.arange(self.images)
        return places[places % HELD_OUT != 0], places[places % HELD_OUT == 0]


def read(folder: Path) -> Corpus:
    """Read the captions; their words are kept in a folder."""
    kept = folder / "corpus.json.gz"
    if not kept.is_file():
        texts: list[str] = []
        sizes: list[int] = []
        for captions in (*coco_train2014().values(), *_flickr30k()):
            texts.extend(captions)
            sizes.append(len(captions))
        words = [" ".join(caption) for caption in tokens(texts)]
        folder.mkdir(parents=True, exist_ok=True)
        with gzip.open(kept, "wt", compresslevel=1, encoding="utf-8") as file:
            json.dump({"texts": texts, "words": words, "sizes": sizes}, file)
    with gzip.open(kept, "rt", encoding="utf-8") as file:
        content = json.load(file)
    first = np.concatenate([[0], np.cumsum(content["sizes"])]).astype(np.int64)
    return Corpus(content["texts"], [line.split() for line in content["words"]], first)


def coco_train2014() -> dict[int, list[str]]:
    """Return the captions of COCO train2014 by image; these are the first images of `Corpus`."""
    with gzip.open(SHARED / "coco_train2014" / "captions_train2014.json.gz") as file:
        annotations = sorted(json.load(file)["annotations"], key=lambda entry: (entry["image_id"], entry["id"]))
    grouped = groupby(annotations, key=itemgetter("image_id"))
    return {image: [entry["caption"] for entry in group] for image, group in grouped}


def coco_objects() -> list[list[int]]:
    """Return the objects of COCO train2014's images, in their order in `Corpus` (../shared/data/chair)."""
    with gzip.open(SHARED / "chair" / "objects.json.gz") as file:
        listed = json.load(file)["train2014"]
    return [listed[str(image)] for image in coco_train2014()]


def _flickr30k() -> list[list[str]]:
    folder = SHARED / "flickr30k"
    judged = set((folder / "kept_apart.txt").read_text().split())
    with gzip.open(folder / "captions.json.gz") as file:
        captions = json.load(file)
    return [captions[image] for image in sorted(captions) if image not in judged]
