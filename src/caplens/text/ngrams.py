"""N-grams of captions as integer ids with counts.

The id of an n-gram is found through the id of its prefix and its last word, so ids are exact (no hashing of n-grams to
a fixed width) and each order has a dense id space of its own: order 1 is the word ids themselves.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.files.threads import take_through
from caplens.text import _ngrams
from caplens.text._tables import BytesTable, PairTable
from caplens.text.words import Words

BLOCK_CAPTIONS = 4_096
SOME_WORDS = 1 << 16
"""So few that counting n-grams would take longer than room for one at each word costs."""


@dataclass(frozen=True, eq=False)
class NgramIndex:
    """The n-grams that ids stand for: a table of words and, for each order from 2, a table of pairs.

    Examples
    --------
    >>> from caplens.text.captions import Captions
    >>> from caplens.text.tokenizers import get_tokenizer
    >>> from caplens.text.words import encode_words
    >>> words = encode_words(Captions.from_texts(["a dog and a dog"])[0], get_tokenizer("none"))
    >>> ngrams = count_ngrams(words, 2)
    >>> {ngrams.index.ngram(2, i): c for i, c in zip(*[x.tolist() for x in ngrams.orders[1].of(0)])}
    {('a', 'dog'): 2, ('dog', 'and'): 1, ('and', 'a'): 1}
    """

    words: BytesTable
    tables: tuple[PairTable, ...]

    @property
    def max_order(self) -> int:
        """The longest n-gram that has an id."""
        return len(self.tables) + 1

    def size(self, order: int) -> int:
        """Return the number of n-grams of one order, those of the base included."""
        return len(self.words) if order == 1 else len(self.tables[order - 2])

    def base_size(self, order: int) -> int:
        """Return the number of n-grams of one order that belong to the base."""
        return int(self.words.base_size if order == 1 else self.tables[order - 2].base_size)

    def ngram(self, order: int, identifier: int) -> tuple[str, ...]:
        """Return the words of an n-gram."""
        last_words: list[str] = []
        for table in reversed(self.tables[: order - 1]):
            identifier, word = table.pair(identifier)
            last_words.append(self.words.key(word).decode("utf-8"))
        return (self.words.key(identifier).decode("utf-8"), *reversed(last_words))

    def find(self, ngram: tuple[str, ...]) -> int:
        """Return the id of an n-gram among those of its order, or -1."""
        return int(self.find_all([ngram])[0])

    def find_all(self, ngrams: Sequence[tuple[str, ...]]) -> npt.NDArray[np.int32]:
        """Return the ids of n-grams of one order, -1 for those that have none: together they take less time."""
        get = self.words.get
        words = np.array([[get(word.encode("utf-8")) for word in ngram] for ngram in ngrams], np.int32, ndmin=2)
        found = np.ascontiguousarray(words[:, 0])
        for place, table in enumerate(self.tables[: words.shape[1] - 1], 1):
            found = table.lookup(found, np.ascontiguousarray(words[:, place]))
        return found


@dataclass(frozen=True, eq=False)
class OrderCounts:
    """The distinct n-grams of one order in each caption, in rows like a sparse matrix.

    Attributes
    ----------
    offsets : numpy.ndarray of int64
        Caption ``i`` has the entries ``offsets[i]:offsets[i + 1]``.
    ids, counts : numpy.ndarray of int32
        N-gram ids, ascending within a caption, and how often each occurs there.
    """

    offsets: npt.NDArray[np.int64]
    ids: npt.NDArray[np.int32]
    counts: npt.NDArray[np.int32]

    def of(self, caption: int) -> tuple[npt.NDArray[np.int32], npt.NDArray[np.int32]]:
        """Return ids and counts of one caption."""
        part = slice(self.offsets[caption], self.offsets[caption + 1])
        return self.ids[part], self.counts[part]


@dataclass(frozen=True, eq=False)
class Ngrams:
    """The n-gram counts of captions, ``orders[n - 1]`` for each length n."""

    orders: tuple[OrderCounts, ...]
    index: NgramIndex


def count_ngrams(words: Words, max_order: int, base: NgramIndex | None = None, jobs: int = 1) -> Ngrams:
    """Count the n-grams of length 1 to ``max_order`` of every caption; ids of ``base`` are kept."""
    tables = tuple(PairTable(base.tables[order - 2] if base else None) for order in range(2, max_order + 1))
    rooms = [_room(words, order) for order in range(1, max_order + 1)]
    # The ids of an order follow from those of the order before, block by block, so orders can be counted side by side.
    steps = [_step(words, order, tables, room) for order, room in enumerate(rooms, 1)]
    take_through(steps, len(words), jobs, "n-grams", BLOCK_CAPTIONS)
    return Ngrams(tuple(_trimmed(room) for room in rooms), NgramIndex(words.table, tables))


def count_ids(ids: npt.NDArray[np.int32], offsets: npt.NDArray[np.int64]) -> OrderCounts:
    """Count what occurs in each caption; caption ``i`` has ``ids[offsets[i]:offsets[i + 1]]``.

    Examples
    --------
    >>> found = count_ids(np.array([7, 3, 7, 5], np.int32), np.array([0, 3, 4]))
    >>> found.offsets.tolist(), found.ids.tolist(), found.counts.tolist()
    ([0, 2, 3], [3, 7, 5], [1, 2, 1])
    """
    captions = len(offsets) - 1
    room = OrderCounts(np.zeros(captions + 1, np.int64), np.empty(len(ids), np.int32), np.empty(len(ids), np.int32))
    _ngrams.count(ids, offsets, 1, room.offsets, room.ids, room.counts, 0, captions)
    return _trimmed(room)


def _step(words: Words, order: int, tables: Sequence[PairTable], room: OrderCounts) -> Callable[[int, int, Any], Any]:
    """Return what gives ids to the n-grams of one order in a block, made from those one shorter, and counts them."""

    def count_block(first: int, last: int, shorter: npt.NDArray[np.int32] | None) -> npt.NDArray[np.int32]:
        if shorter is None:
            starts = words.ids[words.offsets[first] : words.offsets[last]]
        else:
            starts = _ngrams.extend(tables[order - 2], shorter, words.ids, words.offsets, order, first, last)
        _ngrams.count(starts, words.offsets, order, room.offsets, room.ids, room.counts, first, last)
        return starts

    return count_block


def _room(words: Words, order: int) -> OrderCounts:
    """Return arrays with room for every n-gram of one order."""
    most = len(words.ids)
    if most > SOME_WORDS:
        most = int(np.maximum(words.lengths - order + 1, 0).sum())
    return OrderCounts(
        np.zeros(len(words) + 1, dtype=np.int64), np.empty(most, dtype=np.int32), np.empty(most, dtype=np.int32)
    )


def _trimmed(room: OrderCounts) -> OrderCounts:
    used = room.offsets[-1]
    return OrderCounts(room.offsets, room.ids[:used], room.counts[:used])
