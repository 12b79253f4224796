"""Draw the way of the data through caplens: ``python docs/figures/way_of_the_data.py`` writes the SVG beside it."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape
from pathlib import Path

WIDTH, HEIGHT = 1060, 470
FONT = "font-family='DejaVu Sans, Helvetica, Arial, sans-serif'"


@dataclass(frozen=True)
class Box:
    """A thing that flows, with the room it lives in and a line on what it holds."""

    name: str
    room: str
    lines: tuple[str, ...]
    x: int
    y: int
    width: int = 190
    height: int = 92

    def draw(self) -> str:
        """Return the box as SVG."""
        texts = [
            f"<text x='{self.x + 12}' y='{self.y + 24}' {FONT} font-size='16' font-weight='bold'>{self.name}</text>",
            f"<text x='{self.x + self.width - 10}' y='{self.y + 22}' {FONT} font-size='11' fill='#555' "
            f"text-anchor='end'>{self.room}</text>",
        ]
        texts += [
            f"<text x='{self.x + 12}' y='{self.y + 46 + 18 * place}' {FONT} font-size='12.5'>{escape(line)}</text>"
            for place, line in enumerate(self.lines)
        ]
        shape = (
            f"<rect x='{self.x}' y='{self.y}' width='{self.width}' height='{self.height}' rx='7' fill='#eef4fb' "
            "stroke='#30588c' stroke-width='1.5'/>"
        )
        return shape + "".join(texts)


BOXES = {
    box.name: box
    for box in (
        Box("files, objects", "readers/", ("COCO, Karpathy, JSON,", "CSV, Parquet, lists, dicts"), 20, 40),
        Box("Corpus", "corpus/", ("rows over reference sets,", "validated, immutable"), 290, 40),
        Box("Prepared", "core/", ("words, n-grams, parses,", "vectors: once, when asked"), 560, 40),
        Box("State", "core/", ("what a metric learns", "from references"), 830, 40),
        Box("Statistics", "core/", ("named columns,", "one row per item"), 830, 220),
        Box("Result", "core/", ("item scores, corpus score,", "interval, signature"), 560, 220),
        Box("Explanation", "output/", ("plain data: alignment,", "tuples, n-grams, plan"), 290, 220),
        Box("out", "output/", ("terminal, JSON, CSV,", "Parquet, Markdown, SVG"), 20, 220, 200),
    )
}
# From, to, label, and where the label stands.
ARROWS = (
    ((210, 86), (290, 86), "read", (250, 78)),
    ((480, 86), (560, 86), "prepare", (520, 78)),
    ((750, 86), (830, 86), "fit", (790, 78)),
    ((925, 132), (925, 220), "statistics", (966, 180)),
    ((830, 266), (750, 266), "aggregate", (790, 258)),
    ((655, 132), (385, 220), "explain", (500, 168)),
    ((290, 266), (220, 266), "draw", (255, 258)),
)


def arrow(start: tuple[int, int], end: tuple[int, int], label: str, place: tuple[int, int]) -> str:
    """Return an arrow with its label as SVG."""
    line = (
        f"<line x1='{start[0]}' y1='{start[1]}' x2='{end[0]}' y2='{end[1]}' stroke='#333' stroke-width='1.5' "
        "marker-end='url(#head)'/>"
    )
    text = f"<text x='{place[0]}' y='{place[1]}' {FONT} font-size='12' fill='#333' text-anchor='middle'>{label}</text>"
    return line + text


def draw() -> str:
    """Return the whole picture."""
    head = (
        "<marker id='head' viewBox='0 0 10 10' refX='9' refY='5' markerWidth='8' markerHeight='8' orient='auto'>"
        "<path d='M0 0 L10 5 L0 10 z' fill='#333'/></marker>"
    )
    evaluator = (
        "<rect x='545' y='12' width='495' height='318' rx='10' fill='none' stroke='#b05c00' stroke-width='1.5' "
        "stroke-dasharray='6 4'/>"
        f"<text x='1030' y='352' {FONT} font-size='13' fill='#8a4700' text-anchor='end'>"
        "Evaluator: the one place where a pipeline is assembled</text>"
    )
    result = (
        "<path d='M655 312 L655 375 L120 375 L120 312' fill='none' stroke='#333' stroke-width='1.5' "
        f"marker-end='url(#head)'/><text x='400' y='368' {FONT} font-size='12' text-anchor='middle'>write, print</text>"
    )
    users = "".join(
        f"<text x='20' y='{415 + 20 * place}' {FONT} font-size='12.5'><tspan font-weight='bold'>{name}</tspan> {text}"
        "</text>"
        for place, (name, text) in enumerate(
            (
                ("api/ cli/ compat/", "call the Evaluator for score, compare, explain and rewards."),
                ("meta/", "scores judged captions with the Evaluator and studies how the scores agree with people."),
            )
        )
    )
    body = "".join(box.draw() for box in BOXES.values()) + "".join(arrow(*one) for one in ARROWS)
    title = "The way of the data: from captions to statistics, scores and explanations"
    return (
        f"<svg xmlns='http://www.w3.org/2000/svg' viewBox='0 0 {WIDTH} {HEIGHT}' width='{WIDTH}' height='{HEIGHT}' "
        f"role='img'><title>{title}</title><defs>{head}</defs><rect width='{WIDTH}' height='{HEIGHT}' fill='#fff'/>"
        f"{evaluator}{body}{result}{users}</svg>\n"
    )


if __name__ == "__main__":
    Path(__file__).with_suffix(".svg").write_text(draw(), encoding="utf-8")
