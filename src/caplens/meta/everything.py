"""All studies that the data allows, one after the other, into a folder."""

from __future__ import annotations

import hashlib
import os
from collections.abc import Callable, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

import msgspec

from caplens._version import __version__
from caplens.errors import InputError, MissingDataError, UsageError
from caplens.files.atomic import atomic_path
from caplens.files.progress import step
from caplens.meta.datasets import CAPTION_SETS, PAIR_SETS, SYSTEM_SETS
from caplens.meta.figures import can_draw, figure_svg
from caplens.meta.study import Study
from caplens.metrics.scores import SCHEMA
from caplens.writers.table_page import Section, page
from caplens.writers.tables import Column, NumberTable

# Studies that need a file of the user's own are not among them.
_NOT_ALL = ("table",)
_ON_EXPERT = (("williams", "000"), ("complementarity", "000"), ("distributions", "004"))
_OF_SYSTEMS = ("categories", "frequencies")


@dataclass(frozen=True)
class Finished:
    """A study with its preset: its result as plain data and its tables, or why it was not run."""

    name: str
    preset: str | None
    result: dict[str, Any] = field(default_factory=dict)
    tables: tuple[NumberTable, ...] = ()
    why_not: str = ""

    @property
    def title(self) -> str:
        """The study and its preset."""
        return self.name if self.preset is None else f"{self.name}, preset {self.preset}"


def planned() -> list[tuple[str, str | None]]:
    """Return all studies with their presets, in order.

    Examples
    --------
    >>> planned()[0]
    ('flickr8k-expert', 'clipscore')
    """
    plan: list[tuple[str, str | None]] = []
    for captions in CAPTION_SETS.values():
        plan += [(captions.name, preset.name) for preset in captions.presets if captions.name not in _NOT_ALL]
    for pairs in PAIR_SETS.values():
        plan += [(pairs.name, preset.name) for preset in pairs.presets if pairs.name not in _NOT_ALL]
    plan += [(name, one.name) for name, known in SYSTEM_SETS.items() for one in known.presets if one.leaderboard]
    return [*plan, *_ON_EXPERT, *((name, None) for name in _OF_SYSTEMS), ("sensitivity", None), ("robustness", None)]


def run_all(
    folder: str | os.PathLike[str], run: Callable[[str, str | None], Study], request: Sequence[object]
) -> list[Finished]:
    """Run every study, write each when it is done, then ``results.json`` and ``index.html``.

    Parameters
    ----------
    folder : path
        Where to write; made if it does not exist. A study that a former run of the same request finished is read back.
    run : callable
        Runs one study, given its name and its preset.
    request : sequence
        What the results depend on: with another one, everything is run again.
    """
    place = Path(folder)
    if place.exists() and not place.is_dir():
        raise UsageError(f"{place} is a file: name a folder for all studies (-o DIR).")
    (place / "studies").mkdir(parents=True, exist_ok=True)
    fingerprint = hashlib.sha256(repr((__version__, *request)).encode()).hexdigest()[:16]
    finished = []
    for name, preset in planned():
        path = place / "studies" / f"{'-'.join(filter(None, (name, preset)))}.json"
        found = _read_back(path, fingerprint)
        if found is None:
            with step(" ".join(filter(None, (name, preset)))):
                found = _attempt(name, preset, run)
            if not found.why_not:
                _write(path, {"request": fingerprint, "study": asdict(found)})
        finished.append(found)
    if all(one.why_not for one in finished):
        raise InputError(f"No study can be run: {finished[0].why_not}")
    _write(place / "results.json", _results(finished))
    with atomic_path(place / "index.html") as temporary:
        temporary.write_text(_page(finished), encoding="utf-8")
    return finished


def _attempt(name: str, preset: str | None, run: Callable[[str, str | None], Study]) -> Finished:
    try:
        study = run(name, preset)
    except (InputError, MissingDataError) as error:  # the data of this study is not here: the others may still run
        return Finished(name, preset, why_not=str(error))
    return Finished(name, preset, study.to_dict(), study.tables)


def _read_back(path: Path, fingerprint: str) -> Finished | None:
    """Return what a former run wrote, if it was asked for the same; anything else is run again."""
    if not path.exists():
        return None
    try:
        saved = msgspec.json.decode(path.read_bytes())
        if saved["request"] != fingerprint:
            return None
        study = saved["study"]
        tables = tuple(
            NumberTable(
                table["title"],
                tuple(Column(**column) for column in table["columns"]),
                tuple(tuple(row) for row in table["rows"]),
                tuple(table["notes"]),
            )
            for table in study["tables"]
        )
        return Finished(study["name"], study["preset"], study["result"], tables)
    except (OSError, msgspec.DecodeError, KeyError, TypeError):
        return None


def _write(path: Path, data: object) -> None:
    with atomic_path(path) as temporary:
        temporary.write_bytes(msgspec.json.encode(data))


def _results(finished: Sequence[Finished]) -> dict[str, Any]:
    return {
        "schema": SCHEMA,
        "caplens": __version__,
        "studies": [one.result for one in finished if not one.why_not],
        "not_run": [{"study": one.name, "preset": one.preset, "why": one.why_not} for one in finished if one.why_not],
    }


def _page(finished: Sequence[Finished]) -> str:
    sections = [
        Section(
            one.title,
            tuple(f"Warning: {notice['message']}." for notice in one.result.get("warnings", ())),
            one.tables,
            (figure_svg(one.result),) if can_draw(one.result) else (),
        )
        for one in finished
        if not one.why_not
    ]
    missing = tuple(f"{one.title}: {one.why_not}" for one in finished if one.why_not)
    if missing:
        sections.append(Section("Not run", missing))
    return page("How well metrics agree with people", [f"caplens {__version__}"], sections)


def summary(finished: Sequence[Finished], folder: str | os.PathLike[str]) -> str:
    """Say in a few lines what was run and what was not."""
    done = [one for one in finished if not one.why_not]
    lines = [f"{len(done)} of {len(finished)} studies; see {Path(folder) / 'index.html'}."]
    lines += [f"not run: {one.title}: {one.why_not}" for one in finished if one.why_not]
    return "\n".join(lines)
