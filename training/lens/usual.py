"""Measure how far references usually bear out words that are true.

    python training/lens/usual.py --run RUN --encoder NAME

Captions of training images against the image's other captions: some words nearly always have a counterpart there
(``giraffe``), some only now and then (``white``), and then their absence says little. Keeps for each word how alike its
best counterpart is on average with one reference, and what that approaches with very many (half a minute): in
RUN/NAME.safetensors if the encoder is a file as it runs (distil.py), else in RUN/usual_NAME.npz.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
import torch
from features import Encodings, encoder_file, encodings_of, likeness, soft_max
from spoil import Words

import corpus
from caplens.arrays import Floats, Singles
from caplens.files.arrays import Arrays, read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.learned.lens.encoder import PATH
from caplens.metrics.lens._lens import MORE_REFERENCES
from caplens.text.ragged import offsets_of
from caplens.text.vocabulary import Vocabulary
from corpus import Corpus, say

IMAGES = 50_000
AT_ONCE = 4_000  # images
REFERENCES = 4
PRIOR = 20  # so many occurrences of an average word are added to those of each word


@dataclass(frozen=True, eq=False)
class Usual:
    """By word: usual likeness of the best counterpart with one reference and with very many; an average word's, too."""

    words: dict[str, int]
    table: Singles
    average: Singles

    def of(self, words: Sequence[str]) -> Singles:
        """Return a row a word; that of an average word for words that did not occur."""
        places = np.array([self.words.get(word, -1) for word in words], np.int64)
        return np.where(places[:, np.newaxis] >= 0, self.table[places], self.average).astype(np.float32)

    @classmethod
    def read(cls, run: Path, encoder: str) -> Usual:
        """Read what was measured."""
        if encoder_file(run, encoder).is_file():
            return cls.stored(read_arrays(encoder_file(run, encoder)))
        found = np.load(run / f"usual_{encoder}.npz")
        return cls({str(word): place for place, word in enumerate(found["words"])}, found["table"], found["average"])

    @classmethod
    def stored(cls, arrays: Arrays) -> Usual:
        """Return what a file as it ships has."""
        vocabulary = vocabulary_in(arrays)
        words = {vocabulary.word(place).decode(): place for place in range(len(vocabulary))}
        return cls(words, arrays["usual"] / np.float32(255), arrays["unknown_usual"] / np.float32(255))

    def write(self, run: Path, encoder: str) -> None:
        """Keep what was measured."""
        path = encoder_file(run, encoder)
        if path == PATH:
            raise SystemExit(f"what ships is not changed here: copy it to {run}/NAME.safetensors")
        if not path.is_file():
            words = np.array(list(self.words))
            np.savez(run / f"usual_{encoder}.npz", words=words, table=self.table, average=self.average)
            return
        stored = read_arrays(path)
        arrays = {name: np.array(stored[name], order="C") for name in stored}
        with atomic_path(path) as written:
            write_arrays(written, arrays | self.arrays(vocabulary_in(stored)), stored.facts)

    def arrays(self, vocabulary: Vocabulary) -> dict[str, npt.NDArray[np.uint8]]:
        """Return what ships: words of a vocabulary and unknown ones, in eight bits."""
        spelled = [vocabulary.word(place).decode() for place in range(len(vocabulary))]
        found = {"usual": self.of(spelled), "unknown_usual": self.average}
        return {name: np.rint(255 * array).astype(np.uint8) for name, array in found.items()}


def vocabulary_in(arrays: Arrays) -> Vocabulary:
    """Return the words of a file as it ships."""
    return Vocabulary(arrays["words"], offsets_of(arrays["word_lengths"]).astype(np.uint32))


def measured(data: Corpus, encode: Callable[[Sequence[Words]], Encodings]) -> Usual:
    """Measure it with the words and directions of an encoder; no image is one of those held out."""
    generator = np.random.default_rng(22)
    images = generator.permutation(data.split()[0])[:IMAGES]
    number: dict[str, int] = {}
    sums = np.zeros((len(data.counts()), 3))  # occurrences; likeness with one reference, with all
    for start in range(0, len(images), AT_ONCE):
        rows = [_drawn(data, image, generator) for image in images[start : start + AT_ONCE].tolist()]
        rows = [row for row in rows if len(row) == 1 + REFERENCES]
        words = [data.words[place] or ["a"] for row in rows for place in row]
        encodings = encode(words)
        for first in range(0, len(words), 1 + REFERENCES):
            read = words[first][: len(encodings.words[first])]
            ids = [number.setdefault(word, len(number)) for word in read]
            np.add.at(sums, ids, _likenesses(encodings, first))
    counts, mean = sums[:, :1], sums.sum(axis=0)
    average = mean[1:] / mean[0]
    single, several = ((sums[:, 1:] + PRIOR * average) / (counts + PRIOR)).T
    table = _with_many(single, several)[: len(number)]
    return Usual(number, table.astype(np.float32), _with_many(*average[:, np.newaxis])[0].astype(np.float32))


def _drawn(data: Corpus, image: int, generator: np.random.Generator) -> list[int]:
    """Draw a caption and its references."""
    captions = generator.permutation(np.arange(*data.first[image : image + 2].tolist()))
    return [int(place) for place in captions[: 1 + REFERENCES]]


def _likenesses(encodings: Encodings, first: int) -> Floats:
    """Return for each word of a caption 1, its likeness with the reference behind the caption, and with all four."""
    words = encodings.words[first]
    theirs = [encodings.words[first + place] for place in range(1, 1 + REFERENCES)]
    best = np.stack([(words @ each.T).max(axis=1) for each in theirs], axis=1)
    return np.stack([np.ones(len(words)), likeness(best[:, 0]), likeness(soft_max(best, 1))], axis=1)


def _with_many(single: Floats, several: Floats) -> Floats:
    """Return likeness with one reference and what it approaches with more of them."""
    gained = (several - single) / (1 - REFERENCES**-MORE_REFERENCES)
    return np.clip(np.stack([single, single + gained], axis=1), 0, 1)


def main() -> None:
    """Measure and keep it."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    run, encoder = arguments.run, arguments.encoder
    found = measured(corpus.read(run), lambda captions: encodings_of(run, encoder, captions))
    found.write(run, encoder)
    say(f"{len(found.words):,} words; an average one {found.average.round(3).tolist()}")
    for word in ("giraffe", "man", "table", "two", "standing", "white"):
        say(f"{word}: {found.of([word])[0].round(3).tolist()}")


if __name__ == "__main__":
    main()
