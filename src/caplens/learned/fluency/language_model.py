"""An n-gram language model as arrays: words after words, each with its probability and that of leaving the list.

An n-gram is found by the number of its first words (the context, an n-gram one word shorter) and its last word. Where a
word is not listed after a context, the model backs off: it looks after the context without its first word and adds what
the longer context says about unlisted words. Everything is looked up for all words of all captions at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache, cached_property
from pathlib import Path

import numpy as np
import numpy.typing as npt

import caplens.data
from caplens.arrays import Floats, Integers
from caplens.errors import MissingDataError
from caplens.files.arrays import Arrays, read_arrays
from caplens.files.checks import DamagedFileError, check_finite, check_range, check_shape
from caplens.learned.fluency._ngrams import Lists
from caplens.text._tables import BytesTable
from caplens.text.ragged import offsets_of
from caplens.text.vocabulary import Vocabulary

PATH = Path(caplens.data.__file__).parent / "fluency" / "coco-train2014.safetensors"
FORMAT = "caplens-ngrams-1"
SPECIAL_WORDS = 3
"""Behind the words: the beginning and the end of a caption, and any unknown word."""


@dataclass(frozen=True, eq=False)
class Order:
    """The n-grams of one order.

    Attributes
    ----------
    listed : Lists
        The last words of n-grams by their context; none in the order 1.
    log_probabilities : numpy.ndarray of float32
        Natural logarithm of the probability of the last word.
    backoffs : numpy.ndarray of float32
        What an n-gram as context adds for words that are not listed after it; empty in the highest order.
    """

    listed: Lists
    log_probabilities: npt.NDArray[np.float32]
    backoffs: npt.NDArray[np.float32]


class LanguageModel:
    """Probabilities of words after the words before them.

    Parameters
    ----------
    arrays : Arrays
        ``words`` and ``word_lengths`` (sorted words), and for each order ``k`` from 1 on ``probability_k``, from 2 on
        ``word_k`` and ``count_k`` (how many n-grams each context has), below the highest ``backoff_k``.

    Examples
    --------
    >>> model = shipped()
    >>> table = BytesTable()
    >>> ids = np.array([table.insert(word) for word in b"a dog on the grass".split()])
    >>> logs, used = model.score(model.numbers(table)[ids], np.array([0, 5]))
    >>> len(logs), used.tolist()  # the end of the caption counts too
    (6, [2, 3, 3, 3, 3, 3])
    """

    def __init__(self, arrays: Arrays) -> None:
        self.fingerprint = arrays.facts["fingerprint"]
        self.vocabulary = Vocabulary(arrays["words"], offsets_of(arrays["word_lengths"]).astype(np.uint32))
        self.size = len(self.vocabulary) + SPECIAL_WORDS
        self.begin, self.end, self.unknown = range(len(self.vocabulary), self.size)
        highest = max(int(name.rpartition("_")[2]) for name in arrays if name.startswith("probability_"))
        self.orders = [self._order(arrays, order, highest) for order in range(1, highest + 1)]

    def _order(self, arrays: Arrays, order: int, highest: int) -> Order:
        """Take the n-grams of an order, and refuse those that contradict the order below."""
        logs = arrays[f"probability_{order}"].astype(np.float32)
        check_finite(f"probability_{order}", logs)
        backoffs = arrays[f"backoff_{order}"].astype(np.float32) if order < highest else np.zeros(0, np.float32)
        check_shape(f"backoff_{order}", backoffs, len(logs) if order < highest else 0)
        check_finite(f"backoff_{order}", backoffs)
        if order == 1:
            check_shape("probability_1", logs, self.size)
            return Order(Lists(np.zeros(1, np.int64), np.zeros(0, np.int64)), logs, backoffs)
        words, counts = arrays[f"word_{order}"], arrays[f"count_{order}"]
        check_range(f"word_{order}", words, 0, self.size)
        check_shape(f"word_{order}", words, len(logs))
        check_shape(f"count_{order}", counts, len(arrays[f"probability_{order - 1}"]))
        if int(counts.sum(dtype=np.int64)) != len(logs):
            raise DamagedFileError(f"count_{order} must add up to the number of n-grams, {len(logs):,}.")
        keys = np.repeat(np.arange(len(counts)), counts) * self.size + words
        if (np.diff(keys) <= 0).any():
            raise DamagedFileError(f"word_{order} must be ascending within each context.")
        return Order(Lists(offsets_of(counts), words.astype(np.int64)), logs, backoffs)

    @cached_property
    def least(self) -> float:
        """The log probability of the least likely word; the beginning of a caption is never predicted."""
        return float(np.delete(self.orders[0].log_probabilities, self.begin).min())

    def numbers(self, table: BytesTable, first: int = 0) -> Integers:
        """Return the model's number of each word of a table, from the id ``first`` on."""
        found = self.vocabulary.find(table, first).astype(np.int64)
        found[found < 0] = self.unknown
        return found

    def score(self, words: Integers, offsets: Integers) -> tuple[Floats, Integers]:
        """Return the log probability of every word and of the end of each caption, one after the other.

        Parameters
        ----------
        words : numpy.ndarray of int64
            The words of captions as numbers of the model.
        offsets : numpy.ndarray of int64
            Where captions begin in ``words``, and where the last one ends.

        Returns
        -------
        log_probabilities : numpy.ndarray
            Caption ``i`` has the entries from ``offsets[i] + i`` to ``offsets[i + 1] + i + 1``.
        orders : numpy.ndarray of int64
            The order of the longest listed n-gram that each word ends: 1 for a word that is not listed after the one
            before it.
        """
        captions = len(offsets) - 1
        starts = offsets[:-1] + 2 * np.arange(captions)  # with the marks of beginning and end
        text = np.full(len(words) + 2 * captions, self.end, dtype=np.int64)
        text[starts] = self.begin
        place = np.arange(len(words)) + 1 + 2 * np.repeat(np.arange(captions), np.diff(offsets))
        text[place] = words
        scored = np.ones(len(text), bool)
        scored[starts] = False
        position = np.arange(len(text)) - np.repeat(starts, np.diff(offsets) + 2)
        return self._backed_off(text, position, np.flatnonzero(scored))

    def _backed_off(self, text: Integers, position: Integers, scored: Integers) -> tuple[Floats, Integers]:
        """Go from single words to the longest n-grams: what is listed last counts."""
        logs = self.orders[0].log_probabilities[text].astype(np.float64)
        used = np.ones(len(text), np.int64)
        context = text  # by position: the place of the n-gram that ends there, of the order below
        for order, entries in enumerate(self.orders[1:], 2):
            before = np.full(len(text), -1, dtype=np.int64)
            before[1:] = context[:-1]
            before[position < order - 1] = -1
            found = entries.listed.find(before, text)
            backoffs = self.orders[order - 2].backoffs
            logs += np.where(before >= 0, backoffs[before], 0.0)
            listed = found >= 0
            logs[listed] = entries.log_probabilities[found[listed]]
            used[listed] = order
            context = found
        return logs[scored], used[scored]


@cache
def shipped() -> LanguageModel:
    """Return the model that ships with caplens."""
    try:
        arrays = read_arrays(PATH)
        if arrays.facts.get("format") != FORMAT:
            raise DamagedFileError(f"{PATH.name} does not contain a language model")
        return LanguageModel(arrays)
    except (OSError, DamagedFileError, KeyError) as error:
        raise MissingDataError(
            f"The language model that ships with caplens cannot be read ({str(error).rstrip('.')}): "
            "pip install --force-reinstall caplens."
        ) from error


def numbers_of(model: LanguageModel, words: Sequence[str]) -> Integers:
    """Return the numbers of some words."""
    places = [model.vocabulary.index(word.encode()) for word in words]
    return np.array([model.unknown if place < 0 else place for place in places], dtype=np.int64)
