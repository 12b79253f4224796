"""What a critique sees in an epoch: human captions, and as many that are not or that do not belong to the image."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caplens.arrays import Integers, Singles
from caplens.errors import InputError
from caplens.learned.critique.config import TrainingConfig, WordsConfig
from caplens.learned.critique.vocabulary import PADDING, KnownWords
from caplens.text.ragged import offsets_of, take_rows
from caplens.text.tokenizers import get_tokenizer
from caplens.text.transformations import ATTEMPTS, get_transformation, permute_words, repeat_words, replace_words
from caplens.train.critique.captions import NumberedCaptions

KINDS = ("human", "machine", "samples", "rc", "wp", "rw", "rp", "own")
"""Where a candidate comes from; those from ``wp`` on are made of the human caption."""
HUMAN, MACHINE, SAMPLES, RC, WP, RW, RP, OWN = range(len(KINDS))

NEAR_POOL = 1000
"""Images among which near ones are looked for; ranks in so large a random part are shares of all images."""
_BLOCK = 512
_SOME_WORDS = 100


@dataclass(frozen=True, eq=False)
class Examples:
    """Pairs of a candidate and a reference, in the order in which they are learned.

    Attributes
    ----------
    ids, offsets : numpy.ndarray
        The words of all captions, as rows of the vocabulary.
    candidate, reference, image : numpy.ndarray of int64
        Rows of captions, and the image.
    kind : numpy.ndarray of int64
        Of the candidate: a place in `KINDS`.
    group : numpy.ndarray of int64
        Pairs of one human caption and of its negative share a group; groups are numbered in order.
    label : numpy.ndarray of int64
        1 where the candidate counts as human; in controls not that of the kind.
    """

    ids: npt.NDArray[np.int32]
    offsets: Integers
    candidate: Integers
    reference: Integers
    image: Integers
    kind: Integers
    group: Integers
    label: Integers

    def batches(self, size: int, references: int) -> list[slice]:
        """Cut the examples into batches of about ``size``, in which half of the candidates are human."""
        groups = max(1, size // (2 * references))
        bounds = np.searchsorted(self.group, np.arange(0, self.group[-1] + 1 + groups, groups))
        return [
            slice(first, last)
            for first, last in zip(bounds.tolist(), bounds[1:].tolist(), strict=False)
            if last > first
        ]


class ExampleMaker:
    """Draws the examples of each epoch; the same whenever they are drawn again.

    Parameters
    ----------
    captions : NumberedCaptions
        To draw from.
    vocabulary : KnownWords
        The words that are told from others.
    words : WordsConfig
        How many words are read.
    training : TrainingConfig
        The shares of negatives and the seed.
    """

    def __init__(
        self, captions: NumberedCaptions, vocabulary: KnownWords, words: WordsConfig, training: TrainingConfig
    ) -> None:
        self._captions, self._vocabulary, self._training = captions, vocabulary, training
        self._longest = words.longest
        self._own = [get_transformation(name) for name in training.own_names]
        self._tokenize = get_tokenizer(words.tokenizer).tokenize
        rows = captions.rows_of(vocabulary)
        self._ids, self._offsets = cut(rows[captions.words.ids], captions.words.offsets, words.longest)
        # Only words that are told from others: the unknown word would else be the mark of a random one.
        self._random_words = vocabulary.words
        counts = np.diff(captions.human)
        self._owner = np.repeat(np.arange(len(captions.images)), counts)
        if counts.max() < 2:
            raise InputError(
                "No image has two human captions: a critique needs a reference in addition to the candidate."
            )
        self._shares = self._available()
        # By image and kind: only systems, or only some of them, may have captions of an image.
        self._possible = np.ones((len(counts), len(KINDS)), bool)
        self._possible[:, MACHINE] = np.diff(captions.machine) > 0
        self._possible[:, SAMPLES] = np.diff(captions.samples) > 0
        usable = (counts > 1) & (self._possible @ self._shares > 0)
        self._usable = np.flatnonzero(usable[self._owner])
        if not len(self._usable):
            raise InputError("No image has both two human captions and negatives: do not disable the augmentation.")
        self._labels = _labels(len(self._owner), training)
        self._own_words = np.unique(self._image_words(self._owner, np.arange(len(self._owner))))

    def _available(self) -> npt.NDArray[np.float64]:
        """Return the shares of the kinds, 0 where there is nothing to draw from."""
        shares = np.array([0.0, *(getattr(self._training, kind) for kind in KINDS[1:])])
        for kind, starts in ((MACHINE, self._captions.machine), (SAMPLES, self._captions.samples)):
            if starts[0] == starts[-1]:
                shares[kind] = 0
        if len(self._captions.images) < 2:
            shares[RC] = 0
        if not self._own:
            shares[OWN] = 0
        if shares.sum() == 0:
            raise InputError(
                "There are no negatives to train on: add captioning systems, or do not disable the augmentation."
            )
        found: npt.NDArray[np.float64] = shares / shares.sum()
        return found

    def epoch(self, number: int, most: int | None = None) -> Examples:
        """Draw the examples of an epoch, of at most so many human captions."""
        generator = np.random.default_rng([self._training.seed, 2, number])
        positives = self._positives(generator, self._training.captions if most is None else most)
        images = self._owner[positives]
        kinds = self._negative_kinds(images, generator)
        again = np.random.default_rng([self._training.seed, 6, number])
        negatives, made = self._negatives(positives, images, kinds, generator, again)
        ours = self._references(positives, images, np.ones(len(positives), bool), generator)
        theirs = self._references(positives, images, kinds >= WP, generator)
        theirs = np.where((kinds >= WP)[:, np.newaxis], ours, theirs)
        groups = np.arange(len(positives))
        labels = self._labels[positives]
        pairs = [
            _paired(positives, ours, images, np.zeros(len(positives), np.int64), groups, labels),
            _paired(negatives, theirs, images, kinds, groups, 1 - labels),
        ]
        columns = np.concatenate(pairs, axis=1)
        # A caption is never compared with itself or with one of the same words.
        same = np.concatenate([self._captions.same, -1 - np.arange(len(made[1]) - 1)])
        kept = (columns[1] >= 0) & (same[columns[0]] != same[columns[1]])
        columns = columns[:, kept & (negatives >= 0)[columns[4]]]
        if not (columns[3] == HUMAN).any():
            raise InputError("No image has two different human captions and a negative that differs from them.")
        columns = columns[:, np.argsort(columns[4], kind="stable")]
        ids, offsets = cut(*made, self._longest)
        return Examples(
            np.concatenate([self._ids, ids]), np.concatenate([self._offsets, self._offsets[-1] + offsets[1:]]), *columns
        )

    def _positives(self, generator: np.random.Generator, most: int) -> Integers:
        number = min(most or len(self._usable), len(self._usable))
        chosen = generator.choice(self._usable, number, replace=False)
        if self._training.together:
            order = generator.permutation(len(self._captions.images))
            chosen = chosen[np.argsort(order[self._owner[chosen]], kind="stable")]
        return chosen

    def _negative_kinds(self, images: Integers, generator: np.random.Generator) -> Integers:
        """Draw the kind of each negative by the shares of those that its image has."""
        bounds = np.cumsum(self._shares * self._possible[images], axis=1)
        bounds /= bounds[:, -1:]
        kinds: Integers = (bounds <= generator.random(len(images))[:, np.newaxis]).sum(axis=1)
        return kinds

    def _negatives(
        self,
        positives: Integers,
        images: Integers,
        kinds: Integers,
        generator: np.random.Generator,
        again: np.random.Generator,
    ) -> tuple[Integers, tuple[npt.NDArray[np.int32], Integers]]:
        """Return the caption of each negative, and the words of those that had to be made.

        What reads like a human caption of the image is drawn again, with a generator of its own; -1 where that does
        not help, as in a caption of one word that is to be permuted.
        """
        captions = self._captions
        chosen = np.full(len(positives), -1)
        for kind, starts in ((MACHINE, captions.machine), (SAMPLES, captions.samples)):
            places = np.flatnonzero(kinds == kind)
            chosen[places] = _draw_one(starts, images[places], generator)
        places = np.flatnonzero(kinds == RC)
        if len(places):
            chosen[places] = self._of_near_images(images[places], generator)
            for _ in range(ATTEMPTS):
                places = places[np.isin(self._image_words(images[places], chosen[places]), self._own_words)]
                if not len(places):
                    break
                chosen[places] = self._of_near_images(images[places], again)
            chosen[places] = -1
        made = np.flatnonzero(kinds >= WP)
        worse, alike = self._made_worse(positives[made], kinds[made], generator, again)
        chosen[made] = np.where(alike, -1, len(captions.words) + np.arange(len(made)))
        return chosen, worse

    def _of_near_images(self, images: Integers, generator: np.random.Generator) -> Integers:
        """Draw a human caption of an image near each."""
        near = near_images(self._captions.surroundings, images, self._training.nearness, generator)
        return _draw_one(self._captions.human, near, generator)

    def _image_words(self, images: Integers, captions: Integers) -> Integers:
        """Return a number for an image and the words of a caption, to ask whether the image has such a caption."""
        return images * len(self._captions.words) + self._captions.same[captions]

    def _made_worse(
        self, positives: Integers, kinds: Integers, generator: np.random.Generator, again: np.random.Generator
    ) -> tuple[tuple[npt.NDArray[np.int32], Integers], npt.NDArray[np.bool_]]:
        """Permute, replace or repeat words of human captions; tell which could not be made to read differently.

        The change may concern words after the last that is read, or two words that are both unknown; then it is drawn
        again among those that are read.
        """
        shuffled = generator.permutation(self._random_words).tolist()
        originals = [self._captions.words[caption] for caption in positives.tolist()]
        worse = [
            self._changed(words, kind, shuffled, generator)
            for words, kind in zip(originals, kinds.tolist(), strict=True)
        ]
        alike = np.array([self._read_alike(*pair) for pair in zip(originals, worse, strict=True)], dtype=bool)
        for place in np.flatnonzero(alike).tolist():
            words = originals[place]
            for _ in range(ATTEMPTS):
                read = self._changed(words[: self._longest], int(kinds[place]), shuffled, again)
                if not self._read_alike(words, read):
                    worse[place], alike[place] = [*read, *words[self._longest :]], False
                    break
        ids = self._vocabulary.rows([word for words in worse for word in words])
        return (ids, offsets_of(np.array([len(words) for words in worse], dtype=np.int64))), alike

    def _changed(
        self, words: Sequence[str], kind: int, shuffled: Sequence[str], generator: np.random.Generator
    ) -> list[str]:
        """Apply a transformation of the robustness study, with a random strength."""
        strength = (1.0 - generator.random()) ** self._training.mildness
        if kind == WP:
            return permute_words(words, strength, generator)
        if kind == RP:
            return repeat_words(words, strength)
        if kind == OWN:
            make_worse = self._own[int(generator.integers(len(self._own)))]
            return self._tokenize(make_worse(" ".join(words), strength, generator))
        # A random part of the vocabulary: to look through all of it for each caption would take long.
        first = int(generator.integers(max(1, len(shuffled) - _SOME_WORDS)))
        return replace_words(words, strength, shuffled[first : first + _SOME_WORDS], generator)

    def _read_alike(self, words: Sequence[str], others: Sequence[str]) -> bool:
        """Tell whether two captions are the same to the network, which knows some words and reads the first ones."""
        one, other = words[: self._longest], others[: self._longest]
        return len(one) == len(other) and all(
            ours == theirs or (ours not in self._vocabulary and theirs not in self._vocabulary)
            for ours, theirs in zip(one, other, strict=True)
        )

    def _references(
        self, positives: Integers, images: Integers, without: npt.NDArray[np.bool_], generator: np.random.Generator
    ) -> Integers:
        """Draw different references of each image, -1 where it has no more; some without the human caption itself."""
        first = self._captions.human[images]
        counts = self._captions.human[images + 1] - first
        usable = counts - without
        start = generator.integers(0, usable)
        steps = np.arange(self._training.references)
        places = (start[:, np.newaxis] + steps) % usable[:, np.newaxis]
        own = (positives - first)[:, np.newaxis]
        places += (places >= own) & without[:, np.newaxis]
        return np.where(steps < usable[:, np.newaxis], first[:, np.newaxis] + places, -1)


def near_images(
    vectors: Singles, images: Integers, nearness: float, generator: np.random.Generator, pool: int = NEAR_POOL
) -> Integers:
    """Draw for each image another one among the nearest, of a share that is drawn too: a uniform number to a power.

    `caplens.text.neighbours.nearest_rows` compares all images with all, for one share; here every example has its own,
    epoch after epoch, so the nearest are looked for in a random part. At a nearness of 0 all are alike likely.
    """
    chosen = np.empty(len(images), np.int64)
    number = min(pool, len(vectors))
    for first in range(0, len(images), _BLOCK):
        some = images[first : first + _BLOCK]
        others = generator.choice(len(vectors), number, replace=False)
        likeness = vectors[some] @ vectors[others].T
        likeness[others == some[:, np.newaxis]] = -np.inf
        available = number - (others == some[:, np.newaxis]).any(axis=1)
        strength = generator.random(len(some)) ** nearness
        ranks = np.floor(generator.random(len(some)) * np.maximum(1, strength * available)).astype(np.int64)
        order = np.argsort(-likeness, axis=1, kind="stable")
        chosen[first : first + _BLOCK] = others[order[np.arange(len(some)), ranks]]
    return chosen


def cut(ids: npt.NDArray[np.int32], offsets: Integers, longest: int) -> tuple[npt.NDArray[np.int32], Integers]:
    """Cut captions to their first words; one without a word gets the padding, so that it has a state.

    Examples
    --------
    >>> ids, offsets = cut(np.array([5, 6, 7, 8], np.int32), np.array([0, 3, 3, 4]), 2)
    >>> ids.tolist(), offsets.tolist()
    ([5, 6, 0, 8], [0, 2, 3, 4])
    """
    counts = np.diff(offsets)
    kept = np.minimum(counts, longest)
    values, _ = take_rows(np.stack([offsets[:-1], offsets[:-1] + kept], axis=1).ravel(), ids, 2 * np.arange(len(kept)))
    places = offsets_of(np.maximum(kept, 1))
    result = np.full(places[-1], PADDING, np.int32)
    result[np.repeat(kept > 0, np.maximum(kept, 1))] = values
    return result, places


def _draw_one(starts: Integers, images: Integers, generator: np.random.Generator) -> Integers:
    first = starts[images]
    return first + generator.integers(0, starts[images + 1] - first) if len(images) else first


def _labels(number: int, training: TrainingConfig) -> Integers:
    """Return the labels of human captions, the same in every epoch; a negative has the other one."""
    if training.labels == "shuffled":
        return np.random.default_rng([training.seed, 7]).integers(0, 2, number)
    return np.full(number, int(training.labels == "true"))


def _paired(
    candidates: Integers, references: Integers, images: Integers, kinds: Integers, groups: Integers, labels: Integers
) -> Integers:
    """Return one column per pair: candidate, reference, image, kind, group, label."""
    number = references.shape[1]
    columns = (candidates, references, images, kinds, groups, labels)
    return np.stack([column.ravel() if column.ndim > 1 else np.repeat(column, number) for column in columns])
