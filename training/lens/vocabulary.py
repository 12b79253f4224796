"""The words that have a row in the encoder as it ships."""

from __future__ import annotations

from caplens.embeddings import shipped
from caplens.text.vocabulary import Vocabulary


def vocabulary_of(words: list[str]) -> Vocabulary:
    """Return all words with a row: those of the captions and those of GloVe."""
    table = shipped.load(shipped.CAPTIONS)
    others = {table.vocabulary.word(place) for place in range(len(table))}
    return Vocabulary.from_words(sorted({word.encode() for word in words if word} | others))
