"""Tables of numbers as text, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

from caplens.errors import UsageError
from caplens.output.safety import markdown_cell, spreadsheet_cell, visible


@dataclass(frozen=True)
class Marked:
    """A number that is already written, with what belongs to it.

    Attributes
    ----------
    text : str
        The number.
    more : str
        What stands behind it in small letters, such as its interval.
    bold : bool
        Whether it is the best of its column.
    mark : str
        A sign behind it.
    """

    text: str
    more: str = ""
    bold: bool = False
    mark: str = ""

    def __str__(self) -> str:
        return " ".join(part for part in (f"{self.text}{'*' if self.bold else self.mark}", self.more) if part)


Value = str | float | int | Marked | None

FORMATS = ("text", "markdown", "latex", "csv")
"""The names for ``--format``."""

_LATEX = {
    **{mark: rf"\{mark}" for mark in "&%$#_{}"},
    "~": r"\textasciitilde{}",
    "^": r"\textasciicircum{}",
    "\\": r"\textbackslash{}",
    # In LaTeX's old encoding, which is still the default, these three are other signs.
    "<": r"\textless{}",
    ">": r"\textgreater{}",
    "|": r"\textbar{}",
    "±": r"$\pm$",
}
_LATEX_MARKS = {"~": r"\sim"}


@dataclass(frozen=True)
class Column:
    """The head of a column; ``form`` formats its numbers (``p`` for p-values), except in CSV, which has all digits."""

    name: str
    form: str = ".3f"


@dataclass(frozen=True)
class NumberTable:
    """Rows of words and numbers under a title, with notes below."""

    title: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[Value, ...], ...]
    notes: tuple[str, ...] = ()


def render(tables: Sequence[NumberTable], form: str) -> str:
    """Return tables in one of the `FORMATS`.

    Examples
    --------
    >>> table = NumberTable("accuracy", (Column("metric"), Column("mean", ".2f")), (("CIDEr", 0.789),))
    >>> print(render([table], "markdown"))
    **accuracy**
    <BLANKLINE>
    | metric | mean |
    | --- | ---: |
    | CIDEr | 0.79 |
    """
    if form not in FORMATS:
        raise UsageError(f"There is no table format {form!r}: choose from {', '.join(FORMATS)}.")
    draw = {"text": _text, "markdown": _markdown, "latex": _latex, "csv": _csv}[form]
    return "\n\n".join(draw(table) for table in tables)


def cell(value: Value, form: str) -> str:
    """Write one value; one that does not exist is a dash.

    Examples
    --------
    >>> cell(0.12345, ".2f"), cell(1e-9, "p"), cell(0.0213, "p"), cell(None, ".2f")
    ('0.12', '1e-09', '0.021', '-')
    """
    if value is None or (isinstance(value, float) and math.isnan(value)):
        return "-"
    if isinstance(value, str | Marked):
        return visible(str(value))
    if isinstance(value, int):
        return f"{value:,}"
    if form == "p":
        return "<1e-300" if value < 1e-300 else f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"
    return format(value, form)


def _cells(table: NumberTable, draw: Callable[[Marked], str] = str) -> list[list[str]]:
    return [
        [
            visible(draw(value)) if isinstance(value, Marked) else cell(value, column.form)
            for value, column in zip(row, table.columns, strict=True)
        ]
        for row in table.rows
    ]


def _is_text(table: NumberTable) -> list[bool]:
    """Tell for each column whether it holds words; the first one does unless its numbers are marked."""
    return [
        any(isinstance(row[place], str) for row in table.rows)
        or (place == 0 and not any(isinstance(row[0], Marked) for row in table.rows))
        for place in range(len(table.columns))
    ]


def _text(table: NumberTable) -> str:
    rows = [[column.name for column in table.columns], *_cells(table)]
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    left = _is_text(table)
    lines = [
        "  ".join(
            text.ljust(width) if words else text.rjust(width)
            for text, width, words in zip(row, widths, left, strict=True)
        ).rstrip()
        for row in rows
    ]
    rule = "-" * (sum(widths) + 2 * (len(widths) - 1))
    title = [table.title, ""] if table.title else []
    return "\n".join([*title, lines[0], rule, *lines[1:], *([""] if table.notes else []), *table.notes])


def _markdown(table: NumberTable) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(markdown_cell, cells)) + " |"

    marks = ["---" if words else "---:" for words in _is_text(table)]
    title = [f"**{markdown_cell(table.title)}**", ""] if table.title else []
    head = [*title, line([column.name for column in table.columns]), line(marks)]
    rows = map(line, _cells(table, _markdown_number))
    return "\n".join([*head, *rows, *(f"\n{markdown_cell(note)}" for note in table.notes)])


def _latex(table: NumberTable) -> str:
    def line(cells: Iterable[str]) -> str:
        return " & ".join(cells) + r" \\"

    def row(values: Sequence[Value]) -> str:
        pairs = zip(values, table.columns, strict=True)
        return line(
            _latex_number(value) if isinstance(value, Marked) else _escaped(cell(value, column.form))
            for value, column in pairs
        )

    shape = "".join("l" if words else "r" for words in _is_text(table))
    return "\n".join(
        [
            r"% \usepackage{booktabs}",
            r"\begin{table}",
            r"\centering",
            *([rf"\caption{{{_escaped(table.title)}}}"] if table.title else []),
            rf"\begin{{tabular}}{{{shape}}}",
            r"\toprule",
            line(_escaped(column.name) for column in table.columns),
            r"\midrule",
            *map(row, table.rows),
            r"\bottomrule",
            r"\end{tabular}",
            *(rf"\par\footnotesize {_escaped(note)}" for note in table.notes),
            r"\end{table}",
        ]
    )


def _markdown_number(value: Marked) -> str:
    shown = replace(value, text=f"**{value.text}**", bold=False) if value.bold else value
    return str(replace(shown, mark=f"\\{value.mark}" if value.mark else ""))


def _latex_number(value: Marked) -> str:
    number = rf"\textbf{{{value.text}}}" if value.bold else value.text
    mark = rf"$^{{{_LATEX_MARKS.get(value.mark, value.mark)}}}$" if value.mark else ""
    more = rf" {{\scriptsize {_escaped(value.more)}}}" if value.more else ""
    return f"{number}{mark}{more}"


def _escaped(text: str) -> str:
    return "".join(_LATEX.get(character, character) for character in text)


def _csv(table: NumberTable) -> str:
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow([spreadsheet_cell(column.name) for column in table.columns])
    for row in table.rows:
        writer.writerow([_csv_cell(value) for value in row])
    return text.getvalue().rstrip("\n")


def _csv_cell(value: Value) -> Value:
    if isinstance(value, str):
        return spreadsheet_cell(value)
    if isinstance(value, Marked):
        return str(value)
    return "" if isinstance(value, float) and math.isnan(value) else value
