"""What the second view and the weight of nouns do, without judgments: ``python training/lens/views.py --run RUN``.

Held-out images of COCO train2014, each with captions of images like it (by words, by scene, by the sum of words). The
more objects two images share (COCO's instance annotations and objects that their own captions name; see
../shared/data/chair), the better should the caption of one fit the other. This prints in how many pairs of captions it
does, by content alone, and the difference from `lens` as it was, with a 95 % interval (images resampled); then tau-c on
Flickr8k-Expert. The encoder is the one that ships.
"""

from __future__ import annotations

import argparse
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path

import numpy as np
from features import Encodings, encode_shipped, tau
from fit import VERSIONS, content_weights
from parts import content
from usual import Usual

import corpus
from bench import Bench, Rows
from caplens.arrays import Floats, Integers
from caplens.files.arrays import read_arrays
from caplens.learned.lens.encoder import PATH
from corpus import Corpus, say

COCO_IMAGES = 82_783
LIKE = 48  # most similar images, from which those to compare with are drawn
DRAWN = 2  # of them, by each view
SCENE = 192  # axes of the first view
LEAST = 0.2  # difference in shared objects of a pair that counts
RESAMPLES = 300
VARIANTS = {"as it was": (False, False), "two views": (True, False), "nouns": (False, True), "both": (True, True)}


@dataclass(frozen=True, eq=False)
class Graded:
    """A row is an image: captions to judge, references, and what share of their objects the images have in common."""

    candidates: list[list[int]]
    references: list[list[int]]
    shares: Floats


def variant(encodings: Encodings, views: bool, nouns: bool) -> Encodings:
    """Return encodings without the second view, or without the weight of nouns."""
    found = encodings if nouns else replace(encodings, claims=encodings.weights)
    return found if views else replace(found, captions=encodings.captions[:, :SCENE] * np.float32(np.sqrt(2)))


def graded(data: Corpus, images: Integers, captions: list[list[int]], encodings: Encodings) -> Graded:
    """Draw captions of images like each of some images."""
    listed = corpus.coco_objects()
    objects = [set(listed[image]) for image in images.tolist()]
    generator = np.random.default_rng(5)
    views = (encodings.captions[:, :SCENE], encodings.captions[:, SCENE:], _words(data, images))
    means = [_directions(np.array([view[places].sum(axis=0) for places in captions])) for view in views[:2]]
    near = [mean @ mean.T for mean in (*means, views[2])]
    judged, references, shares = [], [], []
    for image in range(len(images)):
        others = captions[image].copy()
        row = [others.pop(int(generator.integers(len(others))))]
        share = [1.0]
        for likeness in near:
            likeness[image, image] = -1
            for other in generator.choice(np.argsort(-likeness[image])[:LIKE], DRAWN, replace=False).tolist():
                row.append(int(generator.choice(captions[other])))
                both, either = objects[image] & objects[other], objects[image] | objects[other]
                share.append(len(both) / max(len(either), 1))
        judged.append(row)
        references.append(others)
        shares.append(share)
    return Graded(judged, references, np.array(shares))


def _words(data: Corpus, images: Integers) -> Floats:
    """Return which words the captions of images have, rare ones with more weight, as directions."""
    sets = [
        {word for at in range(*data.first[image : image + 2].tolist()) for word in data.words[at]} for image in images
    ]
    number = {word: place for place, word in enumerate(sorted(set().union(*sets)))}
    table = np.zeros((len(images), len(number)), np.float32)
    for row, words in enumerate(sets):
        table[row, [number[word] for word in words]] = 1
    return _directions(table * np.log(len(images) / table.sum(axis=0)))


def _directions(vectors: Floats) -> Floats:
    found: Floats = vectors / np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    return found


def right(table: Floats, shares: Floats) -> tuple[Floats, Floats]:
    """Return for each image how many pairs of captions of other images are in the right order, and of how many."""
    one, other = np.triu_indices(shares.shape[1] - 1, 1)
    wanted = (shares[:, 1:])[:, one] - (shares[:, 1:])[:, other]
    counts = np.abs(wanted) >= LEAST
    lead = (table[:, 1:])[:, one] - (table[:, 1:])[:, other]
    return ((lead * wanted > 0) & counts).sum(axis=1).astype(float), counts.sum(axis=1).astype(float)


def rows_of(bench: Bench, rows: Rows, measured: Usual, views: bool, nouns: bool) -> Floats:
    """Return scene, support and coverage of a set."""
    used = sorted({*rows.candidates, *(place for theirs in rows.references for place in theirs)})
    position = {place: row for row, place in enumerate(used)}
    captions = [bench.captions[place] for place in used]
    encodings = variant(encode_shipped(captions), views, nouns)
    usual = [measured.of(words) for words in captions]
    pairs = zip(rows.candidates, rows.references, strict=True)
    return np.array(
        [content(encodings, usual, position[one], [position[other] for other in theirs]) for one, theirs in pairs]
    )


def main() -> None:
    """Print the figures of all variants."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    run = parser.parse_args().run
    bench, data, measured = Bench.read(run), corpus.read(run), Usual.stored(read_arrays(PATH))
    images = data.split()[1]
    images = images[images < COCO_IMAGES]
    sizes = np.diff(data.first)[images]
    captions = [list(range(first, last)) for first, last in pairwise(np.append(0, np.cumsum(sizes)).tolist())]
    words = [data.words[at] for image in images for at in range(*data.first[image : image + 2].tolist())]
    encodings, usual = encode_shipped(words), [measured.of(caption) for caption in words]
    drawn = graded(data, images, captions, encodings)
    earlier: tuple[Floats, Floats] | None = None
    for name, (views, nouns) in VARIANTS.items():
        proxy = rows_of(bench, bench.sets["proxy"], measured, views, nouns)
        weights = content_weights(proxy.reshape(-1, VERSIONS, proxy.shape[1]))[1:]
        found = variant(encodings, views, nouns)
        table = np.array(
            [
                [weights @ content(found, usual, one, theirs) for one in row]
                for row, theirs in zip(drawn.candidates, drawn.references, strict=True)
            ]
        )
        order = right(table, drawn.shares)
        expert = rows_of(bench, bench.sets["expert"], measured, views, nouns) @ weights
        line = f"{name}: {order[0].sum() / order[1].sum():.4f}{difference(order, earlier)}"
        say(f"{line}; Flickr8k-Expert {tau(bench.sets['expert'], expert, 'kendall_c'):.4f}")
        earlier = earlier or order


def difference(found: tuple[Floats, Floats], earlier: tuple[Floats, Floats] | None) -> str:
    """Return the difference of two shares with its interval."""
    if earlier is None:
        return ""
    generator = np.random.default_rng(0)
    drawn = generator.integers(len(found[0]), size=(RESAMPLES, len(found[0])))
    gains = (found[0][drawn] - earlier[0][drawn]).sum(axis=1) / found[1][drawn].sum(axis=1)
    low, high = np.percentile(gains, [2.5, 97.5])
    return f" ({gains.mean():+.4f}, {low:+.4f} to {high:+.4f})"


if __name__ == "__main__":
    main()
