"""The captions that a critique learns from: read, matched by image, split, and turned into numbers."""

from __future__ import annotations

import os
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import numpy.typing as npt

from caplens.arrays import Integers, Singles
from caplens.corpus import CaptionTable, PairedTable, normalise_ids
from caplens.embeddings import library
from caplens.errors import InputError, counted, name_some
from caplens.learned.critique.config import TrainingConfig
from caplens.learned.critique.image_features import ImageFeatures
from caplens.learned.critique.vocabulary import KnownWords
from caplens.metrics.embedding._words import mean_vectors
from caplens.readers import read, read_references
from caplens.text.captions import Captions
from caplens.text.ragged import offsets_of, take_rows
from caplens.text.tokenizers import get_tokenizer
from caplens.text.words import Words, encode_words


@dataclass(frozen=True, eq=False)
class ImageCaptions:
    """Captions by image: of people, of captioning systems, and sampled ones.

    Attributes
    ----------
    images : list of str
        The images, in order.
    human, machine, samples : list of list of str
        The captions of each image; of machines, one a system that has the image.
    """

    images: list[str]
    human: list[list[str]]
    machine: list[list[str]]
    samples: list[list[str]]

    def __len__(self) -> int:
        return len(self.images)

    def take(self, places: Sequence[int]) -> ImageCaptions:
        """Return some of the images."""
        columns = (self.images, self.human, self.machine, self.samples)
        return ImageCaptions(*([column[place] for place in places] for column in columns))  # type: ignore[arg-type]

    def split(self, images: Collection[str]) -> tuple[ImageCaptions, ImageCaptions]:
        """Return the images that are not among some, and those that are."""
        among = [image in images for image in self.images]
        return tuple(  # type: ignore[return-value]
            self.take([place for place, inside in enumerate(among) if inside is wanted]) for wanted in (False, True)
        )

    def with_negatives(self, training: TrainingConfig) -> ImageCaptions:
        """Leave out images without machine captions or samples where those are all the negatives that are wanted."""
        if any((training.rc, training.wp, training.rw, training.rp, training.own and training.own_names)):
            return self
        wanted = zip(self.machine, self.samples, strict=True)
        return self.take(
            [
                place
                for place, (machine, samples) in enumerate(wanted)
                if (training.machine and machine) or (training.samples and samples)
            ]
        )


def read_image_captions(
    references: Sequence[str | os.PathLike[str]],
    systems: Sequence[str | os.PathLike[str]] = (),
    samples: Sequence[str | os.PathLike[str]] = (),
) -> ImageCaptions:
    """Read the captions of people, and those of systems on the same images; images without references are left out."""
    table = read_references(references)
    human = _by_image(table)
    if table.by_position:
        raise InputError(f"{table.source} has captions by position: training needs captions by image id.")
    images = list(human)
    machine: dict[str, list[str]] = {}
    sampled: dict[str, list[str]] = {}
    for paths, into in ((systems, machine), (samples, sampled)):
        for path in paths:
            found = _by_image(read(path))
            shared = found.keys() & human.keys()
            if not shared:
                raise InputError(
                    f"{path} shares no image with {table.source} (its ids begin with {name_some(list(found))}): pass "
                    f"the references of the system's images."
                )
            for image in shared:
                into.setdefault(image, []).extend(found[image])
    return ImageCaptions(
        images,
        list(human.values()),
        [machine.get(image, []) for image in images],
        [sampled.get(image, []) for image in images],
    )


def _by_image(table: CaptionTable | PairedTable) -> dict[str, list[str]]:
    captions = table.captions() if isinstance(table, PairedTable) else table
    found: dict[str, list[str]] = {}
    for image, caption in zip(normalise_ids(captions.images or captions.ids), captions.captions, strict=True):
        if not isinstance(caption, str):
            raise InputError(f"{captions.source} has a caption of {image} that is not text: {caption!r}.")
        found.setdefault(image, []).append(caption)
    return found


@dataclass(frozen=True, eq=False)
class NumberedCaptions:
    """Captions of images as numbers of words.

    Attributes
    ----------
    images : list of str
        The images.
    words : Words
        All captions: those of people image by image, then machines', then samples.
    human, machine, samples : numpy.ndarray of int64
        Where the captions of each image begin in ``words`` (one entry more than images).
    same : numpy.ndarray of int64
        A number for each caption that is shared by captions of equal words only.
    features : numpy.ndarray or None
        Image features, one row per image.
    """

    images: list[str]
    words: Words
    human: Integers
    machine: Integers
    samples: Integers
    same: Integers
    features: Singles | None = None

    @classmethod
    def of(cls, captions: ImageCaptions, tokenizer: str, features: ImageFeatures | None = None) -> NumberedCaptions:
        """Cut captions into words."""
        if not captions.images:
            raise InputError("No image is left to train on.")
        texts: list[str] = []
        starts = []
        for column in (captions.human, captions.machine, captions.samples):
            starts.append(len(texts) + offsets_of(np.array([len(entry) for entry in column])))
            texts.extend(text for entry in column for text in entry)
        words = encode_words(Captions.from_texts(texts)[0], get_tokenizer(tokenizer))
        keys = [words.ids[first:last].tobytes() for first, last in zip(words.offsets, words.offsets[1:], strict=False)]
        numbers: dict[bytes, int] = {}
        same = np.array([numbers.setdefault(key, len(numbers)) for key in keys], dtype=np.int64)
        rows = None if features is None else features.of(captions.images)
        human, machine, samples = starts
        return cls(captions.images, words, human, machine, samples, same, rows)

    def rows_of(self, vocabulary: KnownWords) -> npt.NDArray[np.int32]:
        """Return the vocabulary's row of each word of the table."""
        table = self.words.table
        return vocabulary.rows([table.key(word).decode("utf-8") for word in range(len(table))])

    def count_words(self) -> dict[str, int]:
        """Count the words of the human captions."""
        ids = self.words.ids[: self.words.offsets[self.human[-1]]]
        counts = np.bincount(ids, minlength=len(self.words.table)).tolist()
        return {self.words.table.key(word).decode("utf-8"): count for word, count in enumerate(counts) if count}

    @cached_property
    def surroundings(self) -> Singles:
        """A vector for each image of length 1, by which near images are found: its features, or its references' words.

        Without features of images, an image is the mean of the vectors of its references' words.
        """
        if self.features is not None:
            vectors = self.features.astype(np.float32)
        else:
            found = library.load("captions").look_up(self.words.table)
            table = np.zeros((len(self.words.table), found.vectors.shape[1]), np.float32)
            table[found.known] = found.vectors
            vectors = np.empty((len(self.images), table.shape[1]), np.float32)
            places = self.words.offsets[self.human]
            mean_vectors(places, self.words.ids, table, table[:0], vectors, 0, len(vectors))
        lengths = np.linalg.norm(vectors, axis=1, keepdims=True)
        near: Singles = np.divide(vectors, lengths, out=np.zeros_like(vectors), where=lengths > 0)
        return near


def initial_vectors(vocabulary: KnownWords, table: str, width: int, seed: int) -> Singles:
    """Return word vectors to begin with: those of a table, and small random ones where it has none."""
    generator = np.random.default_rng(seed)
    source = library.load(table)
    vectors = generator.normal(0, 0.3, (len(vocabulary), width)).astype(np.float32)
    used = min(width, source.dimensions)
    for row, word in enumerate(vocabulary.words, vocabulary.first):
        found = source.vector(word)
        if found is not None:
            vectors[row, :used] = found[:used]
    return vectors


def draw_validation(captions: ImageCaptions, seed: int, share: float = 0.05, most: int = 2000) -> frozenset[str]:
    """Draw images to watch the training by."""
    number = min(most, max(1, round(share * len(captions))))
    if number >= len(captions):
        raise InputError(f"{counted(len(captions), 'image')} cannot be split into training and validation.")
    chosen = np.random.default_rng([seed, 1]).choice(len(captions), number, replace=False)
    return frozenset(captions.images[place] for place in chosen.tolist())


def padded(ids: npt.NDArray[np.int32], offsets: Integers, rows: Integers) -> tuple[npt.NDArray[np.int64], Integers]:
    """Return the words of some captions as the rows of a matrix, and how many each has."""
    values, counts = take_rows(offsets, ids, rows)
    matrix = np.zeros((len(rows), int(counts.max())), dtype=np.int64)
    matrix[np.arange(matrix.shape[1]) < counts[:, np.newaxis]] = values
    return matrix, counts
