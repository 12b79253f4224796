"""Word pieces of the teacher's encoder: the pieces of batches of captions."""

from __future__ import annotations

import numpy as np
from silver import Batch, Parses

from caplens.embeddings.minilm import WordPieces


class FormPieces:
    """The pieces of the forms that batches point into.

    Parameters
    ----------
    vocabulary
        Pieces, in the order of the encoder's table.
    forms
        Words.
    """

    def __init__(self, vocabulary: list[str], forms: list[str]) -> None:
        tokenizer = WordPieces(vocabulary)
        pieces = [tokenizer.pieces(form) for form in forms]
        self._start, self._end = tokenizer.start, tokenizer.end
        self._counts = np.array([len(each) for each in pieces])
        self._firsts = np.cumsum(self._counts) - self._counts
        self._flat = np.array([piece for each in pieces for piece in each])

    def lengths(self, parses: Parses) -> np.ndarray:
        """Count the pieces of each caption, its begin and end included."""
        return np.add.reduceat(self._counts[parses.form], parses.offsets[:-1]) + 2

    def of(self, batch: Batch) -> tuple[np.ndarray, np.ndarray]:
        """Give pieces of captions with as many words and pieces as each other, and the word each belongs to.

        Both are ``(captions, pieces)``; words count from 1, the caption's begin has 0, its end -1.
        """
        captions, length = batch.form.shape
        forms = batch.form.ravel()
        counts = self._counts[forms]
        ends = np.cumsum(counts)
        inside = np.arange(ends[-1]) - np.repeat(ends - counts, counts)
        flat = self._flat[np.repeat(self._firsts[forms], counts) + inside].reshape(captions, -1)
        words = np.repeat(np.tile(np.arange(1, length + 1), captions), counts).reshape(captions, -1)
        one = np.ones((captions, 1), np.int64)
        return (
            np.concatenate([self._start * one, flat, self._end * one], axis=1),
            np.concatenate([0 * one, words, -one], axis=1),
        )
