"""Agreement with people on pairs: tables and figures."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from caplens.errors import counted
from caplens.meta import drawing
from caplens.meta.drawing import Figure
from caplens.meta.outcome import IF_ANY, INLINED, LeftOut, Outcome, Resamples
from caplens.meta.scoring import ScoreFacts
from caplens.output.tables import Column, NumberTable, Value

if TYPE_CHECKING:
    from caplens.meta.pairs.study import PairStudy


@dataclass(frozen=True)
class Accuracy:
    """Shares of pairs on which a metric agrees with people, by category and their mean, with intervals."""

    accuracy: dict[str, float | None]
    interval: dict[str, tuple[float | None, float | None]]
    score: ScoreFacts = field(metadata=INLINED)


@dataclass(frozen=True)
class ReferencesUsed:
    """Which references captions were scored with; ``draws`` is 0 where the first ones, or all, were taken."""

    number: int | None
    draws: int
    scored_here: bool
    seed: int

    def __str__(self) -> str:
        if not self.scored_here:
            return "scores from a file, with the references that it used"
        if self.number is None:
            return "all references"
        if self.draws:
            return f"{self.number} references, mean of {counted(self.draws, 'random draw')}"
        return f"the first {self.number} references"


@dataclass(frozen=True)
class Curve:
    """Accuracy by number of references: by score, then by category."""

    references: list[int]
    metrics: dict[str, dict[str, list[float | None]]]


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class PairOutcome(Outcome):
    """Shares of pairs on which each metric agrees with people."""

    preset: PairStudy
    n: int
    images: int
    left_out: dict[str, LeftOut]
    references: ReferencesUsed
    resampling: Resamples
    categories: dict[str, int]
    images_of: str | None = field(default=None, metadata=IF_ANY)
    metrics: dict[str, Accuracy]
    curve: Curve | None = field(default=None, metadata=IF_ANY)

    def tables(self) -> tuple[NumberTable, ...]:
        """Return one line per metric; where there is a curve, also one a metric and category."""
        return (self._accuracies(),) if self.curve is None else (self._accuracies(), self._over_references(self.curve))

    def _accuracies(self) -> NumberTable:
        study, figures = self.preset, self.preset.preset.published
        shown = list(next(iter(self.metrics.values())).accuracy)
        if "all" in shown:
            shown.remove("mean")
        published = [category for category in shown if any(category in figures.get(key, {}) for key in self.metrics)]
        last = shown[-1]
        columns = [Column("metric"), *(Column(category, ".1f") for category in shown)]
        columns += [Column("low", ".1f"), Column("high", ".1f")]
        columns += [Column(f"{category} published", ".1f") for category in published]
        rows = []
        for key, entry in self.metrics.items():
            cells: list[Value] = [key, *(_percent(entry.accuracy[category]) for category in shown)]
            cells += [_percent(bound) for bound in entry.interval[last]]
            cells += [figures.get(key, {}).get(category) for category in published]
            rows.append(tuple(cells))
        counts = ", ".join(f"{category} {count:,}" for category, count in self.categories.items())
        preset = study.preset
        chosen = "" if self.images_of is None else f" chosen among {self.images_of}"
        notes = (
            "; ".join(filter(None, [f"preset {preset.name}: {preset.source}", f"ties count {study.ties}", preset.note]))
            + ".",
            f"n = {self.n:,} pairs of {self.images:,} images{chosen} ({counts}); {self.references}.",
            *map(str, self.left_out.values()),
            f"low, high: 95 % bootstrap interval of {last}, {self.resampling.resamples:,} resamples of images.",
        )
        title = f"{self.study}: agreement with human preferences, percent of pairs"
        return NumberTable(title, tuple(columns), tuple(rows), notes)

    def _over_references(self, curve: Curve) -> NumberTable:
        columns = (Column("metric"), Column("pairs"), *(Column(str(number), ".1f") for number in curve.references))
        rows = [
            (key, category, *map(_percent, shares))
            for key, categories in curve.metrics.items()
            for category, shares in categories.items()
            if category != "mean" or "all" not in categories
        ]
        return NumberTable(f"{self.study}: accuracy by number of references, percent", columns, tuple(rows))

    def figure(self) -> Figure:
        """Draw the curve over numbers of references, if there is one; else one dot a category."""
        return self._dots() if self.curve is None else _curves(self.curve)

    def _dots(self) -> Figure:
        shown = [category for category in self.categories if category != "mean"]
        main = {key: entry for key, entry in self.metrics.items() if entry.score.detail_of is None}
        values = {
            category: [drawing.percent(entry.accuracy[category]) for entry in main.values()] for category in shown
        }
        study = self.preset
        title = f"{self.study}, preset {study.preset.name}, ties count {study.ties}, n = {self.n:,}"
        label = "agreement with human preferences, percent of pairs (dotted: chance)"
        figure, axes = drawing.dots(list(main), values, label, title)
        axes.axvline(50, color="0.6", linestyle=":")
        return figure


def _curves(curve: Curve) -> Figure:
    shown = [name for name in ("mean", "MM") if name in next(iter(curve.metrics.values()))]
    figure, panels = drawing.panels(len(shown), 2, (4, 3.2))
    for axes, category in zip(panels, shown, strict=True):
        for place, (key, by_category) in enumerate(curve.metrics.items()):
            shares = [drawing.percent(share) for share in by_category[category]]
            axes.plot(curve.references, shares, label=key, **drawing.line_style(place))
        axes.set_title("all pairs" if category == "mean" else f"{category} pairs", fontsize="medium")
        axes.set_xlabel("references")
        axes.set_ylabel("accuracy, percent")
        drawing.plain_frame(axes)
    drawing.shared_legend(figure, panels[0])
    return figure


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
