"""``caplens critique ablation``: contexts and fusions (figure 5), augmentation (figure 6) of the paper."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.core.selection import MetricRequest
from caplens.learned.critique.config import Context, CritiqueConfig, Fusion
from caplens.meta.drawing import Figure, curves_over_strengths
from caplens.meta.outcome import INLINED, Outcome
from caplens.meta.probes.robustness import STRENGTHS, TRANSFORMATIONS
from caplens.meta.scoring import OwnScores
from caplens.meta.study import NO_DATA, Preset
from caplens.output.tables import Column, NumberTable, Value
from caplens.train.common import check_torch, make_folder
from caplens.train.critique.captions import ImageCaptions, read_image_captions
from caplens.train.critique.protocol import Behaviour, check_enough, train_and_observe
from caplens.train.critique.request import without_augmentation
from caplens.train.critique.study import SOURCE, CritiqueStudy

CONTEXTS: tuple[Context, ...] = ("image", "reference", "both")
FUSIONS: dict[Fusion, str] = {"linear": "concat + linear", "bilinear": "bilinear + linear", "mlp": "concat + MLP"}
VARIANTS: dict[str, tuple[Fusion, bool]] = {
    "linear, no augmentation": ("linear", False),
    "linear": ("linear", True),
    "non-linear, no augmentation": ("mlp", False),
    "non-linear": ("mlp", True),
}
"""The lines of figure 6, first row."""


@dataclass(frozen=True)
class MeanScores:
    """Of human and of machine captions."""

    human: float
    machine: float


@dataclass(frozen=True)
class AreaCurve:
    """The score of human captions made worse over strengths, relative to the unchanged ones, and the area under it."""

    curve: list[float]
    R: float


@dataclass(frozen=True)
class Variant:
    """What a critique can do: its capability (eq. 10) and robustness (eq. 11)."""

    capability: float
    by_kind: dict[str, AreaCurve] = field(metadata=INLINED)

    @classmethod
    def of(cls, one: Behaviour) -> Variant:
        """Take the figures of a critique."""
        curves = {kind: AreaCurve(one.normalised(kind).tolist(), one.area(kind)) for kind in TRANSFORMATIONS}
        return cls(one.capability, curves)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class AblationOutcome(Outcome):
    """Mean scores by context and fusion, and the robustness of variants."""

    preset: Preset
    n: int
    networks: str
    settings: str
    strengths: list[float]
    transformations: dict[str, str]
    grid: dict[str, dict[str, MeanScores]]
    metrics: dict[str, Variant]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return the grid of figure 5, and the variants of figure 6."""
        return self._grid(), self._variants()

    def _grid(self) -> NumberTable:
        contexts = list(next(iter(self.grid.values())))
        whose = ("human", "machine")
        columns = [Column("fusion"), *(Column(f"{who}, {context}") for who in whose for context in contexts)]
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (fusion, *(getattr(row[context], who) for who in whose for context in contexts))
            for fusion, row in self.grid.items()
        )
        notes = [f"mean score of human and of machine captions of {self.n:,} unseen images, by context."]
        notes.append(f"networks: {self.networks}; context and fusion are those of the table.")
        if len(contexts) == 1:
            notes.append("without image features (--features FILE) there is only the context 'reference'.")
        return NumberTable("critique: contexts and fusions (figure 5)", tuple(columns), rows, tuple(notes))

    def _variants(self) -> NumberTable:
        columns = (Column("critique"), Column("capability"), *(Column(f"R({kind})") for kind in TRANSFORMATIONS))
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (name, one.capability, *(one.by_kind[kind].R for kind in TRANSFORMATIONS))
            for name, one in self.metrics.items()
        )
        note = "R: area under the score of degraded human captions, relative to the unchanged ones; lower is better."
        return NumberTable("critique: robustness of variants (figure 6, first row)", columns, rows, (note,))

    def figure(self) -> Figure:
        """Draw one panel a transformation and one line a variant."""
        curves = {
            name: {kind: entry.curve for kind, entry in one.by_kind.items()} for name, one in self.metrics.items()
        }
        return curves_over_strengths(self.strengths, self.transformations, curves)


@dataclass(frozen=True)
class CritiqueAblation(CritiqueStudy):
    """Images are split in two; all networks learn from one half and are measured on the other.

    Without image features only the context ``reference`` can be had.
    """

    name: ClassVar[str] = "critique-ablation"
    published: ClassVar[Preset] = Preset("cui2018", f"{SOURCE}, figures 5 and 6")

    def run(self, data: Path = NO_DATA, metrics: MetricRequest = None, scores: OwnScores = None) -> AblationOutcome:
        """Train every variant once, and observe it."""
        check_torch()
        place = make_folder(self.check_files())
        config = self.config()
        behaviour = self._observer(place, config, *self._halves(config))
        contexts = CONTEXTS if self.features is not None else ("reference",)
        grid = {fusion: {context: behaviour(context, fusion, True) for context in contexts} for fusion in FUSIONS}
        # With features the variants look at image and reference, as the paper's best does.
        lines = {name: behaviour(contexts[-1], fusion, augmented) for name, (fusion, augmented) in VARIANTS.items()}
        return AblationOutcome(
            study=self.name,
            preset=self.published,
            n=next(iter(lines.values())).images,
            networks=self.networks(config),
            settings=config.to_toml(),
            strengths=list(STRENGTHS),
            transformations=dict(TRANSFORMATIONS),
            grid={
                FUSIONS[fusion]: {name: MeanScores(one.human_score, one.score) for name, one in row.items()}
                for fusion, row in grid.items()
            },
            metrics={name: Variant.of(one) for name, one in lines.items()},
        )

    def _halves(self, config: CritiqueConfig) -> tuple[ImageCaptions, ImageCaptions]:
        """Return the images to learn from, and those to measure on."""
        captions = read_image_captions(self.references, self.systems, self.samples)
        captions = captions.take([row for row, theirs in enumerate(captions.machine) if theirs])
        generator = np.random.default_rng([config.training.seed, 5])
        order = generator.permutation(len(captions)).tolist()[: self.images or None]
        check_enough(len(order), "the systems")
        middle = len(order) // 2
        return captions.take(sorted(order[:middle])), captions.take(sorted(order[middle:]))

    def _observer(
        self, place: Path, config: CritiqueConfig, learned: ImageCaptions, scored: ImageCaptions
    ) -> Callable[[Context, Fusion, bool], Behaviour]:
        """Return what trains a network of a context and fusion, with augmentation or not, each only once."""
        trained: dict[CritiqueConfig, Behaviour] = {}

        def behaviour(context: Context, fusion: Fusion, augmented: bool) -> Behaviour:
            settings = replace(config, network=replace(config.network, context=context, fusion=fusion))
            settings = settings if augmented else without_augmentation(settings)
            if settings not in trained:
                name = f"{context}-{fusion}{'' if augmented else '-plain'}"
                self.say(f"{name}:")
                made = make_folder(place / name)
                trained[settings] = train_and_observe(made, settings, learned, scored, self.features, self.where)
            return trained[settings]

        return behaviour
