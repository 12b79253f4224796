"""COCO captioning challenge 2015: five human judgments of 17 entries, and the leaderboards with their scores."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import Any, ClassVar, Self

import numpy as np

from caplens.errors import InputError, counted
from caplens.meta.files import find_file
from caplens.meta.outcome import LeftOut
from caplens.meta.published import anderson2016, cui2018, sharif2020
from caplens.meta.study import Preset
from caplens.meta.systems.judged import JudgedSystems
from caplens.meta.systems.study import Board, SystemStudy
from caplens.readers.decoding import parse_cell
from caplens.readers.records import Record, number, read_records, require_columns

_MEASURES = {"M1": "q1", "M2": "q2", "M3": "q3", "M4": "q4", "M5": "q5"}
PAPER_SCORES = "table 2 of Anderson et al. (2016)"
"""In the place of a leaderboard: the scores by SPICE and its categories that the paper prints for every entry."""


@dataclass(frozen=True)
class Coco2015(SystemStudy):
    """Entries by team and date; M1 is the share of captions as good as a human one, M2 the share that pass as human."""

    name: ClassVar[str] = "coco2015"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(
                preset=Preset(
                    anderson2016.NAME,
                    f"{anderson2016.SOURCE}, table 1",
                    published=anderson2016.TABLE_1,
                    note="the paper scored all 15 entries on 1,000 test images; a leaderboard scores all test images",
                ),
                coefficient="pearson",
                measures=tuple(_MEASURES),
                without=("Random",),
                leaderboard="cap_c40.json",
            ),
            cls(
                preset=Preset(
                    "anderson2016-table2",
                    f"{anderson2016.SOURCE}, table 1, the row of SPICE",
                    published=anderson2016.TABLE_1,
                    note="all 16 entries, with the SPICE scores that the paper's table 2 gives them",
                ),
                coefficient="pearson",
                measures=tuple(_MEASURES),
                without=("Random",),
                leaderboard=PAPER_SCORES,
            ),
            cls(
                preset=Preset("c5", "as anderson2016, on the leaderboard with 5 references"),
                coefficient="pearson",
                measures=tuple(_MEASURES),
                without=("Random",),
                leaderboard="cap_c5.json",
            ),
            cls(
                preset=Preset(
                    cui2018.NAME,
                    f"{cui2018.SOURCE}, table 2",
                    published=cui2018.TABLE_2,
                    note="12 teams, captions of the validation set",
                ),
                coefficient="pearson",
                measures=("M1", "M2"),
                without=("Random", "Human"),
                leaderboard=None,
            ),
            cls(
                preset=Preset(
                    sharif2020.NAME,
                    f"{sharif2020.SOURCE}, table II",
                    published=sharif2020.TABLE_II,
                    note="12 teams, captions of the validation set",
                ),
                coefficient="pearson",
                measures=("M1", "M2"),
                without=("Random", "Human"),
                leaderboard=None,
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

    def find_on_board(self, systems: JudgedSystems, data: Path, leaderboard: str) -> Board:
        """Find the entries of judged systems: of the team and the date of the judged one, or also a later one."""
        if leaderboard == PAPER_SCORES:
            return _printed_scores(systems)
        path = find_file(data, [leaderboard], "a leaderboard of the COCO challenge")
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
            elif self.join == "team" and theirs and theirs[-1].date >= date:
                chosen = next(entry for entry in theirs if entry.date >= date)
                found[name] = {"id": name, **chosen.results}
                later[name] = chosen.date
        missing = [name for name in systems.names if name not in found]
        if len(found) < 3:
            raise InputError(f"Only {counted(len(found), 'judged entry')} of {len(systems.names)} are in {path.name}.")
        why = f"no entry of the team {'on the date of the judged one ' if self.join == 'date' else ''}in {path.name}"
        kept = systems.keep(list(found), [LeftOut("not-on-leaderboard", why, tuple(missing))] if missing else [])
        return Board(kept, [found[name] for name in kept.names], later)


def _printed_scores(systems: JudgedSystems) -> Board:
    """Take the scores of table 2 of Anderson et al. (2016) for the judged systems."""
    scores = {same_team(name): row for name, row in anderson2016.TABLE_2.items()}
    missing = tuple(name for name in systems.names if same_team(name) not in scores)
    left_out = [LeftOut("not-in-table", f"no entry of the team in {PAPER_SCORES}", missing)] if missing else []
    kept = systems.keep([name for name in systems.names if name not in missing], left_out)
    return Board(kept, [{"id": name, **scores[same_team(name)]} for name in kept.names], {})


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
            results: Any = parse_cell(row["results"]) if isinstance(row["results"], str) else row["results"]
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
