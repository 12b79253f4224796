"""Pages of studies: tables, warnings and figures, a section per study."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

from caplens._version import __version__
from caplens.output.page import PageSection
from caplens.report.page import number_cells, render


class HasSections(Protocol):
    """What is shown on a page: the outcome of a study, or several of them."""

    def page_title(self) -> str:
        """Return the heading of the page."""

    def page_sections(self) -> Sequence[PageSection]:
        """Return what stands below it."""


def studies_page(shown: HasSections) -> str:
    """Return a page with a section per study."""
    sections = [
        {
            "title": section.title,
            "lines": section.lines,
            "tables": [number_cells(table) for table in section.tables],
            "figures": section.figures,
        }
        for section in shown.page_sections()
    ]
    title, lines = shown.page_title(), [f"caplens {__version__}"]
    return render("studies.html", "study.js", title, drawings=True, lines=lines, sections=sections)
