"""Explanations as plain data: a metric fills sections, renderers draw them."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from typing import Any, ClassVar, Literal

Cell = str | int | float | None
Mark = Literal["match", "miss", "plain"]
# Of a tuple: in both scene graphs, in the candidate's only, in the references' only.
Outcome = Literal["matched", "wrong", "missed"]


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
class WordCosts:
    """Words of one caption, each with what it takes from the score, in the score's own units."""

    title: str
    words: tuple[tuple[str, float], ...]
    kind: Literal["word_costs"] = "word_costs"


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


@dataclass(frozen=True)
class ExplainedTuple:
    """A tuple of a scene graph and what became of it.

    Attributes
    ----------
    outcome : str
        ``matched`` and ``wrong`` tuples are the candidate's, ``missed`` ones the references'.
    parts : tuple of str
        Object; object, attribute; subject, relation, object.
    partner : tuple of str or None
        The tuple of the references that a matched one matches.
    categories : dict of str to bool
        The categories that it counts in, and whether it is matched there: a word list may see it otherwise.
    """

    outcome: Outcome
    parts: tuple[str, ...]
    partner: tuple[str, ...] | None
    categories: dict[str, bool]


@dataclass(frozen=True)
class Tuples:
    """The tuples of two scene graphs: matched, wrong, missed, in this order."""

    title: str
    rows: tuple[ExplainedTuple, ...]
    kind: Literal["tuples"] = "tuples"


@dataclass(frozen=True)
class SceneAttribute:
    """An attribute of an object, and whether the other graph has the two."""

    name: str
    matched: bool


@dataclass(frozen=True)
class SceneObject:
    """An object of a scene graph, and whether the other graph has it."""

    name: str
    matched: bool
    attributes: tuple[SceneAttribute, ...] = ()


@dataclass(frozen=True)
class SceneRelation:
    """A relation of a scene graph; ``source`` and ``target`` are the places of its two objects."""

    source: int
    target: int
    name: str
    matched: bool


@dataclass(frozen=True)
class Scene:
    """A scene graph whose parts are marked by whether the other one has them.

    Attributes
    ----------
    objects : tuple of SceneObject
        In the order of the captions.
    relations : tuple of SceneRelation
        Between them.
    captions, known : int
        How many captions it was made from, and for how many of them a pack knew the reference tool's graph.
    """

    objects: tuple[SceneObject, ...] = ()
    relations: tuple[SceneRelation, ...] = ()
    captions: int = 0
    known: int = 0

    def headed(self, name: str) -> str:
        """Return a heading that says how much of the graph comes from a pack.

        Examples
        --------
        >>> Scene(captions=5, known=4).headed("references"), Scene(captions=1).headed("candidate")
        ('references (4 of 5 from a pack)', 'candidate')
        """
        if not self.known:
            return name
        share = "" if self.known == self.captions else f"{self.known} of {self.captions} "
        return f"{name} ({share}from a pack)"


@dataclass(frozen=True)
class SceneGraphs:
    """The scene graph of a candidate and the one of all its references."""

    title: str
    candidate: Scene
    references: Scene
    kind: Literal["scene_graphs"] = "scene_graphs"


Section = Table | MarkedText | WordCosts | Alignment | Tuples | SceneGraphs


@dataclass(frozen=True, repr=False)
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
        The explained scores; NaN if undefined.
    facts : dict
        The main numbers behind the score (lengths, penalties).
    sections : tuple of Table, MarkedText, WordCosts, Alignment, Tuples or SceneGraphs
        The details, in reading order.
    notes : tuple of str
        What a reader should know before trusting the numbers.
    summary : str
        The explanation in one sentence.
    """

    metric: str
    candidate: str
    references: tuple[str, ...]
    scores: dict[str, float]
    facts: dict[str, Cell]
    sections: tuple[Section, ...]
    notes: tuple[str, ...] = ()
    summary: str = ""

    plural: ClassVar = "explanations"

    def to_dict(self) -> dict[str, Any]:
        """Return the explanation as JSON-compatible data; undefined numbers are None."""
        data: dict[str, Any] = _without_nan(asdict(self))
        return data

    def scene_graphs(self) -> list[SceneGraphs]:
        """Return the sections with scene graphs, for drawings."""
        return [section for section in self.sections if isinstance(section, SceneGraphs)]

    def word_costs(self) -> list[WordCosts]:
        """Return the sections with word costs, for drawings."""
        return [section for section in self.sections if isinstance(section, WordCosts)]

    def __str__(self) -> str:
        from caplens.output.terminal import as_text, explanation_view

        return as_text(explanation_view(self))

    def __repr__(self) -> str:
        defined = {key: value for key, value in self.scores.items() if not math.isnan(value)} or self.scores
        scores = ", ".join(f"{key}={value:.4f}" for key, value in defined.items())
        return f"Explanation({scores} of {self.candidate[:60]!r}; print() shows why)"

    def _repr_html_(self) -> str:
        from caplens.output.html import explanation_html

        return explanation_html(self)


def mark_words(words: Sequence[str], matched: set[int]) -> tuple[tuple[str, Mark], ...]:
    """Mark the words at the places in ``matched`` as matches, the others as misses.

    Examples
    --------
    >>> mark_words(["a", "dog"], {1})
    (('a', 'miss'), ('dog', 'match'))
    """
    return tuple((word, "match" if place in matched else "miss") for place, word in enumerate(words))


def _without_nan(data: Any) -> Any:  # noqa: ANN401 (nested data of any shape)
    if isinstance(data, dict):
        return {key: _without_nan(value) for key, value in data.items()}
    if isinstance(data, tuple):
        return tuple(_without_nan(value) for value in data)
    return None if isinstance(data, float) and math.isnan(data) else data
