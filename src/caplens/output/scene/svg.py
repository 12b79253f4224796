"""Scene graphs as drawings (SVG): objects are boxes, attributes tags below them, relations arrows with a label.

What is matched has solid lines, a filled box and bold letters; what is not has broken lines. Colours (from the palette
of Okabe and Ito, which colour-blind readers can tell apart) say the same again, so that a drawing survives a printer.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal
from xml.sax.saxutils import escape

from caplens.output.explanation import (
    Explanation,
    Scene,
    SceneAttribute,
    SceneGraphs,
    SceneObject,
    SceneRelation,
)
from caplens.output.scene.layout import Arrow, Layout, Point, Route, Size, lay_out
from caplens.output.svg import document, drawable, shortened, text_element, text_width, wrapped

Side = Literal["candidate", "references", "both"]

_NAME_SIZE, _TAG_SIZE, _LABEL_SIZE, _HEAD_SIZE, _LEGEND_SIZE = 14.0, 11.5, 12.0, 15.0, 11.5
_MARGIN, _BOX_PADDING, _TAG_PADDING, _TAG_GAP = 20.0, 12.0, 7.0, 5.0
_LINE, _TAG_HEIGHT, _LABEL_LINE = 17.0, 19.0, 14.0
_WIDEST_NAME, _WIDEST_TAGS, _WIDEST_LABEL = 150.0, 190.0, 130.0
_HEAD_HEIGHT, _LEGEND_HEIGHT = 34.0, 30.0
_CAPTION_WIDTH, _MOST_CAPTIONS, _MOST_LINES = 420.0, 10, 4
_ARROW_LENGTH, _ARROW_WIDTH = 8.0, 7.0


@dataclass(frozen=True)
class _Look:
    """How the parts of a graph look that are matched, or are not."""

    line: str
    fill: str
    tag: str
    text: str
    width: float
    dashes: str
    weight: str


# Bluish green and vermilion; grey for what is missed, since one caption cannot say all that the references do.
_MATCHED = _Look("#009E73", "#E2F4EE", "#C5E9DD", "#00513B", 2.0, "", "bold")
_WRONG = _Look("#D55E00", "#FFFFFF", "#FFFFFF", "#8A3D00", 1.5, "5 3", "normal")
_MISSED = _Look("#7A7A7A", "#FFFFFF", "#FFFFFF", "#3D3D3D", 1.2, "5 3", "normal")
_MEANINGS = {"candidate": "in no reference", "references": "not in the candidate"}
_LOOKS = {"candidate": _WRONG, "references": _MISSED}


def scene_graph_svg(section: SceneGraphs, side: Side = "both", explained: Explanation | None = None) -> str:
    """Draw the scene graph of a candidate, of its references, or one above the other.

    Parameters
    ----------
    section : SceneGraphs
        From the explanation of a metric that compares scene graphs.
    side : {"candidate", "references", "both"}
    explained : Explanation, optional
        Its score stands above the graphs, and the captions beside the graphs that were made from them.

    Returns
    -------
    str
        An SVG document that needs nothing else. Set into a page it shares no names with other drawings.

    Examples
    --------
    >>> from caplens.output.explanation import Scene, SceneObject
    >>> man = SceneObject("man", matched=True)
    >>> drawing = scene_graph_svg(SceneGraphs("scene graphs", Scene((man,)), Scene()), "candidate")
    >>> drawing.startswith("<svg"), ">man</text>" in drawing
    (True, True)
    """
    sides = [("candidate", section.candidate), ("references", section.references)]
    chosen = [(name, scene) for name, scene in sides if side in (name, "both")]
    drawings = [_Drawing.of(name, scene) for name, scene in chosen]
    heads = [scene.headed(name) for name, scene in chosen]
    widths = [drawing.layout.width for drawing in drawings] + [text_width(head, _HEAD_SIZE) for head in heads]
    width = max([_legend_width(name for name, _ in chosen), *widths, _CAPTION_WIDTH if explained else 0.0])
    parts, at = [], _MARGIN
    for score in _scores(explained):
        parts.append(text_element(_MARGIN, at + 12, score, _HEAD_SIZE, "#000000", "bold", "start"))
        at += _HEAD_HEIGHT
    for drawing, head in zip(drawings, heads, strict=True):
        parts.append(text_element(_MARGIN, at + 12, head, _HEAD_SIZE, "#000000", "bold", "start"))
        at += _HEAD_HEIGHT
        for line in _caption_lines(explained, drawing.name, width):
            parts.append(text_element(_MARGIN, at, line, _LABEL_SIZE, "#3D3D3D", "normal", "start"))
            at += _LINE
        parts += [f'<g transform="translate({_MARGIN:g} {at:g})">', *drawing.parts(), "</g>"]
        at += drawing.layout.height + _MARGIN
    parts += _legend([name for name, _ in chosen], at)
    return document(parts, width + 2 * _MARGIN, at + _LEGEND_HEIGHT, _title(chosen), _description(chosen))


def _scores(explained: Explanation | None) -> list[str]:
    """Return the main score as a line of text, if there is one."""
    scores = explained.scores.items() if explained else ()
    return [f"{name} {'undefined' if math.isnan(score) else f'{score:.4f}'}" for name, score in scores][:1]


def _caption_lines(explained: Explanation | None, side: str, width: float) -> list[str]:
    """Break the captions of one side into lines; very long ones and very many are cut."""
    if explained is None:
        return []
    captions = (explained.candidate,) if side == "candidate" else explained.references
    shown = []
    for caption in captions[:_MOST_CAPTIONS]:
        lines = wrapped(caption, _LABEL_SIZE, width, int(width / _LABEL_SIZE))
        shown += lines if len(lines) <= _MOST_LINES else [*lines[: _MOST_LINES - 1], f"{lines[_MOST_LINES - 1]} …"]
    left = len(captions) - _MOST_CAPTIONS
    return [*shown, *([f"and {left} more"] if left > 0 else [])]


def _title(chosen: Sequence[tuple[str, Scene]]) -> str:
    names = " and ".join(f"the {name}" for name, _ in chosen)
    return f"Scene graph{'s' if len(chosen) > 1 else ''} of {names}"


def _description(chosen: Sequence[tuple[str, Scene]]) -> str:
    """Say the tuples in words, for those who do not see the drawing."""
    sentences = []
    for name, scene in chosen:
        names = [each.name for each in scene.objects]
        found = [(each.name, each.matched) for each in scene.objects]
        found += [(f"{each.name} {tag.name}", tag.matched) for each in scene.objects for tag in each.attributes]
        found += [(f"{names[each.source]} {each.name} {names[each.target]}", each.matched) for each in scene.relations]
        for matched, meaning in ((True, "matched"), (False, "not matched")):
            listed = "; ".join(text for text, is_matched in found if is_matched == matched)
            sentences.append(f"{name}, {meaning}: {listed or 'nothing'}.")
    return " ".join(sentences)


# Boxes, tags and labels as lines of text of a known width.


@dataclass(frozen=True)
class _Box:
    """An object and its attributes: the lines of its name, and rows of tags."""

    scene_object: SceneObject
    lines: list[str]
    rows: list[list[tuple[SceneAttribute, str, float]]]
    width: float

    @property
    def half(self) -> float:
        return (_LINE * len(self.lines) + _BOX_PADDING) / 2

    @property
    def size(self) -> Size:
        return Size(self.width, self.half, self.half + (_TAG_HEIGHT + _TAG_GAP) * len(self.rows))


def _box(scene_object: SceneObject) -> _Box:
    lines = wrapped(scene_object.name, _NAME_SIZE, _WIDEST_NAME)
    rows: list[list[tuple[SceneAttribute, str, float]]] = []
    room = 0.0
    for attribute in scene_object.attributes:
        text = shortened(attribute.name)
        width = text_width(text, _TAG_SIZE) + 2 * _TAG_PADDING
        if not rows or room + width > _WIDEST_TAGS:
            rows.append([])
            room = 0.0
        rows[-1].append((attribute, text, width))
        room += width + _TAG_GAP
    widths = [text_width(line, _NAME_SIZE) + 2 * _BOX_PADDING for line in lines]
    widths += [_row_width(row) for row in rows]
    return _Box(scene_object, lines, rows, max(widths))


def _row_width(row: Sequence[tuple[SceneAttribute, str, float]]) -> float:
    return sum(width + _TAG_GAP for _, _, width in row) - _TAG_GAP


@dataclass(frozen=True)
class _Drawing:
    """One scene graph with places for all its parts."""

    name: str
    boxes: list[_Box]
    relations: tuple[SceneRelation, ...]
    labels: list[list[str]]
    layout: Layout

    @classmethod
    def of(cls, name: str, scene: Scene) -> _Drawing:
        """Lay a scene graph out."""
        boxes = [_box(each) for each in scene.objects]
        labels = [wrapped(relation.name, _LABEL_SIZE, _WIDEST_LABEL) for relation in scene.relations]
        arrows = [
            Arrow(relation.source, relation.target, _label_size(lines))
            for relation, lines in zip(scene.relations, labels, strict=True)
        ]
        return cls(name, boxes, scene.relations, labels, lay_out([box.size for box in boxes], arrows))

    def parts(self) -> Iterator[str]:
        """Yield the elements: arrows first, matched ones last among them, so that what matters lies on top."""
        if not self.boxes:
            yield text_element(0, 0, "no tuples", _LABEL_SIZE, _MISSED.text, "normal", "start")
        arrows = zip(self.relations, self.labels, self.layout.routes, strict=True)
        for relation, lines, route in sorted(arrows, key=lambda arrow: arrow[0].matched):
            yield from _arrow(lines, route, self._look(relation.matched))
        for box, place in zip(self.boxes, self.layout.boxes, strict=True):
            yield from self._drawn_box(box, *place)

    def _look(self, matched: bool) -> _Look:
        return _MATCHED if matched else _LOOKS[self.name]

    def _drawn_box(self, box: _Box, left: float, height: float) -> Iterator[str]:
        look, middle = self._look(box.scene_object.matched), left + box.width / 2
        yield f"<g><title>{escape(drawable(box.scene_object.name))}</title>"
        yield _rectangle(left, height - box.half, box.width, 2 * box.half, 8, look, look.fill)
        first = height - _LINE * (len(box.lines) - 1) / 2 + 0.35 * _NAME_SIZE
        for number, line in enumerate(box.lines):
            yield text_element(middle, first + number * _LINE, line, _NAME_SIZE, look.text, look.weight)
        yield "</g>"
        top = height + box.half + _TAG_GAP
        for row in box.rows:
            at = middle - _row_width(row) / 2
            for attribute, text, width in row:
                look = self._look(attribute.matched)
                yield _rectangle(at, top, width, _TAG_HEIGHT, _TAG_HEIGHT / 2, look, look.tag, 0.7)
                baseline = top + _TAG_HEIGHT / 2 + 0.35 * _TAG_SIZE
                yield text_element(at + width / 2, baseline, text, _TAG_SIZE, look.text, look.weight)
                at += width + _TAG_GAP
            top += _TAG_HEIGHT + _TAG_GAP


def _label_size(lines: Sequence[str]) -> Size:
    half = _LABEL_LINE * len(lines) / 2
    return Size(max(text_width(line, _LABEL_SIZE) for line in lines) + 8, half, half)


# The elements of the drawing.


def _arrow(lines: Sequence[str], route: Route, look: _Look) -> Iterator[str]:
    tip = route.after[-1]
    neck = (tip[0] - _ARROW_LENGTH if tip[0] > route.label[0] else tip[0] + _ARROW_LENGTH, tip[1])
    # Where the box fills its column, the last turn ends at the head already.
    end = [neck] if abs(route.after[-2][0] - tip[0]) < _ARROW_LENGTH else [route.after[-2], neck]
    style = f'fill="none" stroke="{look.line}" stroke-width="{look.width:g}"{_dashes(look)}'
    for piece in (route.before, (*route.after[:-2], *end)):
        yield f'<path d="{_curve(piece)}" {style}/>'
    half = _ARROW_WIDTH / 2
    corners = (tip, (neck[0], neck[1] - half), (neck[0], neck[1] + half))
    yield f'<polygon points="{" ".join(f"{x:.1f},{y:.1f}" for x, y in corners)}" fill="{look.line}"/>'
    x, y = route.label
    first = y - _LABEL_LINE * (len(lines) - 1) / 2 + 0.35 * _LABEL_SIZE
    for number, line in enumerate(lines):
        yield text_element(x, first + number * _LABEL_LINE, line, _LABEL_SIZE, look.text, look.weight)


def _curve(points: Sequence[Point]) -> str:
    """Join points by curves that leave and arrive level; points of the same height are joined by a line."""
    steps = [f"M{points[0][0]:.1f} {points[0][1]:.1f}"]
    for (x, y), (to_x, to_y) in pairwise(points):
        if y == to_y:
            steps.append(f"H{to_x:.1f}")
        else:
            middle = (x + to_x) / 2
            steps.append(f"C{middle:.1f} {y:.1f} {middle:.1f} {to_y:.1f} {to_x:.1f} {to_y:.1f}")
    return "".join(steps)


def _rectangle(
    left: float, top: float, width: float, height: float, radius: float, look: _Look, fill: str, thickness: float = 1.0
) -> str:
    return (
        f'<rect x="{left:.1f}" y="{top:.1f}" width="{width:.1f}" height="{height:.1f}" rx="{radius:g}" fill="{fill}" '
        f'stroke="{look.line}" stroke-width="{thickness * look.width:g}"{_dashes(look)}/>'
    )


def _dashes(look: _Look) -> str:
    return f' stroke-dasharray="{look.dashes}"' if look.dashes else ""


def _legend_entries(names: Iterable[str]) -> list[tuple[str, _Look]]:
    names = list(names)
    entries = [("matched", _MATCHED)]
    return entries + [(_MEANINGS[name], _LOOKS[name]) for name in names]


_SAMPLE, _SAMPLE_GAP, _ENTRY_GAP = 30.0, 7.0, 22.0


def _legend_width(names: Iterable[str]) -> float:
    widths = [text_width(meaning, _LEGEND_SIZE) for meaning, _ in _legend_entries(names)]
    return sum(_SAMPLE + _SAMPLE_GAP + width + _ENTRY_GAP for width in widths) - _ENTRY_GAP


def _legend(names: Sequence[str], top: float) -> Iterator[str]:
    """Say what the lines mean."""
    at = _MARGIN
    for meaning, look in _legend_entries(names):
        yield _rectangle(at, top, _SAMPLE, 14, 5, look, look.fill)
        at += _SAMPLE + _SAMPLE_GAP
        yield text_element(at, top + 11, meaning, _LEGEND_SIZE, "#3D3D3D", "normal", "start")
        at += text_width(meaning, _LEGEND_SIZE) + _ENTRY_GAP
