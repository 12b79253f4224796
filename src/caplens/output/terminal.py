"""Tables and explanations for people at a terminal."""

from __future__ import annotations

import io
import math
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from rich.box import SIMPLE_HEAD
from rich.cells import cell_len
from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.segment import Segment
from rich.table import Table as RichTable
from rich.text import Text

from caplens.output.plain import WIDTH, score_cells
from caplens.output.presentation import Presentation, several_note
from caplens.output.safety import visible

if TYPE_CHECKING:
    from caplens.output.explanation import Cell, Explanation, MarkedText, Section, Table

# Marks are shown by colour and by brackets, so that they survive a file and colour-blind readers.
_STYLES = {"match": "green", "miss": "red", "plain": ""}


class Harmless:
    """A view whose text cannot command the terminal; whatever is printed is wrapped in it."""

    def __init__(self, view: RenderableType) -> None:
        self._view = view

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        for segment in console.render(self._view, options):
            yield segment if segment.control else Segment(visible(segment.text, keep="\n"), segment.style)


def as_text(view: RenderableType, width: int | None = None) -> str:
    """Draw a view as plain text."""
    # In a notebook a console shows what it should write, unless told that there is none.
    console = Console(file=io.StringIO(), width=width or WIDTH, color_system=None, force_jupyter=False)
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


def number_grid(title: str | None, columns: Iterable[str]) -> RichTable:
    """Return a table whose numbers never fold; who fills it sees to it that it fits."""
    table = _grid(title, columns)
    table.padding = (0, 0, 0, 1)  # narrower than usual
    for column in table.columns:
        column.no_wrap = True
        column.overflow = "ellipsis"
    return table


def text_table(columns: Sequence[str], rows: Iterable[Sequence[str]]) -> RichTable:
    """Draw rows of words."""
    table = RichTable(box=SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        table.add_column(column, overflow="fold")
    for row in rows:
        _add(table, *row)
    return table


def number_table(columns: Sequence[str], rows: Iterable[tuple[str, Sequence[Cell]]]) -> RichTable:
    """Draw rows of numbers (or of numbers as text), each with its name; a number that does not exist is a dash."""
    table = number_grid(None, columns)
    for name, numbers in rows:
        _add(table, name, *map(_cell, numbers))
    return table


def score_table(metrics: Mapping[str, Mapping[str, Any]], wanted: Presentation | None = None) -> Group:
    """Draw the corpus scores of one system (as plain data), with their intervals."""
    columns, *rows = score_cells(metrics, wanted or Presentation(all_scores=True))
    table = number_grid(None, columns)
    for row in rows:
        _add(table, *row)
    return Group(table, *map(Text, several_note(metrics)))  # a caption of the table would fold at its width


def explanation_view(explanation: Explanation) -> Group:
    """Draw an explanation: what it comes to in one sentence, the captions, the scores, then its sections."""
    head = [Text(f"{explanation.summary}\n", style="bold")] if explanation.summary else []
    head += [Text(f"candidate   {explanation.candidate}")]
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
    # Only explanations need these, and they take a tenth of the time in which the scores of a few captions are there.
    from caplens.output.alignment import AlignmentView
    from caplens.output.explanation import Alignment, MarkedText, SceneGraphs, Tuples, WordCosts
    from caplens.output.scene.text import SceneGraphsView, TuplesView
    from caplens.output.word_costs import WordCostsView

    if isinstance(section, MarkedText):
        return Group(Text(section.title, style="italic"), _marked(section), Text(""))
    if isinstance(section, WordCosts):
        return WordCostsView(section)
    if isinstance(section, Alignment):
        return Group(Text(section.title, style="italic"), Text(""), AlignmentView(section), Text(""))
    if isinstance(section, SceneGraphs):
        return SceneGraphsView(section)
    if not section.rows:
        return Text.assemble((section.title, "italic"), "\n  none\n")
    return TuplesView(section) if isinstance(section, Tuples) else _drawn(section)


MANY_COLUMNS = 6
"""Tables with more columns than this have narrow gaps, to fit a usual screen."""


def _drawn(section: Table) -> RichTable:
    table = _grid(section.title, section.columns)
    if len(section.columns) > MANY_COLUMNS:
        table.padding = (0, 0, 0, 1)
    for column in table.columns:  # headings break between words only
        column.min_width = max(map(cell_len, str(column.header).split()), default=0)
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
