"""Reference lists that come again in later batches, prepared once for all of them.

Rows of several systems on one dataset have the same references, often in different batches. Preparing a list takes
longer than scoring a row against it, so the lists of the first batches are kept: first their texts, and what metrics
derive from them when enough of them have come again. A batch is scored against the kept ones only if they include all
of its lists, and only with metrics whose rows stand alone, so it gets the same bits either way.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import numpy.typing as npt

from caplens.core.evaluator import Evaluator
from caplens.core.prepared import PreparedReferences
from caplens.corpus import ReferenceSets
from caplens.text._tables import PairTable
from caplens.text.captions import Captions
from caplens.text.ragged import places_of

MOST_CAPTIONS, MOST_BYTES = 1 << 18, 1 << 24
"""How many captions are kept, and how many bytes of text: enough for COCO val2014."""

Keys = npt.NDArray[np.int64]


class KeptReferences:
    """The reference lists of the first batches, found by their texts.

    Parameters
    ----------
    new_evaluator : callable
        Makes the evaluator of some reference sets.

    Attributes
    ----------
    evaluator : Evaluator or None
        The evaluator of the lists, once they came again.
    """

    def __init__(self, new_evaluator: Callable[[ReferenceSets], Evaluator]) -> None:
        self.evaluator: Evaluator | None = None
        self._new_evaluator = new_evaluator
        self._sets = ReferenceSets.empty()  # those of the evaluator
        self._table = PairTable()
        self._pieces: list[tuple[Captions, npt.NDArray[np.int64]]] = []
        self._captions = self._bytes = 0
        self._again = 0  # lists that came again and were prepared again, since the evaluator was made

    def find(self, sets: ReferenceSets, keys: Keys) -> npt.NDArray[np.int64] | None:
        """Return the places of lists among those of the evaluator; None if they are to be prepared on their own.

        ``keys`` are those of the lists (`keys_of`).
        """
        numbers = self._table.number(keys).astype(np.int64)
        if not len(numbers) or sets.graphs is not None:
            return None
        if numbers.min() < 0 or numbers.max() >= len(self._sets):
            self._again += int(np.count_nonzero(numbers >= 0))
            # What must be prepared for all lists is worth it if half as much was prepared in vain.
            if numbers.min() < 0 or 2 * self._again < len(self._table):
                return None
            self._make_evaluator()
        return numbers if _are_at(numbers, sets, self._sets) else None

    def add(self, sets: ReferenceSets, keys: Keys, prepared: PreparedReferences) -> None:
        """Keep the lists of a batch, if there is room; not if there was something to say about them."""
        if prepared.notices or prepared.cut or prepared.uncut[0] or sets.graphs is not None:
            return
        new = np.flatnonzero(self._table.number(keys) < 0)
        new = np.sort(new[np.unique(keys[new], return_index=True)[1]])
        places, counts = places_of(sets.offsets, new)
        captions = self._captions + len(places)
        text = self._bytes + int(np.diff(sets.captions.offsets)[places].sum())
        if not len(new) or captions > MOST_CAPTIONS or text > MOST_BYTES:
            return  # no room for all: a batch is found as a whole or not at all
        self._table.number(keys[new], add=True)
        self._pieces.append((sets.captions.take(places), counts))
        self._captions, self._bytes = captions, text

    def _make_evaluator(self) -> None:
        self.evaluator = None  # its memory is needed
        texts = [captions.buffer for captions, _ in self._pieces]
        lengths = [np.diff(captions.offsets) for captions, _ in self._pieces]
        joined = Captions(np.concatenate(texts), _offsets(lengths))
        offsets = _offsets([counts for _, counts in self._pieces])
        self._pieces = [(joined, np.diff(offsets))]
        self._sets = ReferenceSets([str(place) for place in range(len(offsets) - 1)], joined, offsets)
        self.evaluator = self._new_evaluator(self._sets)
        self._again = 0


def keys_of(sets: ReferenceSets) -> Keys:
    """Return a number for each reference list: equal lists have the same, and others hardly ever.

    Examples
    --------
    >>> from caplens.corpus import KnownReferences
    >>> keys = keys_of(KnownReferences.of([["a", "b"], ["b", "a"], ["a", "b"]]).sets)
    >>> keys[0] == keys[2], keys[0] == keys[1]
    (np.True_, np.False_)
    """
    sizes = np.diff(sets.offsets)
    place = np.arange(sets.offsets[-1]) - np.repeat(sets.offsets[:-1], sizes)
    weighed = sets.captions.hashes() * (2 * place + 1).astype(np.uint64)
    running = np.zeros(len(weighed) + 1, dtype=np.uint64)
    np.cumsum(weighed, out=running[1:])
    return (running[sets.offsets[1:]] - running[sets.offsets[:-1]] + sizes.astype(np.uint64)).view(np.int64)


def _are_at(places: npt.NDArray[np.int64], sets: ReferenceSets, others: ReferenceSets) -> bool:
    """Tell whether lists are, text by text, those at some places among others."""
    captions, counts = places_of(others.offsets, places)
    if not np.array_equal(counts, np.diff(sets.offsets)):
        return False
    found = others.captions.take(captions)
    return np.array_equal(found.offsets, sets.captions.offsets) and np.array_equal(found.buffer, sets.captions.buffer)


def _offsets(counts: list[npt.NDArray[np.int64]]) -> npt.NDArray[np.int64]:
    return np.concatenate([[0], np.cumsum(np.concatenate(counts))]).astype(np.int64)
