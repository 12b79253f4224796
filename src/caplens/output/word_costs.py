"""Word costs as text and as drawings: each word of a caption above what it takes from the score.

What costs more stands in stronger colours; the number says the same again, so that a drawing survives a printer.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, RenderResult
from rich.text import Text

from caplens.output.explanation import Explanation, WordCosts
from caplens.output.safety import visible
from caplens.output.svg import document, shortened, text_element, text_width, wrapped

SHOWN = 0.05
"""Costs below half of the last decimal shown are left blank."""
_GAP = 2
_INDENT = 2
_WORD_SIZE, _COST_SIZE, _TITLE_SIZE, _HEAD_SIZE = 15.0, 11.0, 12.5, 15.0
_MARGIN, _PADDING, _WORD_GAP, _BOX_HEIGHT, _ROW_HEIGHT = 20.0, 6.0, 5.0, 24.0, 48.0
_WIDTH = 640.0
# Vermilion of the palette of Okabe and Ito, thinned; the darkest still has a contrast of 4.5 with black letters.
_DEAREST = (213, 94, 0)


def cost_text(cost: float) -> str:
    """Write what a word costs; nothing where it costs nothing.

    Examples
    --------
    >>> cost_text(3.25), cost_text(0.01), cost_text(-0.5)
    ('-3.2', '', '+0.5')
    """
    return "" if not abs(cost) >= SHOWN else f"{-cost:+.1f}"


class WordCostsView:
    """A caption in lines of two rows: the words, and below each what it costs."""

    def __init__(self, section: WordCosts) -> None:
        self._section = section

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(visible(self._section.title), style="italic")
        if not self._section.words:
            yield Text("  none")
        dearest = max((cost for _, cost in self._section.words), default=0.0)
        for line in _lines(self._section.words, max(options.max_width - _INDENT, 20)):
            words, costs = Text(" " * _INDENT), Text(" " * _INDENT)
            for word, cost, width in line:
                style = "bold red" if cost >= SHOWN and cost > dearest / 3 else "red" if cost >= SHOWN else ""
                words.append(word, style=style).append(" " * (width - cell_len(word)))
                costs.append(f"{cost_text(cost):<{width}}", style=style)
            yield words
            yield costs
        yield Text("")


def _lines(words: Sequence[tuple[str, float]], room: int) -> Iterator[list[tuple[str, float, int]]]:
    """Break a caption into lines of words, each with its cost and the width of its column."""
    line: list[tuple[str, float, int]] = []
    used = 0
    for word, cost in words:
        shown = shortened(visible(word), room)
        width = max(cell_len(shown), len(cost_text(cost))) + _GAP
        if line and used + width > room + _GAP:
            yield line
            line, used = [], 0
        line.append((shown, cost, width))
        used += width
    if line:
        yield line


@dataclass
class _Pen:
    """Where the next element of a drawing goes."""

    y: float = _MARGIN

    def line(self, text: str, size: float, weight: str = "normal") -> Iterator[str]:
        color = "#3D3D3D" if weight == "normal" else "#000000"
        for part in wrapped(text, size, _WIDTH, int(_WIDTH / size)):
            self.y += size
            yield text_element(_MARGIN, self.y, part, size, color, weight, "start")
            self.y += 5.0


def word_costs_svg(explained: Explanation) -> str:
    """Draw what the words of the candidate cost, and which words of the references are missed.

    Examples
    --------
    >>> costs = WordCosts("what words cost", (("a", 0.0), ("cat", 12.5)))
    >>> drawing = word_costs_svg(Explanation("lens", "a cat", ("a dog",), {"Lens": 40.0}, {}, (costs,)))
    >>> drawing.startswith("<svg"), ">cat</text>" in drawing, ">-12.5</text>" in drawing
    (True, True, True)
    """
    pen = _Pen()
    parts: list[str] = []
    for name, score in list(explained.scores.items())[:1]:
        shown = "undefined" if math.isnan(score) else f"{score:.1f}"
        parts += pen.line(f"{name} {shown}", _HEAD_SIZE, "bold")
    if explained.summary:
        parts += pen.line(explained.summary, _TITLE_SIZE)
    sections = explained.word_costs()
    for section in sections:
        pen.y += 10.0
        parts += pen.line(section.title, _TITLE_SIZE, "bold")
        parts += _drawn_words(section, pen)
    told = "; ".join(f"{section.title}: {_in_words(section)}" for section in sections)
    return document(parts, _WIDTH + 2 * _MARGIN, pen.y + _MARGIN, "What the words cost", told)


def _drawn_words(section: WordCosts, pen: _Pen) -> Iterator[str]:
    dearest = max([cost for _, cost in section.words] + [1.0])
    left = _MARGIN
    pen.y += 6.0
    for word, cost in section.words:
        shown = shortened(word)
        width = max(text_width(shown, _WORD_SIZE), text_width(cost_text(cost), _COST_SIZE)) + 2 * _PADDING
        if left > _MARGIN and left + width > _MARGIN + _WIDTH:
            left, pen.y = _MARGIN, pen.y + _ROW_HEIGHT
        fill = _thinned(cost / dearest if cost >= SHOWN else 0.0)
        yield (
            f'<rect x="{left:.1f}" y="{pen.y:.1f}" width="{width:.1f}" height="{_BOX_HEIGHT:g}" rx="4" fill="{fill}"/>'
        )
        middle = left + width / 2
        yield text_element(middle, pen.y + 17, shown, _WORD_SIZE, "#000000", "normal")
        if cost_text(cost):
            yield text_element(middle, pen.y + _BOX_HEIGHT + 12, cost_text(cost), _COST_SIZE, "#8A3D00", "bold")
        left += width + _WORD_GAP
    if not section.words:
        yield from pen.line("none", _TITLE_SIZE)
    else:
        pen.y += _ROW_HEIGHT


def _thinned(share: float) -> str:
    """Mix a colour with white: none of it for 0, most of it for 1."""
    strength = 0.65 * min(max(share, 0.0), 1.0)
    return "#" + "".join(f"{round(255 - strength * (255 - channel)):02X}" for channel in _DEAREST)


def _in_words(section: WordCosts) -> str:
    return ", ".join(f"{word} {cost_text(cost)}" for word, cost in section.words if cost_text(cost)) or "nothing"
