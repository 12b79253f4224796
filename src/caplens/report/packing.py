"""Explanations in little room: what they have in common once, numbers as a page shows them, then deflated.

A page draws explanations from data. As JSON those of a thousand images of five systems take some 60 MB; packed they
take 3 MB: titles, columns and names of facts are templates, which explanations name by number, and numbers have the
four digits that are shown. Explanations of one metric follow each other, so that deflating finds the repetitions.
``static/packed.js`` unpacks them into what `Explanation.to_dict` returns, but for the captions, which the page has.
"""

from __future__ import annotations

import math
import zlib
from base64 import b64encode
from collections.abc import Callable, Iterable, Sequence
from typing import Any, NamedTuple, TypeVar

from caplens.output.document import encode
from caplens.output.explanation import (
    Alignment,
    ExplainedTuple,
    Explanation,
    MarkedText,
    Scene,
    SceneObject,
    Section,
    Table,
    Tuples,
    WordCosts,
)

DIGITS = 4
"""Behind the decimal point, as everywhere where people read explanations."""
LEVEL = 6
"""Of compression: 9 takes twice as long for 2 % less."""
_MARKS = {"match": "m", "miss": "x", "plain": "-"}

Packed = list[Any]
Part = TypeVar("Part")


class Packer:
    """Packs explanations; all of a page share its templates.

    Attributes
    ----------
    templates : list of list
        What packed explanations name by number: the keys of scores and facts, the head of a section, a note.

    Examples
    --------
    >>> packer = Packer()
    >>> packer.pack(Explanation("rouge", "a dog", ("a dog",), {"ROUGE_L": 2 / 3}, {"beta": 1.2}, ()))
    [0, [0.6667, 1.2], [], '', []]
    >>> packer.templates
    [[('ROUGE_L',), ('beta',), 'rouge']]
    """

    def __init__(self) -> None:
        self.templates: list[Any] = []
        self._numbers: dict[tuple[object, ...], int] = {}
        self._short = _Short()
        # Explanations of several systems share parts of what their references have, which are packed once: by
        # identity, with the part itself, so that no other one takes its place.
        self._packed: dict[int, tuple[object, Packed]] = {}

    def pack(self, explanation: Explanation) -> Packed:
        """Return an explanation as a short list."""
        scores, facts = explanation.scores, explanation.facts
        return [
            self._template(tuple(scores), tuple(facts), explanation.metric),
            self._cells((scores.values(), facts.values())),
            [self._section(section) for section in explanation.sections],
            explanation.summary,
            [self._template(note) for note in explanation.notes],
        ]

    def _template(self, *parts: object) -> int:
        number = self._numbers.get(parts)
        if number is None:
            number = self._numbers[parts] = len(self.templates)
            self.templates.append([dict(part.items) if isinstance(part, _Mapping) else part for part in parts])
        return number

    def _cells(self, rows: Iterable[Iterable[object]]) -> Packed:
        """Return the values of rows, one after the other."""
        short = self._short
        return [short[value] if type(value) is float else value for row in rows for value in row]

    def _section(self, section: Section) -> Packed:
        kind, title = section.kind, section.title
        if isinstance(section, Table):
            return [self._template(kind, title, section.columns), self._cells(section.rows)]
        if isinstance(section, MarkedText):
            marks = "".join(_MARKS[mark] for _, mark in section.words)
            return [self._template(kind, title), [word for word, _ in section.words], marks]
        if isinstance(section, WordCosts):
            return [self._template(kind, title), self._cells(section.words)]
        if isinstance(section, Alignment):
            links = [
                number
                for link in section.links
                for number in (
                    link.start,
                    link.length,
                    link.reference_start,
                    link.reference_length,
                    self._template(link.stage),
                    link.chunk,
                )
            ]
            return [self._template(kind, title), list(section.candidate), list(section.reference), links]
        if isinstance(section, Tuples):
            return [self._template(kind, title), self._once(section.rows, self._tuple)]
        return [self._template(kind, title), self._scene(section.candidate), self._scene(section.references)]

    def _once(self, parts: Iterable[Part], pack: Callable[[Part], Packed]) -> Packed:
        """Pack parts of explanations, each the first time that it is met."""
        known, found = self._packed, []
        for part in parts:
            entry = known.get(id(part))
            if entry is None:
                entry = known[id(part)] = part, pack(part)
            found.append(entry[1])
        return found

    def _tuple(self, row: ExplainedTuple) -> Packed:
        head = self._template(row.outcome, len(row.parts), _Mapping(tuple(row.categories.items())))
        return [head, *row.parts, *(row.partner or ())]

    def _scene(self, scene: Scene) -> Packed:
        relations = [each for one in scene.relations for each in (one.source, one.target, one.name, int(one.matched))]
        return [self._once(scene.objects, _object), relations, scene.captions, scene.known]


class _Mapping(NamedTuple):
    """A mapping that can be part of a key."""

    items: tuple[tuple[str, object], ...]


def _object(one: SceneObject) -> Packed:
    packed = [one.name, int(one.matched)]
    for tag in one.attributes:
        packed += (tag.name, int(tag.matched))
    return packed


class _Short(dict[float, float | None]):
    """Numbers as they are shown, which are few; None for one that does not exist.

    Examples
    --------
    >>> short = _Short()
    >>> short[2 / 3], short[1.00001], short[-0.00001], short[math.nan]
    (0.6667, 1.0, 0.0, None)
    """

    def __missing__(self, value: float) -> float | None:
        if not math.isfinite(value):
            return None
        found = self[value] = round(value, DIGITS) + 0.0  # no negative zero
        return found


def in_metric_order(images: Iterable[Sequence[Sequence[Packed]]]) -> list[list[list[Packed]]]:
    """Turn explanations by image, system and metric into explanations by metric, image and system."""
    by_image = [list(zip(*systems, strict=True)) for systems in images]
    return [[list(found) for found in metric] for metric in zip(*by_image, strict=True)]


def deflated(data: object) -> str:
    """Return plain data as text that a browser can unpack: JSON, deflated without a header, in base64.

    Examples
    --------
    >>> deflated([1, 2])
    'izbUMYoFAA=='
    """
    packer = zlib.compressobj(LEVEL, zlib.DEFLATED, -15)
    return b64encode(packer.compress(encode(data)) + packer.flush()).decode("ascii")
