"""Parts of pages: sections of tables and figures, and a table as HTML."""

from __future__ import annotations

from dataclasses import dataclass
from html import escape

from caplens.output.tables import NumberTable, cell


@dataclass(frozen=True)
class PageSection:
    """A part of a page: a heading, what to say first, tables, and figures (``svg`` elements)."""

    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[NumberTable, ...] = ()
    figures: tuple[str, ...] = ()


def table_html(table: NumberTable) -> str:
    """Return a table as an element of a page."""
    words = [
        place == 0 or any(isinstance(row[place], str) for row in table.rows) for place in range(len(table.columns))
    ]
    kinds = [" class='words'" if text else "" for text in words]
    head = "".join(f"<th{kind}>{escape(column.name)}</th>" for column, kind in zip(table.columns, kinds, strict=True))
    rows = "".join(
        "<tr>"
        + "".join(
            f"<td{kind}>{escape(cell(value, column.form))}</td>"
            for value, column, kind in zip(row, table.columns, kinds, strict=True)
        )
        + "</tr>\n"
        for row in table.rows
    )
    notes = "".join(f"<p class='note'>{escape(note)}</p>\n" for note in table.notes)
    return (
        f"<div class='table'><table><caption>{escape(table.title)}</caption>\n<thead><tr>{head}</tr></thead>\n"
        f"<tbody>\n{rows}</tbody></table></div>\n{notes}"
    )
