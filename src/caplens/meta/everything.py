"""All studies that the data allows, one after the other, into a folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, NamedTuple

import msgspec

from caplens._version import __version__
from caplens.errors import CaplensError, InputError, UsageError
from caplens.files.atomic import atomic_path
from caplens.files.paths import exists, is_folder
from caplens.files.progress import step
from caplens.meta.drawing import can_draw, figure_svg
from caplens.meta.outcome import Outcome
from caplens.meta.registry import study_class, study_names
from caplens.output.document import document, encode
from caplens.output.page import PageSection, page
from caplens.output.tables import Column, NumberTable


class Planned(NamedTuple):
    """A study to run: its name, its preset, and for studies between metrics the set whose rows are used."""

    name: str
    preset: str | None = None
    on: str | None = None

    @property
    def options(self) -> dict[str, str]:
        """The options that differ from run to run."""
        return {name: value for name, value in (("preset", self.preset), ("on", self.on)) if value is not None}

    @property
    def parts(self) -> tuple[str, ...]:
        """What there is of them."""
        return tuple(part for part in self if part is not None)


@dataclass(frozen=True)
class Finished:
    """A study with its preset: its result as plain data, its tables and figure, or why it was not run.

    ``figure`` is an ``svg`` element, empty where the study has none, and None where it could not be drawn.
    """

    name: str
    preset: str | None
    on: str | None = None
    result: dict[str, Any] = field(default_factory=dict)
    tables: tuple[NumberTable, ...] = ()
    figure: str | None = ""
    why_not: str = ""

    @property
    def title(self) -> str:
        """The study and its preset."""
        rows = "" if self.on is None else f" on {self.on}"
        return f"{self.name}{rows}" + ("" if self.preset is None else f", preset {self.preset}")


def planned() -> list[Planned]:
    """Return all studies as their declarations ask for, in order.

    Examples
    --------
    >>> planned()[0].parts
    ('flickr8k-expert', 'hessel2021')
    """
    return [Planned(name, **options) for name in study_names() for options in study_class(name).for_all()]


def run_all(
    folder: str | os.PathLike[str],
    run: Callable[[Planned], Outcome],
    request: Sequence[object],
    sources: Iterable[str | os.PathLike[str]] = (),
) -> list[Finished]:
    """Run every study, write each when it is done, then ``results.json`` and ``index.html``.

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
    """
    place = Path(folder)
    if exists(place) and not is_folder(place):
        raise UsageError(f"{place} is a file: name a folder for all studies (-o DIR).")
    (place / "studies").mkdir(parents=True, exist_ok=True)
    fingerprint = hashlib.sha256(repr((__version__, *request)).encode()).hexdigest()[:16]
    files = _files(sources, place)
    finished = []
    for wanted in planned():
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
    with atomic_path(place / "index.html") as temporary:
        temporary.write_text(_page(finished), encoding="utf-8")
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
        return Finished(*wanted, why_not=str(error))
    drawn = "" if not outcome.has_figure else figure_svg(outcome.figure()) if can_draw() else None
    return Finished(*wanted, outcome.to_dict(), outcome.tables(), drawn)


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


def _results(finished: Sequence[Finished]) -> dict[str, Any]:
    missing = [one for one in finished if one.why_not]
    return document(
        {
            "studies": [one.result for one in finished if not one.why_not],
            "not_run": [{"study": one.name, "preset": one.preset, "on": one.on, "why": one.why_not} for one in missing],
        }
    )


def _page(finished: Sequence[Finished]) -> str:
    sections = [
        PageSection(
            one.title,
            tuple(f"Warning: {notice['message']}." for notice in one.result.get("warnings", ())),
            one.tables,
            (one.figure,) if one.figure else (),
        )
        for one in finished
        if not one.why_not
    ]
    missing = tuple(f"{one.title}: {one.why_not}" for one in finished if one.why_not)
    if missing:
        sections.append(PageSection("Not run", missing))
    return page("How well metrics agree with people", [f"caplens {__version__}"], sections)


def summary(finished: Sequence[Finished], folder: str | os.PathLike[str]) -> str:
    """Say in a few lines what was run and what was not."""
    done = [one for one in finished if not one.why_not]
    lines = [f"{len(done)} of {len(finished)} studies; see {Path(folder) / 'index.html'}."]
    lines += [f"not run: {one.title}: {one.why_not}" for one in finished if one.why_not]
    return "\n".join(lines)
