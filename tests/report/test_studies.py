"""Pages of studies: their figures are drawn as they were made."""

from __future__ import annotations

from dataclasses import dataclass

import pytest

from caplens.meta.drawing import dots, figure_svg
from caplens.output.page import PageSection
from caplens.output.tables import Column, NumberTable
from caplens.report import studies_page


@dataclass(frozen=True)
class Shown:
    sections: tuple[PageSection, ...]

    def page_title(self) -> str:
        return "agreement <b>"

    def page_sections(self) -> tuple[PageSection, ...]:
        return self.sections


def test_figures_keep_their_styles_and_nothing_is_refused(page, tmp_path):
    pytest.importorskip("matplotlib")
    figure, _ = dots(["CIDEr", "SPICE"], {"tau": [0.4, 0.5]}, "tau", "agreement")
    table = NumberTable("taus", (Column("metric"), Column("tau")), (("CIDEr <i>", 0.4),), ("a note",))
    section = PageSection("study", ("Warning: few rows.",), (table,), (figure_svg(figure),))
    path = tmp_path / "study.html"
    path.write_text(studies_page(Shown((section, section))), encoding="utf-8")
    page.goto(path.as_uri())
    page.wait_for_selector("html[data-ready]")
    assert page.errors == []
    assert page.requests == [path.as_uri()]
    text = page.inner_text("body")
    assert "CIDEr <i>" in text
    assert "agreement <b>" in text
    fill = page.evaluate("getComputedStyle(document.querySelector('figure svg path')).fill")
    assert fill == "rgb(255, 255, 255)"  # the background, which would be black without its style
