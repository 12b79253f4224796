"""Batches of a self-critical training, made from the example captions: what the golden rewards were computed for."""

from __future__ import annotations

import json
import pickle
from collections import defaultdict

from tests.conftest import EXAMPLE

IMAGES = 120
SAMPLES = 2


def captions():
    """Return the references of each image and its two samples, as lower-case words."""
    return tuple([[plain(text) for text in texts] for texts in sets] for sets in as_written(IMAGES))


def as_written(count):
    """Return the references of the first images and their two samples, as they stand in the files."""
    annotations = json.loads((EXAMPLE / "references.json").read_text())["annotations"]
    references = defaultdict(list)
    for entry in annotations:
        references[entry["image_id"]].append(entry["caption"])
    samples = defaultdict(list)
    for name in ("human", "degraded"):
        for entry in json.loads((EXAMPLE / f"{name}.json").read_text()):
            samples[entry["image_id"]].append(entry["caption"])
    images = sorted(references)[:count]
    return [references[image] for image in images], [samples[image] for image in images]


def plain(text):
    return " ".join("".join(letter if letter.isalnum() else " " for letter in text.lower()).split())


def numbered(sets):
    """Return captions as word numbers with a closing 0, as training code has them."""
    words = sorted({word for texts in captions()[0] for text in texts for word in text.split()})
    number = {word: place for place, word in enumerate(words, 1)}
    unknown = len(words) + 1
    return [
        [" ".join(str(number.get(word, unknown)) for word in text.split()) + " 0" for text in texts] for texts in sets
    ]


def frequencies(references):
    """Count document frequencies the way `prepro_ngrams.py` of the training code stores them."""
    found = defaultdict(float)
    for texts in references:
        seen = set()
        for text in texts:
            words = text.split()
            for order in range(1, 5):
                seen.update(tuple(words[place : place + order]) for place in range(len(words) - order + 1))
        for ngram in seen:
            found[ngram] += 1
    return found


def write_pickle(path, references, protocol=2):
    path.parent.mkdir(exist_ok=True)
    content = {"document_frequency": frequencies(references), "ref_len": len(references)}
    path.write_bytes(pickle.dumps(content, protocol=protocol))


def batch(references, samples):
    """Return gts and res of one batch: the references of an image are one list, whatever number of samples it has."""
    gts = {place: references[place // SAMPLES] for place in range(len(samples) * SAMPLES)}
    flat = [text for texts in samples for text in texts]
    return gts, [{"image_id": place, "caption": [text]} for place, text in enumerate(flat)]
