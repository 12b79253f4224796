"""Tables and explanations for people at a terminal."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from caplens.output.alignment import AlignmentView
from caplens.output.explanation import (
    Alignment,
    Cell,
    Explanation,
    MarkedText,
    SceneGraphs,
    Section,
    Table,
    Tuples,
)
from caplens.output.safety import visible
from caplens.output.scene.text import SceneGraphsView, TuplesView

WIDTH = 120
# Marks are shown by colour and by brackets, so that they survive a file and colour-blind readers.
_STYLES = {"match": "green", "miss": "red", "plain": ""}


class Harmless:
    """A view whose text cannot command the terminal; whatever is printed is wrapped in it."""

    def __init__(self, view: RenderableType) -> None:
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._view, options):
            yield segment if segment.control else Segment(visible(segment.text, keep="\n"), segment.style)


def as_text(view: RenderableType) -> str:
    """Draw a view as plain text."""
    console = Console(file=io.StringIO(), width=WIDTH, color_system=None)
    console.print(Harmless(view))
    file = console.file
    return file.getvalue().rstrip("\n") if isinstance(file, io.StringIO) else ""


def _grid(title: str | None, columns: Iterable[str]) -> RichTable:
    """Return a table whose first column holds words and whose others hold numbers."""
    table = RichTable(
        title=Text(title) if title else None,
        box=SIMPLE_HEAD,
        title_justify="left",
        pad_edge=False,
        min_width=len(title) if title else None,  # else a narrow table breaks its title into lines
    )
    for place, column in enumerate(columns):
        table.add_column(Text(visible(column)), justify="left" if place == 0 else "right", overflow="fold")
    return table


def _add(table: RichTable, *cells: str | Text, style: str = "") -> None:
    """Add a row of plain text: square brackets in a caption or a name are no markup, and line breaks no lines."""
    table.add_row(*(cell if isinstance(cell, Text) else Text(visible(cell)) for cell in cells), style=style)


def text_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> RichTable:
    """Draw rows of words."""
    table = RichTable(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        _add(table, *row)
    return table


class CorpusScore(Protocol):
    """What is shown of a score: see `caplens.Result`."""

    @property
    def score(self) -> float:
        """The corpus score."""

    @property
    def interval(self) -> tuple[float, float]:
        """Its interval."""


def score_table(scores: Mapping[str, CorpusScore]) -> RichTable:
    """Draw the corpus scores of one system with their intervals."""
    table = _grid(None, ("metric", "score", "95 % interval"))
    for key, score in scores.items():
        _add(table, key, _cell(score.score), " .. ".join(_cell(bound) for bound in score.interval))
    return table


def comparison_view(comparison: dict[str, Any]) -> Group:
    """Draw a comparison (as plain data): scores by system, then the tests."""
    systems = {name: entry["metrics"] for name, entry in comparison["systems"].items()}
    keys = list(next(iter(systems.values())))
    scores = _grid(None, ("system", *keys))
    for name, metrics in systems.items():
        _add(scores, name, *(_interval(metrics[key]["score"], metrics[key]["interval"]) for key in keys))
    tests = _grid(
        None, ("metric", "pair", "difference", "95 % interval", "effect", "p boot.", "Holm", "p rand.", "Holm", "")
    )
    tests.columns[1].justify = "left"
    testing = comparison["testing"]
    for test in comparison["tests"]:
        corrected = [test["p_bootstrap_holm"], test["p_randomisation_holm"]]
        significant = None not in corrected and max(corrected) <= testing["alpha"]
        _add(
            tests,
            test["score"],
            f"{test['first']} - {test['second']}",
            _cell(test["difference"], "+.4f"),
            " .. ".join(_cell(bound, "+.4f") for bound in test["interval"]),
            _cell(test["effect"]),
            *(_p(test[key]) for key in ("p_bootstrap", "p_bootstrap_holm", "p_randomisation", "p_randomisation_holm")),
            "*" if significant else "",
        )
    return Group(scores, tests, Text(_footnote(comparison)))


def _footnote(comparison: dict[str, Any]) -> str:
    testing = comparison["testing"]
    pairs, scores = testing["pairs"], testing["scores"]
    across = (
        f"; nothing corrects over the {scores} scores: where no system is better, one in "
        f"{round(1 / testing['alpha'])} still looks significant by chance"
    )
    empty = f", {testing['left_out']:,} without items left out" if testing["left_out"] else ""
    return (
        f"{comparison['n']:,} common item{_s(comparison['n'])}; paired bootstrap{empty} and approximate "
        f"randomisation, two-sided, {testing['resamples']:,} resamples each (smallest p {testing['smallest_p']:.2g}).\n"
        f"Holm corrects within each score over its {pairs} tested pair{_s(pairs)}{across if scores > 1 else ''}.\n"
        f"* both corrected p-values at most {testing['alpha']}. effect: mean item difference in standard deviations."
    )


def _s(count: int) -> str:
    return "" if count == 1 else "s"


def explanation_view(explanation: Explanation) -> Group:
    """Draw an explanation: the captions, the scores, then its sections."""
    head = [Text(f"candidate   {explanation.candidate}")]
    head += [
        Text(f"{'references' if place == 0 else '':<12}{reference}")
        for place, reference in enumerate(explanation.references)
    ]
    numbers = {**explanation.scores, **explanation.facts}
    facts = _grid(None, ("", ""))
    facts.show_header = False
    for name, value in numbers.items():
        _add(facts, name, _cell(value), style="bold" if name in explanation.scores else "")
    sections = [_section(section) for section in explanation.sections]
    # With spaces behind its commas it breaks between options; it means the same unless a value holds commas itself.
    metric = explanation.metric if '"' in explanation.metric else explanation.metric.replace(",", ", ")
    title = Text(metric, style="italic")
    return Group(*head, Text(""), title, facts, *sections, *(Text(f"note: {note}") for note in explanation.notes))


def _section(section: Section) -> RenderableType:
    if isinstance(section, MarkedText):
        return Group(Text(section.title, style="italic"), _marked(section), Text(""))
    if isinstance(section, Alignment):
        return Group(Text(section.title, style="italic"), Text(""), AlignmentView(section), Text(""))
    if isinstance(section, SceneGraphs):
        return SceneGraphsView(section)
    if not section.rows:
        return Text.assemble((section.title, "italic"), "\n  none\n")
    return TuplesView(section) if isinstance(section, Tuples) else _drawn(section)


def _drawn(section: Table) -> RichTable:
    table = _grid(section.title, section.columns)
    for column, cells in zip(table.columns, zip(*section.rows, strict=True), strict=True):
        if any(isinstance(cell, str) for cell in cells):
            column.justify = "left"
    for row in section.rows:
        _add(table, *(_cell(value) for value in row))
    return table


def _marked(section: MarkedText) -> Text:
    text = Text("  ")
    for word, mark in section.words:
        text.append(f"[{word}]" if mark == "match" else word, style=_STYLES[mark])
        text.append(" ")
    return text


def _cell(value: Cell, form: str = ".4f") -> str:
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, float):
        return format(value, form)
    return str(value)


def _interval(score: float | None, interval: list[float | None]) -> Text:
    return Text(f"{_cell(score)}\n{'..'.join(_cell(bound, '.3f') for bound in interval)}")


def _p(value: float | None) -> str:
    return _cell(value, ".4f" if value is None or value >= 0.0001 else ".0e")
