"""Encoded captions of one side: kept where that is cheap, else encoded again for each block of rows."""

from __future__ import annotations

import threading
from dataclasses import dataclass, replace

import numpy as np

from caplens.arrays import Integers, Singles
from caplens.core.prepared import PreparedCaptions
from caplens.core.requirement import Requirement, WordIds
from caplens.embeddings import shipped as tables
from caplens.files.threads import map_blocks
from caplens.learned.lens.encoder import CaptionEncoder, EncodedCaptions, Variant, shipped
from caplens.learned.lens.words import Lexicon
from caplens.text._tables import BytesTable
from caplens.text.ragged import offsets_of, places_of
from caplens.text.words import Words

BLOCK_CAPTIONS = 16
"""The states of so many captions with their references fit the cache of a processor."""
KEPT_BLOCK_CAPTIONS = 64
"""Where the states of references are kept, larger blocks save more than the cache does."""
JUDGED_CAPTIONS = 256
"""The form is judged of so many captions at a time: its states are narrow."""
NOUNS = np.float32(1)
"""What a noun counts beside what it would as another word: a wrong thing is worse than a wrong word about it."""
KEPT_WORDS = 400_000
"""Directions of so many words are kept for further systems or batches: 200 MB."""


def scene_vectors(table: BytesTable, first: int = 0) -> Singles:
    """Return the vectors of `scenesim` of a table's words from the id ``first`` on; zeros for unknown words."""
    found = tables.load(tables.SCENE).look_up(table, first)
    vectors = np.zeros((len(found.known), found.vectors.shape[1]), np.float32)
    vectors[found.known] = found.vectors
    return vectors


@dataclass(frozen=True, eq=False)
class Claims:
    """Candidates, whose words are looked for in references.

    Attributes
    ----------
    encoded : EncodedCaptions
        The captions; nouns count more than in references.
    usual : numpy.ndarray of float32
        For each word, how alike its best counterpart usually is: see `CodedWords`.
    """

    encoded: EncodedCaptions
    usual: Singles


@dataclass(frozen=True)
class LensWords(Requirement[Lexicon]):
    """The distinct words as the encoder takes them in."""

    words: WordIds
    variant: Variant = "unsupervised"

    def compute(self, side: PreparedCaptions) -> Lexicon:
        """Look up what the base has not."""
        table = side.get(self.words).table
        base = side.base_value(self)
        first = len(base.below) if base is not None else 0
        found = shipped(self.variant).words(table, scene_vectors(table, first), first)
        return Lexicon.single(found) if base is None else Lexicon(base.below, found)


class LensStates:
    """The captions of one side, encoded when they are asked for.

    Most are asked for once. Who comes again (the next system of a comparison, the next batch of a training loop) finds
    the references kept, if there are not too many.

    Parameters
    ----------
    words : Words
        The captions.
    lexicon : Lexicon
        Their distinct words.
    variant : str
        Whose encoder: `shipped`.
    """

    def __init__(self, words: Words, lexicon: Lexicon, variant: Variant = "unsupervised") -> None:
        self.words = words
        self.lexicon = lexicon
        self._variant: Variant = variant
        self._nouns, self._usual = lexicon.nouns, lexicon.usual
        self._kept: EncodedCaptions | None = None
        self._passes = 0
        self._lock = threading.Lock()

    def begin_pass(self, jobs: int) -> None:
        """Count how often the captions are gone through; the second time, encode and keep them all."""
        with self._lock:
            self._passes += 1
            if self._passes == 2 and 0 < len(self.words.ids) <= KEPT_WORDS:
                parts = map_blocks(
                    lambda first, last: self.of(np.arange(first, last)), len(self.words), jobs, "lens", BLOCK_CAPTIONS
                )
                self._kept = _joined(parts)

    @property
    def block(self) -> int:
        """How many candidates to compare with these references at a time."""
        return BLOCK_CAPTIONS if self._kept is None else KEPT_BLOCK_CAPTIONS

    @property
    def _encoder(self) -> CaptionEncoder:
        return shipped(self._variant)

    def of(self, captions: Integers) -> EncodedCaptions:
        """Return some captions, encoded."""
        return self._encoded(captions, *self._words_of(captions))

    def _encoded(self, captions: Integers, places: Integers, offsets: Integers) -> EncodedCaptions:
        kept = self._kept
        if kept is not None:
            return EncodedCaptions(offsets, kept.vectors[places], kept.weights[places], kept.captions[captions])
        return self._encoder.encode(self.lexicon, self.words.ids[places], offsets)

    def claims(self, captions: Integers) -> Claims:
        """Return some captions as candidates."""
        places, offsets = self._words_of(captions)
        found, ids = self._encoded(captions, places, offsets), self.words.ids[places]
        return Claims(replace(found, weights=found.weights * (1 + NOUNS * self._nouns[ids])), self._usual[ids])

    def odds(self, captions: Integers) -> tuple[Singles, Integers]:
        """Return the log odds that words of some captions stand well, and where captions begin among them."""
        places, offsets = self._words_of(captions)
        return self._encoder.odds(self.lexicon, self.words.ids[places], offsets), offsets

    def _words_of(self, captions: Integers) -> tuple[Integers, Integers]:
        """Return the places of the words of some captions, and where captions begin among them."""
        places, counts = places_of(self.words.offsets, captions)
        return places, offsets_of(counts)


@dataclass(frozen=True)
class LensCaptions(Requirement[LensStates]):
    """Captions that can be had encoded."""

    words: WordIds
    variant: Variant = "unsupervised"

    def compute(self, side: PreparedCaptions) -> LensStates:
        """Look the words up; captions are encoded later, block by block."""
        return LensStates(side.get(self.words), side.get(LensWords(self.words, self.variant)), self.variant)


def _joined(parts: list[EncodedCaptions]) -> EncodedCaptions:
    columns = zip(*(list(vars(part).values())[1:] for part in parts), strict=True)
    return EncodedCaptions(np.zeros(0, np.int64), *map(np.concatenate, columns))
