"""Systems beside each other: who is best in each score, who is as good as the best, in the words of a style."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from caplens.output.presentation import Presentation, Style, several_note
from caplens.output.tables import Column, Marked, NumberTable, Value

BEST, CLOSE = "*", "~"
"""The marks of the best system, and of those that are not significantly worse: bold does not survive a file."""


@dataclass(frozen=True)
class Entry:
    """One score of one system.

    Attributes
    ----------
    style : Style
        How its numbers are written.
    score : float or None
        Of the corpus; the mean over training runs, if there are several.
    interval : tuple of float or None
        Its interval.
    spread : float or None
        Standard deviation over training runs, if there are several.
    best, close : bool
        Whether no system is better; whether the best one is not significantly better.
    """

    style: Style
    score: float | None
    interval: tuple[float | None, float | None]
    spread: float | None = None
    best: bool = False
    close: bool = False

    @property
    def mark(self) -> str:
        """The sign behind the score."""
        return BEST if self.best else CLOSE if self.close else ""


@dataclass(frozen=True)
class Leaderboard:
    """The entries of systems, the best system first.

    Attributes
    ----------
    systems : tuple of str
        By their mean rank over the scores that are shown.
    keys : tuple of str
        The scores.
    entries : dict
        By system and score.
    several : tuple of str
        What to say where images have several candidates.
    """

    systems: tuple[str, ...]
    keys: tuple[str, ...]
    entries: dict[tuple[str, str], Entry]
    several: tuple[str, ...] = ()

    def table(self, wanted: Presentation, form: str = "text") -> NumberTable:
        """Return the leaderboard for a paper: a row per system, a column per score; in CSV the bounds have columns."""
        style = wanted.style
        named = self.systems != ("",)
        spread = any(entry.spread is not None for entry in self.entries.values())
        columns = [Column("system")] if named else []
        for key in self.keys:
            columns.append(Column(style.name(key)))
            if form == "csv" and spread:
                columns.append(Column(f"{style.name(key)}_spread"))
            if form == "csv" and wanted.intervals:
                columns += [Column(f"{style.name(key)}_low"), Column(f"{style.name(key)}_high")]
        rows = []
        for system in self.systems:
            row: list[Value] = [system] if named else []
            for key in self.keys:
                entry = self.entries[system, key]
                if form == "csv":
                    more = ((entry.spread,) if spread else ()) + (entry.interval if wanted.intervals else ())
                    row += map(entry.style.scaled, (entry.score, *more))
                else:
                    row.append(cell_of(entry, wanted.intervals))
            rows.append(tuple(row))
        return NumberTable("", tuple(columns), tuple(rows), self.notes(wanted))

    def notes(self, wanted: Presentation) -> tuple[str, ...]:
        """Return what a reader of the table must know."""
        notes = ["Brackets: 95 % bootstrap intervals."] if wanted.intervals else []
        if any(entry.spread is not None for entry in self.entries.values()):
            notes.append("±: standard deviation over training runs.")
        if any(entry.close for entry in self.entries.values()):
            notes.append(f"{CLOSE}: not significantly worse than the best.")
        return (*notes, *self.several)


def cell_of(entry: Entry, intervals: bool) -> Marked:
    """Return an entry as a cell of a table.

    Examples
    --------
    >>> cell_of(Entry(Style(digits=2), 0.5, (0.4, 0.6), best=True), intervals=True)
    Marked(text='0.50', more='[0.40, 0.60]', bold=True, mark='')
    """
    style = entry.style
    more = [] if entry.spread is None else [f"±{style.number(entry.spread)}"]
    more += [f"[{', '.join(map(style.number, entry.interval))}]"] if intervals else []
    return Marked(style.number(entry.score), " ".join(more), entry.best, CLOSE if entry.close else "")


def leaderboard(
    systems: Mapping[str, Mapping[str, Mapping[str, Any]]],
    wanted: Presentation,
    tests: Iterable[Mapping[str, Any]] = (),
    alpha: float = 0.05,
) -> Leaderboard:
    """Put systems into their order.

    Parameters
    ----------
    systems : mapping
        Their scores as plain data, as ``metrics`` in files.
    wanted : Presentation
        What to show.
    tests : iterable of mapping
        The paired tests as plain data; without a test, no system counts as close to the best.
    alpha : float
        Up to which a corrected p-value is significant.

    Examples
    --------
    >>> systems = {"a": {"CIDEr": {"score": 0.9, "interval": [0.8, 1.0]}}, "b": {"CIDEr": {"score": 1.0}}}
    >>> board = leaderboard(systems, Presentation())
    >>> board.systems, board.entries["b", "CIDEr"].best
    (('b', 'a'), True)
    """
    keys = wanted.keys(next(iter(systems.values())))
    open_pairs = {
        (test["score"], *names)
        for test in tests
        if not is_significant(test, alpha)
        for names in ((test["first"], test["second"]), (test["second"], test["first"]))
    }
    entries: dict[tuple[str, str], Entry] = {}
    ranks = dict.fromkeys(systems, 0)
    for key in keys:
        worth = {name: _worth(metrics[key]) for name, metrics in systems.items()}
        top = max(worth.values())
        leaders = [name for name in systems if worth[name] == top and len(systems) > 1 and top > -math.inf]
        for name, metrics in systems.items():
            found = metrics[key]
            low, high = found.get("interval") or (None, None)
            close = name not in leaders and any((key, name, leader) in open_pairs for leader in leaders)
            entries[name, key] = Entry(
                wanted.style.of(found), found["score"], (low, high), found.get("spread"), name in leaders, close
            )
            ranks[name] += sum(other > worth[name] for other in worth.values())
    ordered = tuple(sorted(systems, key=lambda name: ranks[name]))
    return Leaderboard(ordered, keys, entries, several_note(next(iter(systems.values()))))


def is_significant(test: Mapping[str, Any], alpha: float) -> bool:
    """Tell whether every corrected p-value that a test has is at most ``alpha``.

    Examples
    --------
    >>> is_significant({"p_bootstrap_holm": 0.01, "p_randomisation_holm": 0.2}, 0.05)
    False
    """
    found = [p for p in (test["p_bootstrap_holm"], test["p_randomisation_holm"]) if p is not None]
    return bool(found) and max(found) <= alpha


def _worth(entry: Mapping[str, Any]) -> float:
    """Return how good a score is; one that does not exist is the worst."""
    score: float | None = entry["score"]
    if score is None:
        return -math.inf
    return score if entry.get("higher_is_better", True) else -score
