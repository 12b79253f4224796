"""Draw captions of other images for each image, from near to far: ``python training/lens/groups.py --run RUN``.

Writes RUN/groups.npz (a minute): for each image others whose ranks by likeness are spread evenly on a logarithmic
scale, their likeness (mean directions of their captions, by the encoder that ships), the objects of COCO's images
(../shared/data/chair) and those that captions name.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import numpy.typing as npt
from features import encode_shipped

import corpus
from caplens.arrays import Integers, Singles
from corpus import CATEGORIES, HELD_OUT, Corpus, mentions_of, say

OTHERS = 24
AMONG = 4_000  # images, from which the others are drawn
AT_ONCE = 4_000  # images whose captions are encoded together

Flags = npt.NDArray[np.bool_]


def directions(data: Corpus) -> Singles:
    """Return the mean direction of each image's captions, both views."""
    found = []
    for start in range(0, data.images, AT_ONCE):
        first = data.first[start : start + AT_ONCE + 1]
        words = [caption or ["a"] for caption in data.words[int(first[0]) : int(first[-1])]]
        sums = np.add.reduceat(encode_shipped(words).captions, first[:-1] - first[0], axis=0)
        found.append(sums / np.linalg.norm(sums, axis=1, keepdims=True))
    return np.concatenate(found)


def draw_others(vectors: Singles, generator: np.random.Generator) -> tuple[Integers, Singles]:
    """Return others of each image and their likeness; held-out images are among themselves."""
    others = np.zeros((len(vectors), OTHERS), np.int64)
    likeness = np.zeros((len(vectors), OTHERS), np.float32)
    held = np.arange(len(vectors)) % HELD_OUT == 0
    for part in (~held, held):
        order = generator.permutation(np.flatnonzero(part))
        for places in np.array_split(order, max(1, len(order) // AMONG)):
            near = vectors[places] @ vectors[places].T
            np.fill_diagonal(near, 2)
            ranked = np.argsort(-near, axis=1)
            ranks = np.exp(generator.uniform(0, np.log(len(places) - 1), (len(places), OTHERS))).astype(np.int64)
            chosen = np.take_along_axis(ranked, ranks, axis=1)
            others[places] = places[chosen]
            likeness[places] = np.take_along_axis(near, chosen, axis=1)
    return others, likeness


def objects_of(data: Corpus) -> Flags:
    """Return which objects images of COCO show; none for the others."""
    found = np.zeros((data.images, CATEGORIES + 1), np.bool_)
    for place, objects in enumerate(corpus.coco_objects()):
        found[place, objects] = True
    return found


def main() -> None:
    """Make and keep everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    run = parser.parse_args().run
    data = corpus.read(run)
    others, likeness = draw_others(directions(data), np.random.default_rng(11))
    objects, mentions = objects_of(data), mentions_of(data.words)
    np.savez(run / "groups.npz", others=others, likeness=likeness, objects=objects, mentions=mentions)
    say(f"{data.images:,} images; {objects.sum(axis=1).mean():.2f} objects, {mentions.sum(axis=1).mean():.2f} named")


if __name__ == "__main__":
    main()
