"""COCO captioning challenge 2015: five human judgments of 17 entries, and the leaderboards with their scores."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, get_args

import numpy as np

from caplens.errors import InputError, UsageError, counted, name_some
from caplens.meta.captions.judged import LeftOut
from caplens.meta.files import find_file
from caplens.meta.systems.judged import JudgedSystems, SystemPreset
from caplens.readers.records import Record, number, read_records, require_columns

Join = Literal["date", "team"]
JOINS: tuple[str, ...] = get_args(Join)
_MEASURES = {"M1": "q1", "M2": "q2", "M3": "q3", "M4": "q4", "M5": "q5"}


def _printed(*values: float) -> dict[str, float]:
    return dict(zip(_MEASURES, values, strict=True))


class Coco2015:
    """Entries by team and date; M1 is the share of captions as good as a human one, M2 the share that pass as human."""

    name = "coco2015"
    presets = (
        SystemPreset(
            "004",
            "SPICE (Anderson et al., ECCV 2016), table 1",
            "pearson",
            tuple(_MEASURES),
            without=("Random",),
            leaderboard="cap_c40.json",
            printed={
                "Bleu_1": _printed(0.24, 0.29, 0.72, -0.54, 0.44),
                "Bleu_4": _printed(0.05, 0.10, 0.58, -0.63, 0.30),
                "ROUGE_L": _printed(0.15, 0.20, 0.65, -0.55, 0.38),
                "METEOR": _printed(0.53, 0.57, 0.86, -0.10, 0.74),
                "CIDEr": _printed(0.43, 0.47, 0.81, -0.21, 0.65),
                "SPICE": _printed(0.88, 0.89, 0.89, 0.46, 0.97),
            },
            note="the paper scored all 15 entries on 1,000 test images; a leaderboard scores all test images",
        ),
        SystemPreset(
            "c5",
            "as 004, on the leaderboard with 5 references",
            "pearson",
            tuple(_MEASURES),
            without=("Random",),
            leaderboard="cap_c5.json",
        ),
        SystemPreset(
            "001",
            "Learning to evaluate image captioning (Cui et al., CVPR 2018)",
            "pearson",
            ("M1", "M2"),
            without=("Random", "Human"),
            leaderboard=None,
            printed={"Critique": {"M1": 0.94, "M2": 0.95}},
            note="12 teams, captions of the validation set",
        ),
        SystemPreset(
            "003",
            "WEmbSim (Sharif et al., DICTA 2020), table II",
            "pearson",
            ("M1", "M2"),
            without=("Random", "Human"),
            leaderboard=None,
            printed={"WEmbSim": {"M1": 0.83, "M2": 0.76}},
            note="12 teams, captions of the validation set",
        ),
    )

    def load(self, data: Path) -> JudgedSystems:
        """Read ``cap_challenge2015.json``."""
        path = find_file(data, ["cap_challenge2015.json"], "the judgments of the COCO challenge 2015")
        entries = _entries(path)
        results = [entry.results for entry in entries]
        require_columns(results, list(_MEASURES.values()), path)
        return JudgedSystems(
            names=[entry.team for entry in entries],
            dates=[entry.date for entry in entries],
            human={
                measure: np.array([number(row[question]) for row in results]) for measure, question in _MEASURES.items()
            },
        )


@dataclass(frozen=True)
class Entry:
    """An entry of a leaderboard."""

    team: str
    date: str
    results: Record


def _entries(path: Path) -> list[Entry]:
    rows = read_records(path)
    require_columns(rows, ["team", "date", "results"], path)
    entries = []
    for place, row in enumerate(rows, 1):
        try:
            results: Any = json.loads(row["results"]) if isinstance(row["results"], str) else row["results"]
            entries.append(Entry(str(row["team"]["name"]), str(row["date"]), dict(results)))
        except (KeyError, TypeError, ValueError) as error:
            raise InputError(f"Entry {place} of {path} has no team name or no results.") from error
    return entries


def same_team(name: str) -> str:
    """Return what two spellings of a team's name have in common.

    Examples
    --------
    >>> same_team("Tsinghua Bigeye") == same_team("TsinghuaBigeye")
    True
    """
    return "".join(name.lower().split())


def leaderboard_scores(
    systems: JudgedSystems, data: Path, file: str, join: str = "date"
) -> tuple[JudgedSystems, list[Record], dict[str, str]]:
    """Find the entries of judged systems on a leaderboard.

    Parameters
    ----------
    systems : JudgedSystems
        The judged systems.
    data : pathlib.Path
        The folder with the leaderboards.
    file : str
        The leaderboard.
    join : {"date", "team"}
        Whether an entry must have the team and the date of the judged one, or may be a later one of the team.

    Returns
    -------
    JudgedSystems
        Those that were found; the others are listed as left out.
    list of dict
        Their scores, with the team as ``id``.
    dict of str to str
        The date of every later entry that was taken.
    """
    if join not in JOINS:
        raise UsageError(f"Entries are joined by {' or '.join(JOINS)}, not by {join!r}.")
    path = find_file(data, [file], "a leaderboard of the COCO challenge")
    entries = _entries(path)
    found: dict[str, Record] = {}
    later: dict[str, str] = {}
    for name, date in zip(systems.names, systems.dates, strict=True):
        theirs = sorted(
            (entry for entry in entries if same_team(entry.team) == same_team(name)), key=lambda entry: entry.date
        )
        same = [entry for entry in theirs if (entry.team, entry.date) == (name, date)]
        if same:
            found[name] = {"id": name, **same[0].results}
        elif join == "team" and theirs and theirs[-1].date >= date:
            chosen = next(entry for entry in theirs if entry.date >= date)
            found[name] = {"id": name, **chosen.results}
            later[name] = chosen.date
    missing = [name for name in systems.names if name not in found]
    if len(found) < 3:
        raise InputError(f"Only {counted(len(found), 'judged entry')} of {len(systems.names)} are in {path.name}.")
    why = f"no entry of the team {'on the date of the judged one ' if join == 'date' else ''}in {path.name}"
    kept = systems.keep(list(found), [LeftOut("not-on-leaderboard", why, tuple(missing))] if missing else [])
    return kept, [found[name] for name in kept.names], later


def caption_files(systems: JudgedSystems, folder: Path) -> tuple[JudgedSystems, dict[str, Path]]:
    """Find the caption file of each judged system: its name without endings is the team's, whatever the punctuation."""
    if not folder.is_dir():
        raise InputError(
            f"{folder} is not a folder: name the one that holds a caption file for each team (--systems DIR)."
        )

    def spelled(name: str) -> str:
        return "".join(filter(str.isalnum, name.lower()))

    files = {spelled(path.name.split(".json")[0]): path for path in sorted(folder.glob("*.json*"))}
    found = {name: files[spelled(name)] for name in systems.names if spelled(name) in files}
    if len(found) < 3:
        raise InputError(
            f"{folder} has captions of {len(found)} of the {len(systems.names)} judged teams "
            f"({name_some(systems.names)}): files are named by team, such as NeuralTalk.json."
        )
    missing = tuple(name for name in systems.names if name not in found)
    left_out = [LeftOut("no-captions", f"no caption file of the team in {folder.name}", missing)] if missing else []
    return systems.keep(list(found), left_out), found
