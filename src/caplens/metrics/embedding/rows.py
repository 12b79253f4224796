"""One row as words with vectors, for explanations: the slow, readable view of what the kernels see as numbers."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from caplens.arrays import Floats
from caplens.core.prepared import Prepared, PreparedCaptions
from caplens.metrics.embedding.words import WordVectors
from caplens.output.explanation import Mark, MarkedText


@dataclass(frozen=True, eq=False)
class EmbeddedCaption:
    """A caption.

    Attributes
    ----------
    text : str
        As given.
    words : list of str
        All its words.
    counting : list of str
        Those that count.
    vectors : numpy.ndarray
        The vectors of those.
    """

    text: str
    words: list[str]
    counting: list[str]
    vectors: Floats

    def marked(self, title: str) -> MarkedText:
        """Mark the words that count."""
        left = list(self.counting)
        marks: list[tuple[str, Mark]] = []
        for word in self.words:
            counts = bool(left) and left[0] == word
            marks.append((word, "match" if counts else "plain"))
            if counts:
                left.pop(0)
        return MarkedText(title, tuple(marks))

    def bag(self) -> tuple[list[str], npt.NDArray[np.int64], Floats]:
        """Return the distinct words that count, how often each occurs, and their vectors."""
        first: dict[str, int] = {}
        for place, word in enumerate(self.counting):
            first.setdefault(word, place)
        counts = np.array([self.counting.count(word) for word in first], dtype=np.int64)
        return list(first), counts, self.vectors[list(first.values())]


@dataclass(frozen=True, eq=False)
class EmbeddedRow:
    """A candidate and its references."""

    candidate: EmbeddedCaption
    references: list[EmbeddedCaption]

    @property
    def reference_texts(self) -> tuple[str, ...]:
        """The references as given."""
        return tuple(reference.text for reference in self.references)


def embedded_row(prepared: Prepared, words: WordVectors, row: int) -> EmbeddedRow:
    """Return one row."""
    first, last = prepared.references.offsets[prepared.reference_set[row] :][:2].tolist()
    return EmbeddedRow(
        _caption(prepared.candidates, words, row),
        [_caption(prepared.references, words, caption) for caption in range(first, last)],
    )


def _caption(side: PreparedCaptions, requirement: WordVectors, caption: int) -> EmbeddedCaption:
    words, vectors = side.get(requirement.words), side.get(requirement)
    numbers = vectors.numbers[words.ids[words.offsets[caption] : words.offsets[caption + 1]]]
    texts = words[caption]
    counting = [word for word, number in zip(texts, numbers.tolist(), strict=True) if number >= 0]
    found = np.zeros((len(counting), vectors.below.shape[1]))
    for place, number in enumerate(numbers[numbers >= 0].tolist()):
        found[place] = (
            vectors.below[number] if number < len(vectors.below) else vectors.above[number - len(vectors.below)]
        )
    return EmbeddedCaption(side.captions[caption], texts, counting, found)
