"""Tables of numbers as text, Markdown, LaTeX and CSV."""

from __future__ import annotations

import csv
import io
import math
from collections.abc import Sequence
from dataclasses import dataclass

from caplens.errors import UsageError
from caplens.output.safety import markdown_cell, spreadsheet_cell, visible

Value = str | float | int | None

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
}


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
    if isinstance(value, str):
        return visible(value)
    if isinstance(value, int):
        return f"{value:,}"
    if form == "p":
        return "<1e-300" if value < 1e-300 else f"{value:.3f}" if value >= 0.001 else f"{value:.0e}"
    return format(value, form)


def _cells(table: NumberTable) -> list[list[str]]:
    return [[cell(value, column.form) for value, column in zip(row, table.columns, strict=True)] for row in table.rows]


def _is_text(table: NumberTable) -> list[bool]:
    """Tell for each column whether it holds words."""
    return [place == 0 or any(isinstance(row[place], str) for row in table.rows) for place in range(len(table.columns))]


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
    return "\n".join([table.title, "", lines[0], rule, *lines[1:], *([""] if table.notes else []), *table.notes])


def _markdown(table: NumberTable) -> str:
    def line(cells: Sequence[str]) -> str:
        return "| " + " | ".join(map(markdown_cell, cells)) + " |"

    marks = ["---" if words else "---:" for words in _is_text(table)]
    head = [f"**{markdown_cell(table.title)}**", "", line([column.name for column in table.columns]), line(marks)]
    return "\n".join([*head, *map(line, _cells(table)), *(f"\n{markdown_cell(note)}" for note in table.notes)])


def _latex(table: NumberTable) -> str:
    def line(cells: Sequence[str]) -> str:
        return " & ".join(_escaped(text) for text in cells) + r" \\"

    shape = "".join("l" if words else "r" for words in _is_text(table))
    return "\n".join(
        [
            r"\begin{table}",
            r"\centering",
            rf"\caption{{{_escaped(table.title)}}}",
            rf"\begin{{tabular}}{{{shape}}}",
            r"\hline",
            line([column.name for column in table.columns]),
            r"\hline",
            *map(line, _cells(table)),
            r"\hline",
            r"\end{tabular}",
            *(rf"\par\footnotesize {_escaped(note)}" for note in table.notes),
            r"\end{table}",
        ]
    )


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
    return "" if isinstance(value, float) and math.isnan(value) else value
