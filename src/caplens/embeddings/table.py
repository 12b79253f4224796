"""Tables of word vectors: which words they know, and the vectors of those."""

from __future__ import annotations

from abc import ABC, abstractmethod
from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from caplens.arrays import Singles
from caplens.files.arrays import Arrays
from caplens.files.checks import DamagedFileError, all_finite
from caplens.text._tables import BytesTable
from caplens.text.vocabulary import Vocabulary

Kind = Literal["captions", "scene", "glove", "word2vec", "fasttext"]


@dataclass(frozen=True, eq=False)
class Found:
    """The vectors of some words.

    Attributes
    ----------
    known : numpy.ndarray of bool
        Which of the words have one.
    vectors : numpy.ndarray of float32
        The vectors of those, in order.
    """

    known: npt.NDArray[np.bool_]
    vectors: Singles


@dataclass(frozen=True, eq=False)
class VectorTable(ABC):
    """Vectors of words.

    Attributes
    ----------
    name : str
        The name by which metrics ask for it.
    kind : {"captions", "scene", "glove", "word2vec", "fasttext"}
        How the vectors were made.
    fingerprint : str
        A hash of the content, for signatures.
    vocabulary : Vocabulary
        The words.
    """

    name: str
    kind: Kind
    fingerprint: str
    vocabulary: Vocabulary

    def __len__(self) -> int:
        return len(self.vocabulary)

    @property
    def has_subwords(self) -> bool:
        """Whether the table can make vectors of unknown words."""
        return False

    @property
    @abstractmethod
    def dimensions(self) -> int:
        """The length of a vector."""

    @abstractmethod
    def _take(self, places: npt.NDArray[np.integer[Any]]) -> Singles:
        """Return the vectors of the words at some places of the vocabulary."""

    def take(self, places: npt.NDArray[np.integer[Any]]) -> Singles:
        """Return the vectors of the words at some places of the vocabulary, all of them finite."""
        return self._finite(self._take(places))

    def _finite(self, vectors: Singles) -> Singles:
        """Refuse what no distance and no cosine can be made of, before a kernel sees it."""
        if not all_finite(vectors):
            raise DamagedFileError(
                f"The word vectors {self.name!r} contain values that are not finite numbers: import them again with "
                f"caplens vectors import FILE --name {self.name}."
            )
        return vectors

    def look_up(self, words: BytesTable, first: int = 0, *, subwords: bool = False) -> Found:
        """Return the vectors of a table's entries from the id ``first`` on.

        With ``subwords``, words outside the vocabulary get a vector from their n-grams of characters, where the table
        has those.
        """
        places = self.vocabulary.find(words, first)
        known = places >= 0
        if not subwords or known.all():
            return Found(known, self.take(places[known]))
        vectors = np.zeros((len(places), self.dimensions), dtype=np.float32)
        vectors[known] = self.take(places[known])
        unknown = np.flatnonzero(~known)
        composed = self.compose(words.keys(unknown + first))
        made = unknown[composed.known]
        vectors[made] = self._finite(composed.vectors)
        known[made] = True
        return Found(known, vectors[known])

    def compose(self, words: list[bytes]) -> Found:
        """Make vectors of words that are not in the vocabulary; a table without n-grams of characters makes none."""
        return Found(np.zeros(len(words), dtype=bool), np.zeros((0, self.dimensions), dtype=np.float32))

    def vector(self, word: str) -> Singles | None:
        """Return the vector of one word, or None."""
        place = self.vocabulary.index(word.encode())
        return None if place < 0 else self.take(np.array([place]))[0]


@dataclass(frozen=True, eq=False)
class StoredTable(VectorTable):
    """Vectors as they stand in a file; word ``i`` of the vocabulary has the row ``rows[i]``, or ``i``.

    Examples
    --------
    >>> vocabulary = Vocabulary.from_words([b"dog", b"cat"])
    >>> table = StoredTable("tiny", "glove", "0", vocabulary, np.array([[1, 0], [0, 2]], dtype=np.float16))
    >>> table.vector("dog"), table.vector("horse")
    (array([0., 2.], dtype=float32), None)
    """

    vectors: npt.NDArray[np.float16] | npt.NDArray[np.float32]
    rows: npt.NDArray[np.int32] | None = None

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self.vectors.shape[1])

    def _take(self, places: npt.NDArray[np.integer[Any]]) -> Singles:
        found: Singles = self.vectors[places if self.rows is None else self.rows[places]].astype(np.float32)
        return found


@dataclass(frozen=True, eq=False)
class TreatedTable(VectorTable):
    """The shipped GloVe vectors, treated for captions (`training/vectors` says how and why).

    A vector has two halves. The first is the GloVe vector, moved so that the mean of caption words is zero, and changed
    by ``transform``, which shrinks the directions in which captions of one image differ. The second
    describes the company of a word in captions: words that describe the same images are close together. Words that do
    not occur in the captions get the second half that their GloVe vector predicts. Whole vectors have length 1.
    """

    arrays: Arrays

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self.arrays["transform"].shape[1] + self.arrays["company"].shape[1])

    def _take(self, places: npt.NDArray[np.integer[Any]]) -> Singles:
        arrays = self.arrays
        centred = arrays["vectors"][places].astype(np.float64) - arrays["centre"]
        company = centred @ arrays["prediction"].astype(np.float64) + arrays["prediction_offset"]
        seen = arrays["company_words"]
        rows = np.minimum(np.searchsorted(seen, places), len(seen) - 1)
        own = seen[rows] == places
        company[own] = arrays["company"][rows[own]]
        whole = np.hstack([centred @ arrays["transform"].astype(np.float64), company])
        lengths = np.linalg.norm(whole, axis=1, keepdims=True)
        vectors: Singles = np.divide(whole, lengths, out=np.zeros_like(whole), where=lengths > 0).astype(np.float32)
        return vectors


@dataclass(frozen=True, eq=False)
class SceneTable(VectorTable):
    """Vectors whose sums lie close together for captions of one image (`training/vectors` says how they were trained).

    The length of a vector is the weight of its word: that of a stop word is short. Frequent words have vectors of their
    own; those of the others are made from their vector in the treated table, by a projection and a weight.
    """

    arrays: Arrays
    treated: VectorTable

    @property
    def dimensions(self) -> int:
        """The length of a vector."""
        return int(self.arrays["vectors"].shape[1])

    def _take(self, places: npt.NDArray[np.integer[Any]]) -> Singles:
        arrays = self.arrays
        rows = arrays["rows"][places]
        vectors: Singles = arrays["vectors"][np.maximum(rows, 0)].astype(np.float32)
        others = np.flatnonzero(rows < 0)
        if len(others):
            found = [self.treated.vocabulary.index(self.vocabulary.word(int(place))) for place in places[others]]
            treated = self.treated.take(np.array(found)).astype(np.float64)
            weights = 1 / (1 + np.exp(-(treated @ arrays["gate"] + arrays["gate_offset"])))
            vectors[others] = weights[:, np.newaxis] * (treated @ arrays["projection"].astype(np.float64))
        return vectors
