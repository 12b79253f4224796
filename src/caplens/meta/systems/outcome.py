"""Correlations of corpus scores with people's judgments of systems: tables and a figure."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from caplens.meta.correlations import LONG_TITLES, TITLES, Estimate
from caplens.meta.drawing import Figure, or_nan, panels, scores_against_people
from caplens.meta.outcome import IF_ANY, INLINED, LeftOut, Outcome, Resamples
from caplens.meta.scoring import ScoreFacts
from caplens.meta.systems.judged import HUMAN
from caplens.output.tables import Column, NumberTable, Value
from caplens.stats.correlation import COEFFICIENTS

if TYPE_CHECKING:
    from caplens.meta.systems.study import SystemStudy

_ACROSS = 4  # panels of the figure in a line


@dataclass(frozen=True)
class ScoreSource:
    """Where the scores of systems come from: a leaderboard, and how entries were joined, or caption files."""

    scores_from: str
    files: dict[str, str] | None = field(default=None, metadata=IF_ANY)
    join: str | None = field(default=None, metadata=IF_ANY)
    later_entries: dict[str, str] | None = field(default=None, metadata=IF_ANY)


@dataclass(frozen=True)
class SystemFacts:
    """What results say about judged systems."""

    preset: SystemStudy
    n: int
    systems: list[str]
    left_out: dict[str, LeftOut]
    source: ScoreSource = field(metadata=INLINED)
    measure: str | None = field(default=None, metadata=IF_ANY)
    compared: int | None = field(default=None, metadata=IF_ANY)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the systems: preset, names, what was left out."""
        preset = self.preset.preset
        return (
            *(() if self.measure is None else (f"people: {self.measure}.",)),
            f"preset {preset.name}: {preset.source}{f'; {preset.note}.' if preset.note else '.'}",
            f"n = {self.n} systems: {', '.join(self.systems)}.",
            *map(str, self.left_out.values()),
            *(f"{team}: a later entry, from {date}." for team, date in (self.source.later_entries or {}).items()),
        )


@dataclass(frozen=True)
class RankedSystems:
    """How a metric's corpus scores correlate with people, measure by measure, and where it ranks people.

    ``top_five`` is how many of the five best machine systems by people are so by the metric.
    """

    measures: dict[str, dict[str, Estimate]] = field(metadata=INLINED)
    rank_of_human: int | None
    top_five: int | None
    scores: list[float | None]
    score: ScoreFacts = field(metadata=INLINED)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class SystemOutcome(Outcome):
    """Coefficients of each metric with people's judgments of systems."""

    rows: SystemFacts = field(metadata=INLINED)
    human: dict[str, list[float]]
    inter_human: None = None
    resampling: Resamples
    metrics: dict[str, RankedSystems]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return one line per metric and measure, and the ranks that metrics give to people."""
        return self._correlations(), self._ranks()

    def _correlations(self) -> NumberTable:
        study = self.rows.preset
        first = study.coefficient
        columns = [Column("metric"), Column("measure"), Column(TITLES[first]), Column("low"), Column("high")]
        columns += [Column("one out, min"), Column("one out, max"), Column("p", "p")]
        others = [other for other in reversed(COEFFICIENTS) if other != first]
        columns += [*(Column(TITLES[other]) for other in others), Column("published", ".2f")]
        rows = []
        for key, entry in self.metrics.items():
            for measure, figures in entry.measures.items():
                main = figures[first]
                cells: list[Value] = [key, measure, main.value, *main.interval, *(main.leave_one_out or ()), main.p]
                cells += [figures[other].value for other in others]
                rows.append((*cells, study.preset.published.get(key, {}).get(measure)))
        notes = (
            *self.rows.notes,
            f"low, high: 95 % bootstrap interval, {self.resampling.resamples:,} resamples of systems.",
        )
        title = f"{self.study}: correlation with human judgments, system level"
        return NumberTable(title, tuple(columns), tuple(rows), notes)

    def _ranks(self) -> NumberTable:
        columns = (Column("metric"), Column("rank of Human"), Column("best five shared"))
        rows = tuple((key, entry.rank_of_human, entry.top_five) for key, entry in self.metrics.items())
        measure = next(iter(self.human))
        note = f"best five shared: how many of the five best machine entries by {measure} are so by the metric, too."
        return NumberTable(f"{self.study}: ranks", columns, rows, (note,))

    def figure(self) -> Figure:
        """Draw metric against the first human measure, one panel a metric, Human marked."""
        study = self.rows.preset
        measure, human = next(iter(self.human.items()))
        figure, axes_of = panels(len(self.metrics), _ACROSS, (2.6, 2.4))
        is_human = [name == HUMAN for name in self.rows.systems]
        for axes, (key, entry) in zip(axes_of, self.metrics.items(), strict=True):
            value = entry.measures[measure][study.coefficient].value
            axes.set_title(f"{key} ({value:.2f})" if value is not None else key, fontsize="small")
            scores_against_people(axes, list(map(or_nan, entry.scores)), human, is_human)
        for place, axes in enumerate(axes_of):
            axes.set_xlabel("score", fontsize="small")
            if place % _ACROSS == 0:
                axes.set_ylabel(f"{measure} (star: Human)")
        coefficient = LONG_TITLES[study.coefficient]
        figure.suptitle(
            f"{self.study}, preset {study.preset.name}, n = {self.rows.n} (in brackets: {coefficient})",
            fontsize="medium",
        )
        return figure
