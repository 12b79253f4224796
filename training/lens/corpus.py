"""The captions that `lens` is trained on, cut into words once and kept: COCO train2014 and Flickr30k."""

from __future__ import annotations

import gzip
import json
import sys
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from operator import itemgetter
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.arrays import Integers
from caplens.text.captions import Captions
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import encode_words

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data"
CATEGORIES = 80  # of objects
HELD_OUT = 40  # every fortieth image is never trained on: choices without judgments are made by it
DATA_USE = {
    "fitted_on": "captions of COCO train2014, Flickr30k without kept_apart.txt, partly as all-MiniLM-L6-v2 reads them",
    "reported_on": "Flickr8k, COCO val2014, and on sets that chose nothing: ABSTRACT-50S, THumB, FOIL",
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
    """Return the objects of COCO train2014's images, in their order in `Corpus`."""
    listed = chair_objects()["train2014"]
    return [listed[str(image)] for image in coco_train2014()]


def chair_objects() -> dict[str, Any]:
    """Return CHAIR's categories, and by split the objects of COCO's images (../shared/data/chair)."""
    with gzip.open(SHARED / "chair" / "objects.json.gz") as file:
        return dict(json.load(file))


def mentions_of(captions: Sequence[Sequence[str]]) -> npt.NDArray[np.bool_]:
    """Return which objects captions name, by CHAIR's words; plurals lose their ending."""
    number = {name: place for place, name in enumerate(chair_objects()["categories"])}
    words = json.loads((SHARED / "chair" / "words.json").read_text())
    category, pairs = words["word_to_category"], words["two_words_to_one"]
    found = np.zeros((len(captions), CATEGORIES + 1), np.bool_)
    for row, caption in enumerate(captions):
        place = 0
        while place < len(caption):
            joined = pairs.get(" ".join(caption[place : place + 2]))
            word = caption[place] if joined is None else joined
            forms = (word, word.removesuffix("s"), word.removesuffix("es"))
            named = next((category[form] for form in forms if form in category), None)
            if named in number:
                found[row, number[named]] = True
            place += 1 if joined is None else 2
    return found


def _flickr30k() -> list[list[str]]:
    folder = SHARED / "flickr30k"
    judged = set((folder / "kept_apart.txt").read_text().split())
    with gzip.open(folder / "captions.json.gz") as file:
        captions = json.load(file)
    return [captions[image] for image in sorted(captions) if image not in judged]
