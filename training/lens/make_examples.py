"""Number the words of the training captions, and spoil every caption twice: once its facts, once its form.

    python training/lens/make_examples.py --run RUN

writes RUN/examples.npz and RUN/words.json (four minutes on one core); every image's most similar other images are in
RUN/similar.npy, by SceneSim of all their captions.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import numpy.typing as npt
from spoil import Lexicon, Spoiler, Words, phrases_of

import corpus
from caplens.arrays import Singles
from caplens.embeddings import shipped
from corpus import Corpus, say

LONGEST = 24
LEAST_COUNT = 5
SIMILAR = 16
BLOCK = 5_000  # images among which the similar ones are looked for: among all it would take ten minutes
FACTS = ("noun", "noun", "noun", "attribute", "number", "colours", "colours", "relation", "roles", "roles", "phrase")
FORMS = (
    "permuted",
    "permuted",
    "permuted",
    "repeated",
    "repeated",
    "cut",
    "random",
    "random",
    "swapped",
    "doubled",
    "dropped",
)

Numbers = npt.NDArray[np.int32]


def main() -> None:
    """Make and keep everything."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    run = parser.parse_args().run
    data = corpus.read(run)
    counts = data.counts()
    table = shipped.load(shipped.CAPTIONS)
    known = [word for word, count in counts.most_common() if count >= LEAST_COUNT or table.vector(word) is not None]
    others = sorted(set(counts) - set(known))
    words = ["", *known, *others]
    content = {"words": words, "counts": [counts[word] for word in words], "known": 1 + len(known)}
    (run / "words.json").write_text(json.dumps(content))
    say(f"{len(known):,} words, {len(others):,} that are too rare to have a row")
    if not (run / "similar.npy").is_file():
        np.save(run / "similar.npy", similar_images(data))
    generator = np.random.default_rng(0)
    frequent = [word for word, count in counts.most_common() if count >= 20 and word.isalpha()]
    spoiler = Spoiler(Lexicon.of(data, run), frequent, phrases_of(data.words, 20_000, generator))
    number = {word: place for place, word in enumerate(words)}
    arrays = {name: np.zeros((len(data.words), LONGEST), np.int32) for name in ("true", "fact", "form")}
    kinds = np.full((len(data.words), 2), -1, np.int8)
    names = [*spoiler.facts, *spoiler.forms]
    for image in range(data.images):
        first, last = int(data.first[image]), int(data.first[image + 1])
        taken = {word for place in range(first, last) for word in data.words[place]}
        for place in range(first, last):
            caption = data.words[place] or ["a"]
            made = spoil(spoiler, caption, taken, generator)
            for name, (kind, version) in zip(("true", "fact", "form"), (("", caption), *made), strict=True):
                row = [number[word] for word in version][:LONGEST]
                arrays[name][place, : len(row)] = row
                if kind:
                    kinds[place, int(name == "form")] = names.index(kind)
    np.savez(run / "examples.npz", **arrays, kinds=kinds, first=data.first)
    (run / "kinds.json").write_text(json.dumps(names))
    say(str({name: int((kinds == place).sum()) for place, name in enumerate(names)}))


def spoil(
    spoiler: Spoiler, caption: Words, taken: set[str], generator: np.random.Generator
) -> tuple[tuple[str, Words], tuple[str, Words]]:
    """Return a caption with wrong facts and an ill-formed one, each with what was done; itself if nothing can be."""
    fact = ("", caption)
    for kind in generator.permutation(FACTS).tolist():
        found = spoiler.facts[kind](caption, taken, generator)
        if found is not None and found != caption:
            fact = (kind, found)
            break
    form = ("", caption)
    for kind in generator.permutation(FORMS).tolist():
        found = spoiler.forms[kind](caption, generator)
        if found is not None and found != caption:
            form = (kind, found)
            break
    return fact, form


def similar_images(data: Corpus) -> Numbers:
    """Return for each image the others with the most similar captions."""
    table = shipped.load(shipped.SCENE)
    known: dict[str, Singles | None] = {}
    vectors = np.zeros((data.images, table.dimensions), np.float32)
    for image in range(data.images):
        for place in range(int(data.first[image]), int(data.first[image + 1])):
            for word in data.words[place]:
                if word not in known:
                    known[word] = table.vector(word)
                found = known[word]
                if found is not None:
                    vectors[image] += found
    vectors /= np.maximum(np.linalg.norm(vectors, axis=1, keepdims=True), 1e-9)
    nearest = np.empty((data.images, SIMILAR), np.int32)
    order = np.random.default_rng(1).permutation(data.images)
    for start in range(0, data.images, BLOCK):
        places = order[start : start + BLOCK]
        near = vectors[places] @ vectors[places].T
        np.fill_diagonal(near, -1)
        nearest[places] = places[np.argpartition(-near, SIMILAR, axis=1)[:, :SIMILAR]]
    return nearest


if __name__ == "__main__":
    main()
