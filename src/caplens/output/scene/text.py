"""Scene graphs and their tuples as tables for a terminal.

A sign before each part says whether it is matched, so that it survives a file and colour-blind readers.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from rich.box import SIMPLE_HEAD
from rich.console import Console, ConsoleOptions, RenderResult
from rich.table import Table
from rich.text import Text

from caplens.output.explanation import ExplainedTuple, Outcome, Scene, SceneGraphs, Tuples

# References have many more tuples than a caption can mention: their scene graph shows the rest.
MOST_MISSED = 8

_STYLES: dict[Outcome, str] = {"matched": "green", "wrong": "red", "missed": "yellow"}
_SIGNS: dict[Outcome, str] = {"matched": "✓", "wrong": "✗", "missed": "○"}
# A tuple in no reference may still be true of the image.
_SAID: dict[Outcome, str] = {"matched": "matched", "wrong": "in no reference", "missed": "missed"}
_AS_ASCII = str.maketrans({"✓": "+", "✗": "x", "○": "o", "→": "->"})


class TuplesView:
    """A table of tuples: all of the candidate's, and the first of those that it misses."""

    def __init__(self, tuples: Tuples) -> None:
        self.tuples = tuples

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        table = _table(self.tuples.title, ("", "tuple", "in the references", "category"))
        rows = self.tuples.rows
        missed = [each for each in rows if each.outcome == "missed"]
        for each in [*(each for each in rows if each.outcome != "missed"), *missed[:MOST_MISSED]]:
            partner = _joined(each.partner) if each.partner and each.partner != each.parts else ""
            said = _marked(each.outcome, _SAID[each.outcome])
            cells = (said, *map(Text, (_joined(each.parts), partner, _categories(each))))
            table.add_row(*(_fitting(cell, options) for cell in cells))
        yield table
        if len(missed) > MOST_MISSED:
            yield Text(f"  and {len(missed) - MOST_MISSED} more missed tuples: see the references' scene graph\n")


class SceneGraphsView:
    """A table for each scene graph: its objects with their attributes and relations."""

    def __init__(self, graphs: SceneGraphs) -> None:
        self.graphs = graphs

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> RenderResult:
        yield Text(self.graphs.title, style="italic")
        sides: tuple[tuple[str, Scene, Outcome], ...] = (
            ("candidate", self.graphs.candidate, "wrong"),
            ("references", self.graphs.references, "missed"),
        )
        for name, scene, otherwise in sides:
            table = _table(None, (scene.headed(name), "attributes", "relations"))
            for cells in _scene_rows(scene, otherwise):
                table.add_row(*(_fitting(cell, options) for cell in cells))
            yield table if scene.objects else Text(f"  {scene.headed(name)}: no tuples\n")


def _scene_rows(scene: Scene, otherwise: Outcome) -> Iterable[tuple[Text, Text, Text]]:
    """Return a row for each object; what is not matched has the sign of ``otherwise``."""

    def mark(name: str, matched: bool) -> Text:
        return _marked("matched" if matched else otherwise, name)

    for place, each in enumerate(scene.objects):
        relations = [
            mark(f"{relation.name} → {scene.objects[relation.target].name}", relation.matched)
            for relation in scene.relations
            if relation.source == place
        ]
        attributes = [mark(attribute.name, attribute.matched) for attribute in each.attributes]
        yield mark(each.name, each.matched), Text("; ").join(attributes), Text("\n").join(relations)


def _table(title: str | None, columns: Sequence[str]) -> Table:
    table = Table(title=Text(title) if title else None, box=SIMPLE_HEAD, title_justify="left", pad_edge=False)
    for column in columns:
        table.add_column(Text(column), overflow="fold")
    return table


def _marked(outcome: Outcome, name: str) -> Text:
    return Text(f"{_SIGNS[outcome]} {name}", style=_STYLES[outcome])


def _joined(parts: Sequence[str]) -> str:
    return " - ".join(parts)


def _categories(each: ExplainedTuple) -> str:
    """Name the categories of a tuple; a word list that sees it otherwise than all others says so."""
    matched = each.outcome == "matched"
    return ", ".join(
        name if found == matched else f"{name} ({'matched' if found else 'not matched'} there)"
        for name, found in each.categories.items()
    )


def _fitting(cell: Text, options: ConsoleOptions) -> Text:
    """Return a cell with signs that the terminal's encoding has."""
    if not options.ascii_only:
        return cell
    fitting = Text(style=cell.style)
    for part in cell.divide(place for span in cell.spans for place in (span.start, span.end)):
        style = part.spans[0].style if part.spans else ""
        fitting.append(part.plain.translate(_AS_ASCII), style=style)
    return fitting
