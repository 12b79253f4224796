"""``caplens critique evaluate``: captioning systems by the two-fold protocol of the paper (section 3.5)."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.api.inputs import name_systems
from caplens.core.options import option
from caplens.core.selection import MetricRequest
from caplens.errors import InputError, Notice, name_some
from caplens.meta.correlations import LONG_TITLES
from caplens.meta.drawing import Figure, panels, scores_against_people
from caplens.meta.outcome import IF_ANY, INLINED, Outcome
from caplens.meta.probes.robustness import TRANSFORMATIONS
from caplens.meta.scoring import OwnScores
from caplens.meta.study import NO_DATA, PathLike, Preset
from caplens.meta.systems.judged import HUMAN
from caplens.output.document import number
from caplens.output.tables import Column, NumberTable, Value
from caplens.readers import records
from caplens.readers.records import read_records, require_columns
from caplens.stats.correlation import correlate
from caplens.train.common import check_torch, make_folder
from caplens.train.critique.captions import read_image_captions
from caplens.train.critique.protocol import Behaviour, Protocol, mean_and_spread
from caplens.train.critique.study import SOURCE, CritiqueStudy

_FEW = Notice("few-systems", "a correlation over fewer than three systems is meaningless")


@dataclass(frozen=True)
class Convention:
    """Whose protocol it is, and the coefficient of the correlation with people."""

    name: str
    source: str
    coefficient: str


@dataclass(frozen=True)
class Runs:
    """A figure over several seeds."""

    mean: float
    spread: float | None
    runs: list[float]


@dataclass(frozen=True)
class SystemFigures:
    """What the critiques of a system do: its score, that of people, the capability, the robustness."""

    images: int
    figures: dict[str, Runs] = field(metadata=INLINED)


@dataclass(frozen=True)
class Pearson:
    """Pearson's coefficient with people."""

    value: float | None
    p: float | None


@dataclass(frozen=True)
class CritiqueScores:
    """The score of each system, and how scores correlate with people, judgment by judgment."""

    scores: list[float]
    signature: str
    judgments: dict[str, dict[str, Pearson]] = field(metadata=INLINED)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class EvaluationOutcome(Outcome):
    """Scores of captioning systems by critiques that were trained on them."""

    preset: Convention
    n: int
    systems: list[str]
    networks: str
    settings: str
    seeds: int
    images: int
    by_system: dict[str, SystemFigures]
    metrics: dict[str, CritiqueScores]
    human: dict[str, list[float]] | None = field(default=None, metadata=IF_ANY)

    @property
    def _critique(self) -> CritiqueScores:
        return self.metrics["Critique"]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return one line per system; where there are judgments, also the correlations with them."""
        return (self._evaluation(),) if self.human is None else (self._evaluation(), self._judgments())

    def _evaluation(self) -> NumberTable:
        names = list(next(iter(self.by_system.values())).figures)
        columns = [Column("system"), Column("images")]
        for name in names:
            columns += [Column(f"R({name})" if name in TRANSFORMATIONS else name), Column("+-")]
        rows = []
        for system, entry in sorted(self.by_system.items(), key=lambda pair: -pair[1].figures["score"].mean):
            cells: list[Value] = [system, entry.images]
            for runs in entry.figures.values():
                cells += [runs.mean, runs.spread]
            rows.append(tuple(cells))
        notes = (
            "score: mean P(human) of the system's captions, each by a network trained on the other half; human: that "
            "of one human caption per image, with the same references; capability: eq. 10; R: area under the score "
            "of degraded human captions, eq. 11, lower is better.",
            f"networks: {self.networks}.",
            *((f"+-: standard deviation over {self.seeds} seeds.",) if self.seeds > 1 else ()),
        )
        return NumberTable("critique: two-fold evaluation", tuple(columns), tuple(rows), notes)

    def _judgments(self) -> NumberTable:
        columns = (Column("judgment"), Column("Pearson"), Column("p", "p"))
        rows = tuple(
            (measure, entry["pearson"].value, entry["pearson"].p) for measure, entry in self._critique.judgments.items()
        )
        return NumberTable("critique: correlation with people", columns, rows, (f"n = {self.n} systems.",))

    @property
    def has_figure(self) -> bool:
        """Whether there are judgments to draw scores against."""
        return self.human is not None

    def figure(self) -> Figure:
        """Draw scores against the first of the judgments."""
        if self.human is None:
            return super().figure()
        measure, human = next(iter(self.human.items()))
        figure, (axes,) = panels(1, 4, (2.6, 2.4))
        value = self._critique.judgments[measure]["pearson"].value
        axes.set_title(f"Critique ({value:.2f})" if value is not None else "Critique", fontsize="small")
        scores_against_people(axes, self._critique.scores, human, [name == HUMAN for name in self.systems])
        axes.set_ylabel(f"{measure} (star: Human)")
        how = f"n = {self.n} (in brackets: {LONG_TITLES['pearson']})"
        figure.suptitle(f"{self.study}, preset {self.preset.name}, {how}", fontsize="medium")
        return figure


@dataclass(frozen=True)
class CritiqueEvaluation(CritiqueStudy):
    """Networks trained on one half of each system's captions score the other half; the halves change places."""

    name: ClassVar[str] = "critique-evaluate"
    published: ClassVar[Preset] = Preset("cui2018", f"{SOURCE}, section 3.5")

    human: PathLike | None = option(None, "table of judgments: a system column and numeric columns", metavar="TABLE")
    augmentation: bool = option(True, "add the negatives RC, WP, RW and RP to the machine captions")
    seeds: int = option(3, "number of repetitions with different seeds")

    def run(self, data: Path = NO_DATA, metrics: MetricRequest = None, scores: OwnScores = None) -> EvaluationOutcome:
        """Train, score, and correlate with people where there are judgments."""
        check_torch()
        place = make_folder(self.check_files())
        protocol = Protocol(self.config(augmentation=self.augmentation), self.seeds, self.images, self.features)
        systems = name_systems(self.systems)
        names = list(systems)
        judgments = None if self.human is None else read_judgments(self.human, names)
        found: dict[str, SystemFigures] = {}
        for name, path in systems.items():
            self.say(f"{name}:")
            captions = read_image_captions(self.references, [path], self.samples)
            found[name] = _figures(protocol.evaluate(place, name, captions, self.where))
        theirs = [found[name].figures["score"].mean for name in names]
        signature = f"critique, two folds, {protocol.seeds} seeds"
        agreement = {measure: {"pearson": _pearson(theirs, values)} for measure, values in (judgments or {}).items()}
        return EvaluationOutcome(
            study=self.name,
            preset=Convention(self.published.name, self.published.source, "pearson"),
            n=len(names),
            systems=names,
            networks=self.networks(protocol.config),
            settings=protocol.config.to_toml(),
            seeds=protocol.seeds,
            images=protocol.images,
            by_system=found,
            metrics={"Critique": CritiqueScores(theirs, signature, agreement)},
            human=judgments,
            warnings=() if len(names) > 2 or not judgments else (_FEW,),
        )


def _pearson(scores: list[float], human: list[float]) -> Pearson:
    found = correlate(np.array(scores), np.array(human))["pearson"]
    return Pearson(number(found.value), number(found.p))


def read_judgments(path: str | os.PathLike[str], names: Sequence[str]) -> dict[str, list[float]]:
    """Read people's judgments of systems: every column in which each of the systems has a number."""
    rows = read_records(path)
    require_columns(rows, ["system"], path)
    by_name = {str(row["system"]): row for row in rows}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise InputError(f"{path} has no judgments of {name_some(missing)}: its column 'system' must name them.")
    found = {}
    for column in (column for column in rows[0] if column != "system"):
        values = [records.number(by_name[name].get(column)) for name in names]
        if np.isfinite(values).all():
            found[column] = values
    if not found:
        raise InputError(f"{path} has no column with a number for each of the systems.")
    return found


def _figures(behaviours: list[Behaviour]) -> SystemFigures:
    figures = {
        "score": [behaviour.score for behaviour in behaviours],
        "human": [behaviour.human_score for behaviour in behaviours],
        "capability": [behaviour.capability for behaviour in behaviours],
        **{kind: [behaviour.area(kind) for behaviour in behaviours] for kind in TRANSFORMATIONS},
    }
    return SystemFigures(
        behaviours[0].images, {name: Runs(*mean_and_spread(values), values) for name, values in figures.items()}
    )
