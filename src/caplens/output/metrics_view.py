"""Metrics on the screen: the list of all, and what there is to say about one."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Protocol

from rich.console import Console, ConsoleOptions, Group, RenderableType, RenderResult
from rich.padding import Padding
from rich.text import Text

from caplens.output.terminal import text_table

MISSING = "MISSING"
# From this width on, scores and origins of metrics have columns.
WIDE = 110


class MetricList:
    """Rows of name, results, origin, idea and needs, as wide as the screen."""

    def __init__(self, rows: Sequence[tuple[str, ...]]) -> None:
        self._rows = rows

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        wide = options.max_width >= WIDE
        columns = ("name", *(["scores", "origin"] if wide else []), "ready", "idea")
        rows = []
        for name, results, origin, idea, needs in self._rows:
            ready = "no" if needs.startswith(MISSING) else "yes"
            rows.append((name, *([results, origin] if wide else []), ready, idea))
        table = text_table(columns, rows)
        for column in table.columns[:-1]:  # only the idea, which is prose, takes several lines
            column.no_wrap = True
        yield table
        yield Text(
            "To describe one metric, run caplens metrics NAME. To see what unavailable ones need, run caplens doctor."
        )


class Described(Protocol):
    """What is shown of a metric: see `caplens.core.describing.Description`."""

    @property
    def name(self) -> str:
        """Its name."""

    @property
    def idea(self) -> str:
        """What it measures."""

    @property
    def needs(self) -> str:
        """What it needs."""

    @property
    def facts(self) -> Mapping[str, str]:
        """Short facts by title."""

    @property
    def options(self) -> Sequence[tuple[str, ...]]:
        """Name, default and meaning of each option."""

    @property
    def example(self) -> str:
        """Lines of an example."""


def description_view(metric: Described) -> Group:
    """Draw what there is to say about a metric."""
    title = Text.assemble((metric.name, "bold"), f": {metric.idea}" if metric.idea else "")
    facts = text_table(("", ""), [*metric.facts.items(), ("needs", metric.needs)])
    facts.show_header = False
    facts.columns[0].no_wrap = True
    options = text_table(("option", "default", "meaning"), metric.options)
    options.columns[0].no_wrap = True
    example: list[RenderableType] = []
    if metric.example:
        example = [Text("Python", style="italic"), Padding(Text(metric.example), (0, 0, 1, 2))]
    usage = Text(f"caplens score captions.json -r references.json -m {metric.name}")
    return Group(title, facts, options, *example, Text("Command line", style="italic"), Padding(usage, (0, 0, 0, 2)))
