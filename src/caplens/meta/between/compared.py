"""Scores of metrics beside those of people, row by row: what tests between metrics and sums of metrics need."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.errors import InputError, Notice, UsageError, counted
from caplens.meta.captions.study import JudgedRows, notes_of
from caplens.meta.scoring import ScoreColumns, ScoringOptions
from caplens.meta.systems.judged import JudgedSystems, SystemPreset
from caplens.meta.systems.study import system_facts, system_items, system_notes, system_units
from caplens.stats.resampling import Units

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Compared:
    """Rows (captions, judgments or systems) that all metrics and people have scored.

    Attributes
    ----------
    on : str
        The study whose rows they are.
    scores : ScoreColumns
        One number a row.
    human : numpy.ndarray
        People's score of each row.
    owners : Units
        The images (or systems) of the rows: what resampling draws.
    units : str
        What the owners are.
    coefficient : str
        The correlation that the preset reports.
    facts : mapping
        What result files say about the rows.
    notes : tuple of str
        The same for people.
    items : list of dict
        The rows as a metric of the user's own must score them.
    """

    on: str
    scores: ScoreColumns
    human: Floats
    owners: Units
    units: str
    coefficient: str
    facts: Mapping[str, Any]
    notes: tuple[str, ...]
    items: list[dict[str, Any]] = field(default_factory=list)

    @property
    def columns(self) -> dict[str, Floats]:
        """The scores by key."""
        return self.scores.columns

    @property
    def signatures(self) -> dict[str, dict[str, str]]:
        """The signature of each score, as result files hold them."""
        return {key: {"signature": signature} for key, signature in self.scores.signatures.items()}


def compared_captions(on: str, rows: JudgedRows, options: ScoringOptions) -> Compared:
    """Score the captions of a study; of several aspects, people's score is the mean."""
    scores = rows.score(options).without_details()
    columns = {key: column[rows.place] for key, column in scores.columns.items()}
    facts = rows.describe()
    everything = Compared(
        on,
        replace(scores, columns=columns),
        rows.mean_human,
        rows.owners,
        "images",
        rows.preset.coefficient,
        facts,
        notes_of(facts, rows.preset),
        rows.items(),
    )
    return _known(everything)


def compared_systems(
    on: str,
    systems: JudgedSystems,
    scores: ScoreColumns,
    preset: SystemPreset,
    facts: Mapping[str, Any],
    measure: str | None = None,
) -> Compared:
    """Take corpus scores of systems, and one measure of people: the preset's first unless another is named."""
    wanted = preset.measures[0] if measure is None else measure.upper()
    if wanted not in systems.human:
        raise UsageError(f"There is no measure {measure!r}: choose from {', '.join(systems.human)}.")
    facts = {**system_facts(systems, preset, facts), "measure": wanted}
    everything = Compared(
        on,
        scores.without_details(),
        systems.human[wanted],
        system_units(systems),
        "systems",
        preset.coefficient,
        facts,
        (f"people: {wanted}.", *system_notes(facts, preset)),
        system_items(systems),
    )
    return _known(everything)


def _known(rows: Compared) -> Compared:
    """Keep the rows that have every score, so that all metrics are judged by the same ones."""
    if len(rows.columns) < 2:
        raise UsageError(f"A comparison of metrics needs at least two scores, not {len(rows.columns)}: see -m.")
    known = np.logical_and.reduce([np.isfinite(column) for column in (*rows.columns.values(), rows.human)])
    if not known.any():
        raise InputError("No row has all of the scores: leave out (-m) the metrics that have none.")
    notices = list(rows.scores.notices)
    missing = len(known) - int(known.sum())
    if missing:
        notices.append(Notice("no-score", f"{counted(missing, 'row')} without one of the scores left out", missing))
    columns = {key: column[known] for key, column in rows.scores.ranked().items()}
    return Compared(
        rows.on,
        ScoreColumns(columns, rows.scores.signatures, tuple(notices)),
        rows.human[known],
        rows.owners.take(known),
        rows.units,
        rows.coefficient,
        {**rows.facts, "compared": int(known.sum())},
        rows.notes,
        rows.items,
    )
