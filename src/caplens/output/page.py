"""A page of tables: one HTML file that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from html import escape

from caplens.output.tables import NumberTable, cell

_STYLE = """
body { font: 15px/1.5 system-ui, sans-serif; max-width: 76rem; margin: 2rem auto; padding: 0 1rem; color: #1a1a1a; }
table { border-collapse: collapse; margin: 1rem 0 .5rem; font-variant-numeric: tabular-nums; }
caption { text-align: left; font-weight: 600; padding-bottom: .3rem; }
th, td { padding: .15rem .7rem; text-align: right; white-space: nowrap; }
th { border-bottom: 2px solid #1a1a1a; }
tr + tr td { border-top: 1px solid #ddd; }
td.words, th.words { text-align: left; }
p.note { margin: .1rem 0; color: #555; font-size: .87rem; }
div.table { overflow-x: auto; }
figure { margin: 1rem 0; background: #fff; color: #1a1a1a; }
figure svg { max-width: 100%; height: auto; }
@media (prefers-color-scheme: dark) {
  body { background: #16181c; color: #e8e8e8; }
  th { border-color: #e8e8e8; }
  tr + tr td { border-color: #333; }
  p.note { color: #aaa; }
}
"""


@dataclass(frozen=True)
class PageSection:
    """A part of a page: a heading, what to say first, tables, and figures (``svg`` elements)."""

    title: str
    lines: tuple[str, ...] = ()
    tables: tuple[NumberTable, ...] = ()
    figures: tuple[str, ...] = ()


def page(title: str, lines: Sequence[str], sections: Sequence[PageSection]) -> str:
    """Return a page with a table of contents.

    Examples
    --------
    >>> "<h2 id='s1'>first</h2>" in page("study", [], [PageSection("first")])
    True
    """
    contents = "".join(
        f"<li><a href='#s{place}'>{escape(part.title)}</a></li>" for place, part in enumerate(sections, 1)
    )
    body = "".join(_section(place, part) for place, part in enumerate(sections, 1))
    said = "".join(f"<p>{escape(line)}</p>" for line in lines)
    return (
        "<!doctype html>\n<html lang='en'>\n<head>\n<meta charset='utf-8'>\n"
        "<meta name='viewport' content='width=device-width'>\n"
        f"<title>{escape(title)}</title>\n<style>{_STYLE}</style>\n</head>\n<body>\n<h1>{escape(title)}</h1>\n"
        f"{said}\n<nav><ol>{contents}</ol></nav>\n{body}</body>\n</html>\n"
    )


def _section(place: int, section: PageSection) -> str:
    lines = "".join(f"<p>{escape(line)}</p>\n" for line in section.lines)
    figures = "".join(f"<figure>{svg}</figure>\n" for svg in section.figures)
    return f"<h2 id='s{place}'>{escape(section.title)}</h2>\n{lines}{''.join(map(table_html, section.tables))}{figures}"


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
