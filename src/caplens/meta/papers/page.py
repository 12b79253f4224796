"""The page that sets the tables and figures of five papers beside ours."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from decimal import Decimal
from itertools import chain

from caplens._version import __version__
from caplens.meta.papers import anderson2016, cui2018, kilickaya2017, sharif2018, sharif2020
from caplens.meta.papers.declared import Cells, Item, Paper, Part
from caplens.meta.planned import Finished, Planned
from caplens.output.safety import markdown_cell
from caplens.output.tables import Column, NumberTable, Value, cell, render

PAPERS: tuple[Paper, ...] = (
    kilickaya2017.PAPER,
    cui2018.PAPER,
    sharif2018.PAPER,
    sharif2020.PAPER,
    anderson2016.PAPER,
)
FIGURES = "papers"
"""The folder of the drawings, beside the page."""
_COUNT = ".0f"

Runs = Mapping[tuple[str, ...], Finished]


@dataclass(frozen=True)
class Compared:
    """How far our figures are from the published ones: their number, mean and largest absolute difference."""

    number: int
    mean: float
    largest: float
    where: str
    form: str

    def __str__(self) -> str:
        mean, largest = (cell(value, self.form) for value in (self.mean, self.largest))
        if self.number == 1:
            return f"The difference is {largest}."
        return f"{self.number} figures differ by {mean} on average, by at most {largest} ({self.where})."


def paper_runs() -> dict[tuple[str, ...], Planned]:
    """Return the studies that regenerate tables and figures of the papers."""
    parts = [part for paper in PAPERS for item in paper.items for part in item.parts]
    return {part.run.parts: part.run for part in parts}


def paper_figures(finished: Iterable[Finished]) -> dict[str, str]:
    """Return the drawings that belong to figures of the papers, by file name."""
    runs = {one.parts: one for one in finished}
    found = {}
    for paper in PAPERS:
        for item in paper.items:
            for part in item.parts:
                one = runs.get(part.run.parts)
                if part.figure and one is not None and one.figure and not _is_sample(part, one):
                    found[_file_name(part.run)] = f'<?xml version="1.0" encoding="utf-8"?>\n{one.figure}\n'
    return found


def papers_page(finished: Iterable[Finished], data: str) -> str:
    """Return the page, in Markdown.

    Parameters
    ----------
    finished : iterable of Finished
        What the studies of `paper_runs` gave.
    data : str
        What commands call the folder of the data.
    """
    runs: Runs = {one.parts: one for one in finished}
    return (
        "\n\n".join(
            [
                "# Five papers: our figures beside theirs",
                "Every table and figure of the five papers that caplens is built on: the command that regenerates it, "
                "our figures beside the published ones, and why they differ or cannot be obtained. A dash marks a "
                f"figure that one side does not have. Written by `caplens meta all --data {data} -o DIR` (caplens "
                f"{__version__}); presets are explained in [presets.md](presets.md), studies in [meta.md](meta.md).",
                _overview(runs),
                *chain.from_iterable(_paper(paper, runs, data) for paper in PAPERS),
            ]
        )
        + "\n"
    )


def _overview(runs: Runs) -> str:
    rows: list[tuple[Value, ...]] = []
    for paper in PAPERS:
        for item in paper.items:
            if not item.parts:
                rows.append(
                    (paper.name, item.label, item.title, "needs training" if _trains(item) else "not a measurement")
                )
            for part in item.parts:
                title = f"{item.title}: {part.title}" if part.title else item.title
                rows.append((paper.name, item.label, title, _state(part, runs.get(part.run.parts))))
    head = tuple(map(Column, ("paper", "table or figure", "what", "ours against published")))
    return render([NumberTable("At a glance", head, tuple(rows))], "markdown")


def _trains(item: Item) -> bool:
    return any("critique " in command or "train " in command for command in item.commands)


def _state(part: Part, one: Finished | None) -> str:
    """Say in a few words what became of a part."""
    if one is None or one.why_not:
        return "not available; see below"
    if _is_sample(part, one):
        return f"a sample of {one.result['n']:,} of {part.whole:,} rows only"
    compared = compare(part, _cells(part, one))
    if compared is not None:
        return str(compared)
    if not part.comparable:
        return "different data, not comparable; see below"
    return "side by side" if part.published else "plot only; the paper gives no numbers in its text"


def _paper(paper: Paper, runs: Runs, data: str) -> list[str]:
    blocks = [f"## {_heading(paper.name)}", f"{paper.source}."]
    for item in paper.items:
        blocks.append(f"### {item.label}: {item.title}")
        for part in item.parts:
            blocks += _part(part, runs.get(part.run.parts), data)
        if item.commands:
            blocks.append("```sh\n" + "\n".join(command.replace("DIR", data) for command in item.commands) + "\n```")
        blocks += item.says
    return blocks


def _heading(name: str) -> str:
    return f"{name[:-4].capitalize()} {name[-4:]}"


def _part(part: Part, one: Finished | None, data: str) -> list[str]:
    blocks = [f"**{part.title}**"] if part.title else []
    drawing = f" --figure {part.run.name}.svg" if part.figure and part.cells is None else ""
    blocks.append(f"```sh\n{part.run.command(data)}{drawing}\n```")
    ours = {} if one is None else _cells(part, one)
    if part.columns:
        blocks.append(render([_table(part, ours)], "markdown"))
    if one is None:
        blocks.append("Not run.")
    elif one.why_not:
        blocks.append(f"**Not available**: {markdown_cell(one.why_not)}")
    else:
        blocks += _about(part, one, ours)
        if part.figure and one.figure and not _is_sample(part, one):
            blocks.append(f"![{part.run.name}]({FIGURES}/{_file_name(part.run)})")
    if part.why:
        blocks.append("\n".join(f"- {why}" for why in part.why))
    return blocks


def _about(part: Part, one: Finished, ours: Cells) -> list[str]:
    """Say what our figures are of, and how far they are from the published ones."""
    said = [note for table in one.tables[:1] for note in table.notes if note.startswith(("n = ", "excluded"))]
    blocks = [markdown_cell(" ".join(said))] if said else []
    if _is_sample(part, one):
        blocks.append(
            f"**A sample**: {one.result['n']:,} of {part.whole:,} rows. These figures only show that the study runs; "
            "pass the whole set with `--data`."
        )
    else:
        compared = compare(part, ours)
        blocks += [] if compared is None else [str(compared)]
    return blocks


def _cells(part: Part, one: Finished) -> Cells:
    return {} if one.why_not or part.cells is None else part.cells(one.result)


def _is_sample(part: Part, one: Finished) -> bool:
    return part.whole is not None and 2 * int(one.result.get("n", 0)) < part.whole


def _table(part: Part, ours: Cells) -> NumberTable:
    """Return ours beside published, column by column."""
    others = ours if part.also is None else [row for row in part.also if row in ours]
    rows = list(dict.fromkeys([*part.published, *others]))
    head = [Column("")]
    for column, title in part.columns.items():
        head.append(Column(title, "p" if _is_p(column) else part.form))
        if part.published:
            head.append(Column("published", _as_printed(part, column)))
    body = []
    for row in rows:
        line: list[Value] = [row]
        for column in part.columns:
            line.append(_float(ours.get(row, {}).get(column)))
            if part.published:
                line.append(_float(part.published.get(row, {}).get(column)))
        body.append(tuple(line))
    return NumberTable("", tuple(head), tuple(body))


def _is_p(column: str) -> bool:
    return column.endswith(" p")


def _float(value: float | None) -> float | None:
    return None if value is None else float(value)


def _as_printed(part: Part, column: str) -> str:
    """Return the format with as many digits as the paper prints in a column."""
    values = [row[column] for row in part.published.values() if column in row]
    digits = [-int(Decimal(str(value)).normalize().as_tuple().exponent) for value in values if value]
    return f".{max([0, *digits])}f"


def compare(part: Part, ours: Cells) -> Compared | None:
    """Compare our figures with the published ones; None where there are none, only counts, or other data.

    Examples
    --------
    >>> table = {"CIDEr": {"mean": 0.50}, "SPICE": {"mean": 0.60}}
    >>> part = Part(Planned("table"), published=table, columns={"mean": "mean"}, form=".2f")
    >>> print(compare(part, {"CIDEr": {"mean": 0.53}, "SPICE": {"mean": 0.59}}))
    2 figures differ by 0.02 on average, by at most 0.03 (CIDEr, mean).
    """
    if part.form == _COUNT or not part.comparable:
        return None
    gaps: list[tuple[float, str]] = []
    for row, cells in part.published.items():
        for column, value in cells.items():
            mine = ours.get(row, {}).get(column)
            if mine is not None and column in part.columns and not _is_p(column):
                gaps.append((abs(mine - value), f"{row}, {part.columns[column]}"))
    if not gaps:
        return None
    largest, where = max(gaps)
    return Compared(len(gaps), sum(gap for gap, _ in gaps) / len(gaps), largest, where, part.form)


def _file_name(run: Planned) -> str:
    return f"{'-'.join(run.parts)}.svg"
