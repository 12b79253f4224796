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
from collections.abc import Iterable, Sequence
from typing import Any

from caplens.output.document import encode
from caplens.output.explanation import (
    Alignment,
    Explanation,
    MarkedText,
    Scene,
    Section,
    Table,
    Tuples,
    WordCosts,
)

DIGITS = 4
"""Behind the decimal point, as everywhere where people read explanations."""
_MARKS = {"match": "m", "miss": "x", "plain": "-"}

Packed = list[Any]


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
    [[['ROUGE_L'], ['beta'], 'rouge']]
    """

    def __init__(self) -> None:
        self.templates: list[Any] = []
        self._numbers: dict[str, int] = {}

    def pack(self, explanation: Explanation) -> Packed:
        """Return an explanation as a short list."""
        scores, facts = explanation.scores, explanation.facts
        return [
            self._template(list(scores), list(facts), explanation.metric),
            [_short(value) for value in (*scores.values(), *facts.values())],
            [self._section(section) for section in explanation.sections],
            explanation.summary,
            [self._template(note) for note in explanation.notes],
        ]

    def _template(self, *parts: object) -> int:
        key = repr(parts)
        if key not in self._numbers:
            self._numbers[key] = len(self.templates)
            self.templates.append(list(parts))
        return self._numbers[key]

    def _section(self, section: Section) -> Packed:
        kind, title = section.kind, section.title
        if isinstance(section, Table):
            cells = [_short(value) for row in section.rows for value in row]
            return [self._template(kind, title, list(section.columns)), cells]
        if isinstance(section, MarkedText):
            marks = "".join(_MARKS[mark] for _, mark in section.words)
            return [self._template(kind, title), [word for word, _ in section.words], marks]
        if isinstance(section, WordCosts):
            return [self._template(kind, title), [_short(each) for pair in section.words for each in pair]]
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
            return [self._template(kind, title), [self._tuple(row) for row in section.rows]]
        return [self._template(kind, title), _scene(section.candidate), _scene(section.references)]

    def _tuple(self, row: Any) -> Packed:  # noqa: ANN401 (an ExplainedTuple)
        head = self._template(row.outcome, len(row.parts), row.categories)
        return [head, *row.parts, *(row.partner or ())]


def _scene(scene: Scene) -> Packed:
    objects = [
        [one.name, int(one.matched), *(each for tag in one.attributes for each in (tag.name, int(tag.matched)))]
        for one in scene.objects
    ]
    relations = [each for one in scene.relations for each in (one.source, one.target, one.name, int(one.matched))]
    return [objects, relations, scene.captions, scene.known]


def _short(value: object) -> object:
    """Return a number as it is shown; one that does not exist is None.

    Examples
    --------
    >>> _short(2 / 3), _short(1.00001), _short(math.nan), _short("dog")
    (0.6667, 1.0, None, 'dog')
    """
    if isinstance(value, float):
        return round(value, DIGITS) if math.isfinite(value) else None
    return value


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
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return b64encode(packer.compress(encode(data)) + packer.flush()).decode("ascii")
