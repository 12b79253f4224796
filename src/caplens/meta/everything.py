"""All studies that the data allows, one after the other, into a folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any

import msgspec

from caplens._version import __version__
from caplens.errors import CaplensError, InputError, UsageError
from caplens.files.atomic import atomic_path
from caplens.files.paths import exists, is_folder
from caplens.files.progress import step
from caplens.meta.drawing import can_draw, figure_svg
from caplens.meta.outcome import Outcome
from caplens.meta.papers.page import FIGURES, paper_figures, paper_runs, papers_page
from caplens.meta.planned import Finished, Planned
from caplens.meta.registry import study_class, study_names
from caplens.output.document import document, encode
from caplens.output.page import PageSection
from caplens.output.tables import Column, NumberTable
from caplens.output.writing import check_output, write


def planned() -> list[Planned]:
    """Return all studies as their declarations ask for, in order, and those that tables of papers need besides.

    Examples
    --------
    >>> planned()[0].parts
    ('flickr8k-expert', 'hessel2021')
    """
    of_papers = paper_runs()
    declared = [
        Planned(name, options.get("preset"), options.get("on"))
        for name in study_names()
        for options in study_class(name).for_all()
    ]
    order = list(study_names())
    runs = {one.parts: one for one in declared} | of_papers
    return sorted(runs.values(), key=lambda one: order.index(one.name))


def run_all(
    folder: str | os.PathLike[str],
    run: Callable[[Planned], Outcome],
    request: Sequence[object],
    sources: Iterable[str | os.PathLike[str]] = (),
    data: str = "DIR",
) -> list[Finished]:
    """Run every study, write each when it is done, then ``results.json``, ``index.html`` and ``papers.md``.

    Parameters
    ----------
    folder : path
        Where to write; made if it does not exist. A study that a former run of the same request finished is read back.
    run : callable
        Runs one study.
    request : sequence
        What the results depend on: with another one, everything is run again.
    sources : iterable of path
        The folders of the data. Where a file in them has changed or is gone, everything is run again; a new one only
        makes more studies possible.
    data : str
        What commands call the folder of the data.
    """
    place = Path(folder)
    if exists(place) and not is_folder(place):
        raise UsageError(f"{place} is a file: specify a folder for all studies (-o DIR).")
    (place / "studies").mkdir(parents=True, exist_ok=True)
    check_output(place / "index.html", Studies)
    files = _files(sources, place)
    finished = []
    for wanted in planned():
        fingerprint = hashlib.sha256(repr((__version__, *request, wanted)).encode()).hexdigest()[:16]
        path = place / "studies" / f"{'-'.join(wanted.parts)}.json"
        found = _read_back(path, fingerprint, files)
        if found is None:
            with step(" ".join(wanted.parts)):
                found = _attempt(wanted, run)
            if not found.why_not:
                _write(path, {"request": fingerprint, "files": files, "study": asdict(found)})
        finished.append(found)
    if all(one.why_not for one in finished):
        raise InputError(f"No study can be run: {finished[0].why_not}")
    _write(place / "results.json", _results(finished))
    write(Studies(tuple(finished)), place / "index.html")
    (place / FIGURES).mkdir(exist_ok=True)
    for name, drawing in paper_figures(finished).items():
        _write_text(place / FIGURES / name, drawing)
    _write_text(place / "papers.md", papers_page(finished, data))
    return finished


def _files(folders: Iterable[str | os.PathLike[str]], output: Path) -> dict[str, list[int]]:
    """Return size and time of the files where studies look, without those that studies write."""
    found = {}
    ours = output.resolve()
    for folder in folders:
        for pattern in ("*", "*/*", "*/*/*"):
            for path in Path(folder).resolve().glob(pattern):
                if path.is_file() and ours not in path.parents:
                    facts = path.stat()
                    found[str(path)] = [facts.st_size, facts.st_mtime_ns]
    return found


def _attempt(wanted: Planned, run: Callable[[Planned], Outcome]) -> Finished:
    try:
        outcome = run(wanted)
    except CaplensError as error:  # its data is not here, or it has no use for these metrics: others may still run
        return Finished(wanted.name, wanted.preset, wanted.on, why_not=str(error))
    drawn = "" if not outcome.has_figure else figure_svg(outcome.figure()) if can_draw() else None
    return Finished(wanted.name, wanted.preset, wanted.on, outcome.to_dict(), outcome.tables(), drawn)


def _read_back(path: Path, fingerprint: str, files: Mapping[str, list[int]]) -> Finished | None:
    """Return what a former run wrote, if it was asked for the same of the same data; anything else is run again."""
    if not path.exists():
        return None
    try:
        saved = msgspec.json.decode(path.read_bytes())
        if saved["request"] != fingerprint or any(files.get(name) != facts for name, facts in saved["files"].items()):
            return None
        study = saved["study"]
        if study["figure"] is None and can_draw():
            return None
        tables = tuple(
            NumberTable(
                table["title"],
                tuple(Column(**column) for column in table["columns"]),
                tuple(tuple(row) for row in table["rows"]),
                tuple(table["notes"]),
            )
            for table in study["tables"]
        )
        return Finished(study["name"], study["preset"], study["on"], study["result"], tables, study["figure"])
    except (OSError, msgspec.DecodeError, AttributeError, KeyError, TypeError):
        return None


def _write(path: Path, data: object) -> None:
    with atomic_path(path) as temporary:
        temporary.write_bytes(encode(data))


def _write_text(path: Path, text: str) -> None:
    with atomic_path(path) as temporary:
        temporary.write_text(text, encoding="utf-8")


def _results(finished: Sequence[Finished]) -> dict[str, Any]:
    missing = [one for one in finished if one.why_not]
    return document(
        {
            "studies": [one.result for one in finished if not one.why_not],
            "not_run": [{"study": one.name, "preset": one.preset, "on": one.on, "why": one.why_not} for one in missing],
        }
    )


@dataclass(frozen=True)
class Studies:
    """All studies of a folder, as a page shows them."""

    finished: tuple[Finished, ...]

    def page_title(self) -> str:
        """Return the heading."""
        return "How well metrics agree with people"

    def page_sections(self) -> list[PageSection]:
        """Return a section per study, and one for those that were not run."""
        sections = [
            PageSection(
                one.title,
                tuple(f"Warning: {notice['message']}." for notice in one.result.get("warnings", ())),
                one.tables,
                (one.figure,) if one.figure else (),
            )
            for one in self.finished
            if not one.why_not
        ]
        missing = tuple(f"{one.title}: {one.why_not}" for one in self.finished if one.why_not)
        return [*sections, *([PageSection("Not run", missing)] if missing else [])]


def summary(finished: Sequence[Finished], folder: str | os.PathLike[str]) -> str:
    """Say in a few lines what was run and what was not."""
    done = [one for one in finished if not one.why_not]
    place = Path(folder)
    lines = [
        f"{len(done)} of {len(finished)} studies; see {place / 'index.html'}, and {place / 'papers.md'} for "
        f"published figures next to ours."
    ]
    lines += [f"not run: {one.title}: {one.why_not}" for one in finished if one.why_not]
    return "\n".join(lines)
