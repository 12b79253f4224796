"""Pages: data and templates put together into one file that needs nothing else."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any

from caplens._version import __version__
from caplens.core.comparison import Comparison
from caplens.core.result import Result
from caplens.errors import MissingDataError, counted
from caplens.output.document import encode
from caplens.output.explanation import Explanation
from caplens.output.html import tests_table
from caplens.output.subsets import subsets_table
from caplens.output.tables import NumberTable, Value, cell
from caplens.report.assets import bundled, policy, styles
from caplens.report.data import ReportData, data_of, data_of_document
from caplens.report.explaining import most_interesting, packed_explanations
from caplens.report.packing import deflated
from caplens.report.pictures import pictures_of
from caplens.report.settings import ReportSettings

if TYPE_CHECKING:
    import jinja2

_PREFERRED = ("CIDEr", "SPICE")
"""The score that a page shows first, if it is there."""


def report_page(
    result: Result | Comparison,
    settings: ReportSettings | None = None,
    *,
    linked: str = "",
    explain_url: str = "",
    place: str | os.PathLike[str] = "",
) -> str:
    """Return a report of a result or a comparison.

    Parameters
    ----------
    result : Result or Comparison
        What is reported.
    settings : ReportSettings, optional
        What it includes.
    linked : str
        Where a server has the scripts and styles (the files of `STATIC`); by default they are part of the page.
    explain_url : str
        Where a server answers requests for explanations that are not part of the page.
    place : path
        Where the page will be, for links to pictures.

    Examples
    --------
    >>> import caplens
    >>> page = report_page(caplens.score(["a <b>"], [["a dog"]], "rouge"))
    >>> page.startswith("<!doctype html>"), "<b>" in page
    (True, False)
    """
    wanted = settings or ReportSettings()
    data = data_of(result)
    rows = most_interesting(data.scores[[data.keys.index(key) for key in data.main_keys]], wanted.most(len(data.ids)))
    systems = result.systems if isinstance(result, Comparison) else {data.systems[0]: result}
    explanations = packed_explanations(systems, rows) if len(rows) else None
    return _scores_page(data, wanted, explanations, linked, explain_url, place)


def document_page(
    document: Mapping[str, Any],
    settings: ReportSettings | None = None,
    *,
    linked: str = "",
    explain_url: str = "",
    place: str | os.PathLike[str] = "",
) -> str:
    """Return a report of a result file that was written with captions; it has no explanations of its own.

    ``document`` is what `caplens.output.document.read_document` returns; the other parameters are those of
    `report_page`.
    """
    return _scores_page(data_of_document(document), settings or ReportSettings(), None, linked, explain_url, place)


def _scores_page(
    data: ReportData,
    settings: ReportSettings,
    explanations: dict[str, Any] | None,
    linked: str,
    explain_url: str,
    place: str | os.PathLike[str],
) -> str:
    summary = data.summary()
    keys = data.main_keys
    summary["leading"] = next((key for key in _PREFERRED if key in keys), keys[-1])
    rows = explanations["rows"] if explanations else []
    if settings.pictures:
        small = rows if settings.thumbnails else ()
        summary["pictures"] = pictures_of(settings.pictures, data.ids, place, small)
    names = data.systems
    several = len(names) > 1
    title = settings.title or (f"{len(names)} captioning systems compared" if several else f"Scores of {names[0]}")
    many = "all" if len(rows) == len(data.ids) else f"the {len(rows):,} most interesting of"
    explained = (
        f"Explanations of {many} {counted(len(data.ids), 'item')} are part of this page."
        if rows
        else "This page contains no explanations."
    )
    said = data.facts.get("warnings", ())
    tested = several and bool(data.facts.get("tests"))
    content: dict[str, Any] = {
        "lines": [f"{counted(len(names), 'system')} · {counted(len(data.ids), 'item')} · {', '.join(keys)}"],
        "keys": keys,
        "board": _board(data, summary["board"]),
        "tests": number_cells(tests_table(data.facts, keys)) if tested else None,
        "warnings": [notice for notice in said if notice.get("level") != "note"],
        "notes": [notice for notice in said if notice.get("level") == "note"],
        "subsets": [
            number_cells(subsets_table(name, found)) for name, found in (data.facts.get("subsets") or {}).items()
        ],
        "explained": explained,
        "signatures": list(dict.fromkeys(entry.get("signature", "") for entry in data.metrics.values())),
        "files": _files(data.facts.get("inputs") or {}),
        "summary": json_block(summary),
        "items": deflated(data.items()),
        "explanations": json_block(explanations) if explanations else "",
    }
    return render("scores.html", "main.js", title, linked, explain_url, pictures=bool(settings.pictures), **content)


def explanations_page(explained: Sequence[Explanation]) -> str:
    """Return a page of explanations of one caption by several metrics."""
    captions = list(dict.fromkeys((each.candidate, each.references) for each in explained))
    content: dict[str, Any] = {
        "lines": [", ".join(key for each in explained for key in list(each.scores)[:1])],
        "captions": [{"candidate": candidate, "references": references} for candidate, references in captions],
        "summary": json_block({"explanations": [each.to_dict() for each in explained]}),
    }
    return render("explanations.html", "explain.js", "Why a caption has its scores", **content)


def render(
    template: str,
    script: str,
    title: str,
    linked: str = "",
    explain_url: str = "",
    *,
    pictures: bool = False,
    drawings: bool = False,
    **content: object,
) -> str:
    """Fill a template: scripts and styles are part of the page, unless they are linked."""
    code = "" if linked else bundled(script)
    return (
        _environment()
        .get_template(template)
        .render(
            title=title,
            version=__version__,
            styles=styles(),
            script=script,
            code=code,
            policy="" if linked else policy(code, pictures, drawings),
            linked=linked,
            alone=not linked and not pictures,
            explain_url=explain_url,
            **content,
        )
    )


@cache
def _environment() -> jinja2.Environment:
    try:
        import jinja2
    except ImportError:
        raise MissingDataError("HTML pages need Jinja2: pip install 'caplens[report]'.") from None
    loader = jinja2.PackageLoader("caplens.report", "templates")
    return jinja2.Environment(loader=loader, autoescape=True, undefined=jinja2.StrictUndefined, trim_blocks=True)


def json_block(data: object) -> str:
    r"""Return data for a ``script`` element: nothing in it can end the element.

    Examples
    --------
    >>> json_block(["</script>"])
    '["\\u003c/script>"]'
    """
    return encode(data).decode("utf-8").replace("<", "\\u003c")


def number_cells(table: NumberTable) -> dict[str, Any]:
    """Return a table as templates take it: texts, each with whether its column holds words."""
    words = [
        place == 0 or any(isinstance(row[place], str) for row in table.rows) for place in range(len(table.columns))
    ]

    def texts(row: Sequence[Value]) -> list[tuple[str, bool]]:
        cells = (cell(value, column.form) for value, column in zip(row, table.columns, strict=True))
        return list(zip(cells, words, strict=True))

    heads = list(zip((column.name for column in table.columns), words, strict=True))
    return {"title": table.title, "heads": heads, "rows": [texts(row) for row in table.rows], "notes": table.notes}


def _board(data: ReportData, board: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the leaderboard, the best system first, as texts."""
    places = [data.keys.index(key) for key in data.main_keys]
    return [
        {
            "name": data.systems[system],
            "place": system,
            "entries": [_entry(*board["entries"][system][key]) for key in places],
        }
        for system in board["order"]
    ]


def _entry(
    score: float | None, low: float | None, high: float | None, spread: float | None, mark: str
) -> dict[str, Any]:
    bounds = "" if low is None or high is None else f"{low:.4f} to {high:.4f}"
    runs = "" if spread is None else f" ± {spread:.4f}"
    return {
        "score": f"{cell(score, '.4f')}{runs}",
        "interval": bounds,
        "best": mark == "*",
        "mark": "~" if mark == "~" else "",
    }


def _files(inputs: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the files that were scored."""
    candidates = [{**entry, "name": f"{name}: {entry['file']}"} for name, entry in inputs.get("candidates", {}).items()]
    references = [{**entry, "name": f"references: {entry['file']}"} for entry in inputs.get("references", ())]
    return [*candidates, *references]
