"""Distinct words as the encoder of captions takes them in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.arrays import Integers, Singles
from caplens.learned.lens._encoding import Captions, add_up, add_windows


@dataclass(frozen=True, eq=False)
class CodedWords:
    """What words are without their captions: everything that can be computed once for each of them.

    Attributes
    ----------
    products : numpy.ndarray of float32
        What they add to the first layer: to the state of the word behind them, to their own, and to that of the word
        before them.
    own : numpy.ndarray of float32
        Their vectors, what these add to their directions, and the log odds that they count.
    forms : numpy.ndarray of float32
        What they add to the first layer for the form of captions, in the order of ``products``.
    summed : numpy.ndarray of float32
        Their vectors in the second view of a caption, the sum of its words.
    nouns : numpy.ndarray of float32
        How often they are nouns, 0 to 1.
    usual : numpy.ndarray of float32
        How alike their best counterpart usually is where they are true, 0 to 1: with one reference, with very many.
    """

    products: Singles
    own: Singles
    forms: Singles
    summed: Singles
    nouns: Singles
    usual: Singles

    def __len__(self) -> int:
        return len(self.own)

    def take(self, places: npt.NDArray[np.integer[Any]]) -> CodedWords:
        """Return the words at some places."""
        return CodedWords(*(array[places] for array in vars(self).values()))


@dataclass(frozen=True, eq=False)
class Lexicon:
    """The distinct words of a side: those of the references, then those that only the candidates have."""

    below: CodedWords
    above: CodedWords

    @classmethod
    def single(cls, words: CodedWords) -> Lexicon:
        """Return a lexicon without further words."""
        return cls(words, words.take(np.arange(0)))

    def captions(self, ids: npt.NDArray[np.int32], offsets: Integers) -> Captions:
        """Return captions of these words, for the kernels."""
        return Captions(ids, offsets, len(self.below), len(self.above))

    @property
    def nouns(self) -> Singles:
        """How often each word is a noun, by id."""
        return np.concatenate([self.below.nouns, self.above.nouns])

    @property
    def usual(self) -> Singles:
        """How alike the best counterpart of each word usually is, by id; columns as in `CodedWords`."""
        return np.concatenate([self.below.usual, self.above.usual])

    def sums(self, captions: Captions) -> Singles:
        """Return the sum of the words of each caption, whatever their order."""
        found = np.empty((captions.number, self.below.summed.shape[1]), np.float32)
        add_up(captions, self.below.summed, self.above.summed, found)
        return found

    def states(self, captions: Captions, name: str, bias: Singles) -> Singles:
        """Return sums of what words and their neighbours add to a first layer; zeros lie between captions."""
        below, above = getattr(self.below, name), getattr(self.above, name)
        found = np.empty((captions.rows, len(bias)), np.float32)
        add_windows(captions, below, above, bias, found)
        return found
