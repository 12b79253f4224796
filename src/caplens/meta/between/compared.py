"""Scores of metrics beside those of people, row by row: what studies between metrics need of a judged set."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, ClassVar, Literal

import numpy as np

from caplens.arrays import Floats
from caplens.core.options import option
from caplens.core.selection import MetricRequest
from caplens.errors import InputError, Notice, UsageError, counted
from caplens.meta.registry import study_class, study_names
from caplens.meta.scoring import OwnScores, ScoreColumns, ScoreFacts
from caplens.meta.study import JudgedSet, PathLike, Scoring, WithCaptions, configure, own_options
from caplens.readers.records import Record
from caplens.stats.resampling import Units

if TYPE_CHECKING:
    from caplens.meta.captions.rows import CaptionFacts
    from caplens.meta.systems.outcome import SystemFacts


DEFAULT_SET = "flickr8k-expert"
"""The judged captions that studies between metrics use unless another set is named."""


@dataclass(frozen=True, eq=False)
class Compared:
    """Rows (captions, judgments or systems) with scores of metrics and of people.

    Attributes
    ----------
    on : str
        The study whose rows they are.
    scores : ScoreColumns
        One number per row.
    human : numpy.ndarray
        People's score of each row.
    owners : Units
        The images (or systems) of the rows: what resampling draws.
    units : str
        What the owners are.
    coefficient : str
        The correlation that the preset reports.
    facts : CaptionFacts or SystemFacts
        What results say about the rows.
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
    facts: CaptionFacts | SystemFacts
    notes: tuple[str, ...]
    items: list[Record] = field(default_factory=list)

    @property
    def columns(self) -> dict[str, Floats]:
        """The scores by key."""
        return self.scores.columns

    @property
    def described(self) -> dict[str, ScoreFacts]:
        """What results say about each score."""
        return {key: self.scores.describe(key) for key in self.columns}

    def common(self) -> Compared:
        """Keep the rows that have every score, so that all metrics are judged by the same ones; details go."""
        scores = self.scores.without_details()
        if len(scores.columns) < 2:
            raise UsageError(f"A comparison of metrics needs at least two scores, not {len(scores.columns)}: see -m.")
        known = np.logical_and.reduce([np.isfinite(column) for column in (*scores.columns.values(), self.human)])
        if not known.any():
            raise InputError("No row has all of the scores: exclude (-m) the metrics that have none.")
        notices = list(scores.notices)
        missing = len(known) - int(known.sum())
        if missing:
            notices.append(
                Notice("no-score", f"{counted(missing, 'row')} excluded because a score is missing", missing)
            )
        columns = {key: column[known] for key, column in scores.ranked().items()}
        return replace(
            self,
            scores=ScoreColumns(columns, scores.signatures, tuple(notices)),
            human=self.human[known],
            owners=self.owners.take(known),
            facts=replace(self.facts, compared=int(known.sum())),
        )


@dataclass(frozen=True)
class RatedSet(JudgedSet):
    """A judged set whose rows (captions, systems) have a score by people: what studies between metrics need."""

    @abstractmethod
    def compared(
        self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None, measure: str | None = None
    ) -> Compared:
        """Return the scores of metrics beside those of people; ``measure`` says which, where there are several."""


@dataclass(frozen=True)
class BetweenMetrics(WithCaptions, Scoring):
    """A study of scores on the rows of a judged set; a set of systems has further options."""

    has_items: ClassVar[bool] = True
    # Handed on to the judged set, which refuses what it has no use for.
    _of_set: ClassVar[tuple[str, ...]] = (
        *("preset", "captions", "join", "systems"),
        *("tokenizer", "jobs", "parses", "max_words"),
    )

    on: str = option(DEFAULT_SET, "dataset whose judged captions or systems to use", metavar="STUDY")
    preset: str | None = option(None, "evaluation protocol, a preset of that dataset", metavar="NAME")
    measure: str | None = option(None, "for systems: human measure, such as M1", metavar="NAME")
    join: Literal["date", "team"] | None = option(
        None, "for systems: match leaderboard entries by date, or also take later ones"
    )
    systems: PathLike | None = option(None, "for systems: folder with one caption file per system", metavar="DIR")

    def rows_of_set(self, data: Path, metrics: MetricRequest, scores: OwnScores) -> Compared:
        """Return the rows of the set that was asked for."""
        rated = {name: kind for name in study_names() if issubclass(kind := study_class(name), RatedSet)}
        if self.on not in rated:
            raise UsageError(
                f"The study {self.name!r} needs judged captions or systems, each with a human score: choose from "
                f"{', '.join(rated)}, not {self.on!r}."
            )
        judged = configure(rated[self.on], own_options(self, self._of_set))
        return judged.compared(data, metrics, scores, self.measure)
