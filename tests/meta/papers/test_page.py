"""The page of five papers: what it declares, and how ours stands beside what was published."""

from __future__ import annotations

import shlex
from pathlib import Path

import click
import pytest

from caplens.cli.app import app
from caplens.meta import everything
from caplens.meta.outcome import LeftOut
from caplens.meta.papers.declared import Part
from caplens.meta.papers.page import PAPERS, compare, paper_figures, paper_runs, papers_page
from caplens.meta.planned import Finished, Planned
from caplens.meta.registry import study_class
from caplens.meta.run import study_all
from caplens.meta.study import configure, preset_names
from caplens.output.tables import NumberTable

PARTS = [part for paper in PAPERS for item in paper.items for part in item.parts]


COMMANDS = [command for paper in PAPERS for item in paper.items for command in item.commands]
PAGE = Path(__file__).parents[3] / "docs" / "papers.md"


def expert(kendall, n=17_466):
    coefficients = {name: {"value": kendall} for name in ("pearson", "spearman", "kendall_b", "kendall_c")}
    result = {"n": n, "preset": {"factor": 1}, "metrics": {"CIDEr": coefficients}}
    note = NumberTable("t", (), (), ("preset x", f"n = {n:,} rows", str(LeftOut("own", "own references", ("7",)))))
    return Finished("flickr8k-expert", "kilickaya2017", None, result, (note,))


def test_every_table_and_figure_of_the_papers_is_declared():
    labels = {paper.name: [item.label for item in paper.items] for paper in PAPERS}
    wanted = {
        "kilickaya2017": [*(f"Table {place}" for place in range(1, 6)), *(f"Figure {place}" for place in range(1, 6))],
        "cui2018": ["Table 1", "Table 2", *(f"Figure {place}" for place in range(3, 8)), "Figures 1 and 2"],
        "sharif2018": ["Table 1", "Table 2", "Figures 1 to 3"],
        "sharif2020": [*(f"Table {place}" for place in ("I", "II", "III", "IV", "V")), "Figure 3", "Figure 4"],
        "anderson2016": [*(f"Table {place}" for place in range(1, 5)), "Figures 1 and 2", "Figure 3", "Figure 4"],
    }
    assert set(labels) == set(wanted)
    for name, expected in wanted.items():
        for label in expected:
            assert any(one == label or one.startswith((f"{label} (", f"{label},")) for one in labels[name]), (
                name,
                label,
            )


@pytest.mark.parametrize("part", PARTS, ids=lambda part: "-".join(part.run.parts))
def test_every_study_of_a_part_exists_with_its_options(part):
    kind = study_class(part.run.name)
    configure(kind, part.run.options)
    if part.run.on is not None:
        assert part.run.preset in preset_names(study_class(part.run.on))
    assert part.cells is not None or part.figure
    shown = {column for row in part.published.values() for column in row}
    assert shown <= set(part.columns)


def test_parts_of_one_study_ask_for_the_same():
    runs = {}
    for part in PARTS:
        assert runs.setdefault(part.run.parts, part.run) == part.run
    assert runs == paper_runs()


def test_all_studies_include_those_of_the_papers():
    planned = {one.parts: one for one in everything.planned()}
    assert paper_runs().items() <= planned.items()
    names = [one.name for one in planned.values()]
    assert names.index("pascal50s") < names.index("williams") < names.index("categories")


@pytest.mark.parametrize("text", [*COMMANDS, *(part.run.command("data") for part in PARTS)])
def test_commands_are_those_of_the_command_line(text):
    name, *words = shlex.split(text)
    assert name == "caplens"
    command = app
    while isinstance(command, click.Group):
        found = command.get_command(click.Context(command), words[0])
        assert found is not None, words[0]
        command, words = found, words[1:]
    command.parse_args(click.Context(command), words)  # refuses options that there are not


def test_the_page_of_the_documentation_says_what_the_code_declares():
    ours = papers_page([], "../shared/data")
    kept = PAGE.read_text(encoding="utf-8")
    for start in ("- ", "caplens ", "### ", "The paper", "Published", "Needs"):
        assert [one for one in ours.splitlines() if one.startswith(start)] == [
            one for one in kept.splitlines() if one.startswith(start)
        ]


def test_ours_stands_beside_what_was_published():
    page = papers_page([expert(0.4721)], "data")
    assert "caplens meta flickr8k-expert --data data --preset kilickaya2017 -m " in page
    assert "| CIDEr | 0.472 | 0.60 | 0.472 | 0.56 | 0.472 | 0.45 |" in page
    assert "| WMD | - | 0.68 | - | 0.60 | - | 0.48 |" in page
    assert "n = 17,466 rows excluded: 1 (own references): 7." in page
    assert "3 figures differ by 0.079 on average, by at most 0.128 (CIDEr, Pearson)." in page


def test_a_sample_is_not_compared():
    page = papers_page([expert(0.9, n=60)], "data")
    assert "**A sample**: 60 of 17,466 rows." in page
    assert "figures differ" not in page


def test_what_cannot_be_had_says_why():
    missing = Finished("coco2015", "cui2018", why_not="There is no folder | of teams.")
    page = papers_page([missing], "data")
    assert r"**Not available**: There is no folder \| of teams." in page
    assert "| Critique | - | 0.939 | - | 0.000 | - | 0.949 | - | 0.000 |" in page
    assert "caplens critique ablation" in page


def test_counts_and_missing_figures_are_not_compared():
    part = Part(Planned("table"), published={"A": {"x": 1.0}}, columns={"x": "x"})
    assert compare(part, {"A": {"x": None}}) is None
    assert compare(part, {"B": {"x": 1.0}}) is None
    assert str(compare(part, {"A": {"x": 1.25}})) == "The difference is 0.250."


def test_drawings_are_files_beside_the_page():
    drawn = Finished("distributions", "kilickaya2017", figure="<svg></svg>")
    assert list(paper_figures([drawn])) == ["distributions-kilickaya2017.svg"]
    assert "(papers/distributions-kilickaya2017.svg)" in papers_page([drawn], "data")


def test_all_studies_write_the_page(flickr, tmp_path, monkeypatch):
    plan = [paper_runs()["flickr8k-expert", "kilickaya2017"], paper_runs()["distributions", "kilickaya2017"]]
    monkeypatch.setattr(everything, "planned", lambda: plan)
    out = tmp_path / "out"
    study_all(flickr, out, resamples=5, jobs=1)
    page = (out / "papers.md").read_text()
    assert f"--data {flickr} --preset kilickaya2017" in page
    assert "**A sample**: 24 of 17,466 rows." in page
    assert (out / "papers" / "distributions-kilickaya2017.svg").read_text().startswith("<?xml")
    # With metrics of one's own, those of the paper are not scored.
    study_all(flickr, out, metrics="rouge", resamples=5, jobs=1)
    assert "| WMD | - | 0.68 | - | 0.60 | - | 0.48 |" in (out / "papers.md").read_text()
