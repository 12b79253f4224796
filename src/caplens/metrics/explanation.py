"""Explanations as plain data: a metric fills sections, renderers draw them."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, Literal

Cell = str | int | float | None
Mark = Literal["match", "miss", "plain"]


@dataclass(frozen=True)
class Table:
    """Rows under named columns."""

    title: str
    columns: tuple[str, ...]
    rows: tuple[tuple[Cell, ...], ...]
    kind: Literal["table"] = "table"


@dataclass(frozen=True)
class MarkedText:
    """Words of one caption, each marked as a match, a miss, or neither."""

    title: str
    words: tuple[tuple[str, Mark], ...]
    kind: Literal["text"] = "text"


@dataclass(frozen=True)
class Link:
    """Words of a candidate that match words of a reference.

    Attributes
    ----------
    start, length : int
        The candidate's words: place of the first, and how many.
    reference_start, reference_length : int
        The reference's.
    stage : str
        How they match, such as ``exact`` or ``synonym``.
    chunk : int
        Links of one chunk (numbered from 1 on, in the candidate's order) follow each other on both sides.
    """

    start: int
    length: int
    reference_start: int
    reference_length: int
    stage: str
    chunk: int


@dataclass(frozen=True)
class Alignment:
    """Words of a candidate and of a reference, and which of them match; links in the candidate's order."""

    title: str
    candidate: tuple[str, ...]
    reference: tuple[str, ...]
    links: tuple[Link, ...]
    kind: Literal["alignment"] = "alignment"


Section = Table | MarkedText | Alignment


@dataclass(frozen=True)
class Explanation:
    """Why one caption has its score.

    Attributes
    ----------
    metric : str
        The metric in the grammar.
    candidate : str
        The caption as given.
    references : tuple of str
        Its references as given.
    scores : dict of str to float
        The scores that are explained.
    facts : dict
        The few numbers the score is made of (lengths, penalties).
    sections : tuple of Table, MarkedText or Alignment
        The details, in reading order.
    notes : tuple of str
        What a reader should know before trusting the numbers.
    """

    metric: str
    candidate: str
    references: tuple[str, ...]
    scores: dict[str, float]
    facts: dict[str, Cell]
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON-able data."""
        return asdict(self)


def mark_words(words: Sequence[str], matched: set[int]) -> tuple[tuple[str, Mark], ...]:
    """Mark the words at the places in ``matched`` as matches, the others as misses.

    Examples
    --------
    >>> mark_words(["a", "dog"], {1})
    (('a', 'miss'), ('dog', 'match'))
    """
    return tuple((word, "match" if place in matched else "miss") for place, word in enumerate(words))
