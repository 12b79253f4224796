"""Rows that are near each other: for captions of similar images (RC), by features or by what their captions say.

References
----------
Y. Cui, G. Yang, A. Veit, X. Huang, S. Belongie: Learning to evaluate image captioning, CVPR 2018, eq. 7.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeAlias, overload

import numpy as np

from caplens.arrays import Floats, Integers, Singles
from caplens.files.progress import blocks

Vectors: TypeAlias = Singles | Floats

BLOCK_ELEMENTS = 1 << 22
"""Similarities held at a time: 16 MB, however many rows there are."""


@dataclass(frozen=True, eq=False)
class SparseRows:
    """Vectors that are zero nearly everywhere, one per row.

    Attributes
    ----------
    weights : numpy.ndarray of float32
        What is not zero, row by row.
    columns : numpy.ndarray of int64
        The column of each weight; a row has a column once.
    offsets : numpy.ndarray of int64
        Row ``r`` owns the weights ``offsets[r]:offsets[r + 1]``.
    width : int
        How many columns there are.
    """

    weights: Singles
    columns: Integers
    offsets: Integers
    width: int

    @property
    def shape(self) -> tuple[int, int]:
        """The numbers of rows and of columns."""
        return len(self.offsets) - 1, self.width

    @cached_property
    def rows(self) -> Integers:
        """The row of each weight."""
        return np.repeat(np.arange(self.shape[0]), np.diff(self.offsets))

    @cached_property
    def _by_column(self) -> tuple[Integers, Singles, Integers]:
        """Rows and weights, column by column, and where each column begins."""
        order = np.argsort(self.columns, kind="stable")
        begins = np.searchsorted(self.columns[order], np.arange(self.width + 1))
        return self.rows[order], self.weights[order], begins

    def products(self, first: int, last: int) -> Singles:
        """Return the dot products of some rows with all rows, added up in the order of the columns of a row.

        Examples
        --------
        >>> rows = SparseRows(np.array([1, 2, 3], np.float32), np.array([0, 1, 1]), np.array([0, 2, 3]), 2)
        >>> rows.products(0, 2).tolist()
        [[5.0, 6.0], [6.0, 9.0]]
        """
        rows, weights, begins = self._by_column
        table = np.zeros((last - first, self.shape[0]), np.float32)
        for place in range(int(self.offsets[first]), int(self.offsets[last])):
            column = self.columns[place]
            shared = slice(begins[column], begins[column + 1])
            # A row has a column once, so that no element is added to twice here.
            table[self.rows[place] - first, rows[shared]] += self.weights[place] * weights[shared]
        return table


def nearest_rows(
    vectors: Vectors | SparseRows,
    strength: float,
    generator: np.random.Generator,
    labels: Sequence[object] | None = None,
) -> list[int]:
    r"""Draw for each row one of the others that are nearest to it, all of these alike likely.

    .. math:: T_{RC}(D; \gamma) = \{(c', i) \mid (c, i), (c', i') \in D, i' \in N_\gamma(i)\}

    Parameters
    ----------
    vectors : numpy.ndarray or SparseRows
        One row per image: its features, or `rarity_vectors` of its captions. Near is a large cosine.
    strength : float
        The share of the other rows that is drawn from, above 0: at least one row, at 1 all of them.
    generator : numpy.random.Generator
        Of the draws.
    labels : sequence, optional
        Rows with the same label are never drawn for each other, such as those with the same caption.

    Returns
    -------
    list of int
        The row that was drawn for each; never itself.

    Examples
    --------
    >>> features = np.array([[1.0, 0.0], [0.9, 0.1], [0.0, 1.0], [0.1, 0.9]])
    >>> nearest_rows(features, 0.3, np.random.default_rng(0))
    [1, 0, 3, 2]
    """
    rows = int(vectors.shape[0])
    kinds = np.arange(rows) if labels is None else _numbered(labels)
    others = rows - np.bincount(kinds)[kinds]
    if rows < 2 or not others.all():
        raise ValueError("there is a row without another one")
    if not 0 < strength <= 1:
        raise ValueError("the strength is above 0 and at most 1")
    nearest = np.clip(np.floor(strength * (rows - 1) + 0.5).astype(np.int64), 1, others)
    ranks = (generator.random(rows) * nearest).astype(np.int64)
    unit = _unit(vectors)
    drawn: list[int] = []
    for first, last in blocks("nearest", rows, max(1, BLOCK_ELEMENTS // rows)):
        table = unit[first:last] @ unit.T if isinstance(unit, np.ndarray) else unit.products(first, last)
        table[kinds[first:last, np.newaxis] == kinds] = -np.inf
        drawn += [_ranked(similarity, rank) for similarity, rank in zip(table, ranks[first:last].tolist(), strict=True)]
    return drawn


def rarity_vectors(documents: Sequence[Iterable[str]]) -> SparseRows:
    """Return a vector of each document: its words, weighted by how few documents have them (TF-IDF), of length 1.

    Examples
    --------
    >>> vectors = rarity_vectors([["a", "dog"], ["a", "dog", "dog"], ["a", "cat"]])
    >>> vectors.products(0, 3).round(2).tolist()
    [[1.0, 1.0, 0.0], [1.0, 1.0, 0.0], [0.0, 0.0, 1.0]]
    """
    counts = [Counter(document) for document in documents]
    frequency = Counter(word for count in counts for word in count)
    place = {word: number for number, word in enumerate(frequency)}
    rarity = np.log(len(counts) / np.array([frequency[word] for word in place], dtype=np.float64))
    offsets = np.cumsum([0, *map(len, counts)])
    columns = np.array([place[word] for count in counts for word in count], dtype=np.int64)
    numbers = np.array([number for count in counts for number in count.values()], dtype=np.float64)
    weights = numbers * rarity[columns] if len(columns) else numbers
    return _unit(SparseRows(weights.astype(np.float32), columns, offsets, len(place)))


@overload
def _unit(vectors: SparseRows) -> SparseRows: ...
@overload
def _unit(vectors: Vectors) -> Vectors: ...
def _unit(vectors: Vectors | SparseRows) -> Vectors | SparseRows:
    """Bring rows to length 1; one without any length stays as it is."""
    if isinstance(vectors, np.ndarray):
        exact = vectors.astype(np.float32, copy=False)
        lengths = np.sqrt(np.einsum("ij,ij->i", exact, exact))
        return exact / np.where(lengths > 0, lengths, 1)[:, np.newaxis]
    squares: Singles = np.zeros(vectors.shape[0], np.float32)
    filled = np.flatnonzero(np.diff(vectors.offsets))
    if len(filled):
        squares[filled] = np.add.reduceat(vectors.weights * vectors.weights, vectors.offsets[filled])
    scales: Singles = np.where(squares > 0, np.sqrt(squares), np.float32(1))
    return replace(vectors, weights=vectors.weights / scales[vectors.rows])


def _ranked(similarity: Vectors, rank: int) -> int:
    """Return the place of the value of a rank, the largest first; of equal values the first place comes first.

    The order of equal values is fixed here, so that the same seed draws the same rows on every machine.
    """
    value = -np.partition(-similarity, rank)[rank]
    above = int(np.count_nonzero(similarity > value))
    return int(np.flatnonzero(similarity == value)[rank - above])


def _numbered(labels: Sequence[object]) -> Integers:
    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(label, len(numbers)) for label in labels], dtype=np.int64)
