"""Correlations of metrics with people at caption level: tables and a figure."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from caplens.meta.captions.rows import CaptionFacts
from caplens.meta.correlations import LONG_TITLES, TITLES, Estimate
from caplens.meta.drawing import COLOURS, Figure, largest_first, new_figure, or_nan, plain_frame
from caplens.meta.outcome import INLINED, Outcome, Resamples
from caplens.meta.scoring import ScoreFacts
from caplens.output.tables import Column, NumberTable, Value
from caplens.stats.correlation import COEFFICIENTS


@dataclass(frozen=True)
class Correlated:
    """How a metric correlates with people."""

    coefficients: dict[str, Estimate] = field(metadata=INLINED)
    n: int
    score: ScoreFacts = field(metadata=INLINED)


@dataclass(frozen=True)
class InterHuman:
    """How people correlate with each other: the mean over pairs of raters."""

    coefficients: dict[str, Estimate] = field(metadata=INLINED)
    raters: int
    pairs: int
    n: int


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class CaptionOutcome(Outcome):
    """Coefficients of each metric with people, and of people with each other."""

    rows: CaptionFacts = field(metadata=INLINED)
    aspects: list[str]
    inter_human: InterHuman | None
    resampling: Resamples
    metrics: dict[str, Correlated]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return one line per metric: the preset's coefficient first."""
        study = self.rows.preset
        first, factor, figures = study.coefficient, study.factor, study.preset.published
        others = [other for other in reversed(COEFFICIENTS) if other != first]
        digits = ".1f" if factor == 100 else ".3f"
        times = f" x {factor}" if factor != 1 else ""
        head = [Column("metric"), Column(f"{TITLES[first]}{times}", digits)]
        head += [Column("low", digits), Column("high", digits), Column("p", "p")]
        head += [Column(TITLES[other], digits) for other in others]
        # The preset's coefficient, and others where the paper has them too.
        published = [name for name in (first, *others) if any(name in figures.get(key, {}) for key in self.metrics)]
        form = digits[:2] + "g" if factor == 1 else digits
        head += [Column("published" if name == first else f"{TITLES[name]} published", form) for name in published]

        def row(label: str, coefficients: Mapping[str, Estimate]) -> tuple[Value, ...]:
            def scaled(value: float | None) -> float | None:
                return None if value is None else value * factor

            main = coefficients[first]
            cells: list[Value] = [label, scaled(main.value), *map(scaled, main.interval), main.p]
            cells += [scaled(coefficients[other].value) for other in others]
            cells += [figures.get(label, {}).get(name) for name in published]
            return tuple(cells)

        rows = [row(key, entry.coefficients) for key, entry in self.metrics.items()]
        if self.inter_human:
            rows.append(row("inter-human", self.inter_human.coefficients))
        return (
            NumberTable(f"{self.study}: correlation with human judgments", tuple(head), tuple(rows), self._notes()),
        )

    def _notes(self) -> tuple[str, ...]:
        how = self.resampling
        notes = [
            *self.rows.notes,
            f"low, high: 95 % bootstrap interval, {how.resamples:,} resamples of {how.units}, seed {how.seed}.",
        ]
        if self.rows.images < self.rows.n:
            notes.append("p: two-sided, assuming independent rows; rows of one image are not, so rely on the interval.")
        if len(self.aspects) > 1:
            notes.append(f"the mean of the correlations with {' and '.join(self.aspects)}.")
        return tuple(notes)

    def figure(self) -> Figure:
        """Draw one dot for each metric with its interval, the best first, and a line for people."""
        study = self.rows.preset
        found = [
            (key, entry.coefficients[study.coefficient])
            for key, entry in self.metrics.items()
            if entry.score.detail_of is None
        ]
        entries = [found[place] for place in largest_first([or_nan(estimate.value) for _, estimate in found])][::-1]
        figure = new_figure(6, 1 + 0.28 * len(entries))
        axes = figure.subplots()
        for row, (_, estimate) in enumerate(entries):
            if estimate.value is not None:
                axes.plot(list(estimate.interval), [row, row], color=COLOURS[0])
                axes.plot(estimate.value, row, "o", color=COLOURS[0])
        axes.set_yticks(range(len(entries)), [key for key, _ in entries])
        people = self.inter_human and self.inter_human.coefficients[study.coefficient].value
        if people is not None:
            axes.axvline(people, color=COLOURS[1], linestyle="--", label="inter-human")
            axes.legend(frameon=False, loc="upper left", bbox_to_anchor=(1, 1))  # where it hides no dot
        axes.set_xlabel(f"{LONG_TITLES[study.coefficient]} with people, 95 % interval")
        axes.set_title(f"{self.study}, preset {study.preset.name}, n = {self.rows.n:,}", fontsize="medium")
        plain_frame(axes)
        return figure
