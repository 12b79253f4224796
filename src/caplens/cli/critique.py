"""``caplens critique``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import MISSING, dataclass
from typing import TYPE_CHECKING, Literal

import click

from caplens.cli import framework, options
from caplens.cli.framework import argument, option

if TYPE_CHECKING:
    from caplens.learned.critique.config import CritiqueConfig
    from caplens.meta.study import Study
    from caplens.train.critique.request import Where


@dataclass(frozen=True, kw_only=True)
class TrainingOptions(options.Quiet):
    """What everything takes that trains critiques."""

    references: tuple[str, ...] = option(
        MISSING, "Captions by people, by image id.", "-r", "--references", metavar="FILE"
    )
    features: str | None = option(None, "Image features: .npz, .npy, .h5 or .safetensors.", metavar="FILE")
    preset: Literal["quick", "paper", "caption-level"] = option("quick", "Settings to begin with.")
    config: str | None = option(None, "Settings that differ from the preset (.toml).", metavar="FILE")
    seed: int | None = option(None, "Seed of everything that is drawn, instead of the settings'.", least=0)
    device: str | None = option(None, "cpu or cuda; by default a GPU if there is one.", metavar="NAME")
    threads: int | None = option(None, "Threads of torch.", least=1)

    def settings(self, *, augmentation: bool = True) -> CritiqueConfig:
        """Return the settings of the preset with those of the file and of options on top."""
        from pathlib import Path

        from caplens.learned.critique import config as critique_config
        from caplens.train.critique.request import without_augmentation

        settings = critique_config.preset(self.preset)
        if self.config is not None:
            settings = critique_config.read_config(Path(self.config), settings)
        if self.seed is not None:
            settings = settings.changed({"training": {"seed": self.seed}})
        return settings if augmentation else without_augmentation(settings)

    @property
    def where(self) -> Where:
        """Where it is trained."""
        from caplens.train.critique.request import Where

        return Where(say_to(self.quiet), self.device, self.threads)


@dataclass(frozen=True, kw_only=True)
class ProtocolOptions(TrainingOptions):
    """What the protocols share."""

    output: str = option(
        MISSING, "Folder for networks and results; a killed run goes on.", "-o", "--output", metavar="DIR"
    )
    images: int = option(0, "Images that are used, drawn at random; 0: all.", least=0)
    table_format: options.TableFormat = option("text", "How tables are printed.", "--format")


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(ProtocolOptions):
    """What ``caplens critique evaluate`` takes."""

    systems: tuple[str, ...] = argument("A caption file for each system, as FILE or NAME=FILE.", metavar="SYSTEMS...")
    human: str | None = option(None, "Judgments of the systems: columns system and numbers.", metavar="TABLE")
    augmentation: bool = option(True, "Negatives RC, WP and RW besides machine captions.")
    seeds: int = option(3, "How often everything is repeated.", least=1)
    figure: str | None = option(None, "Draw scores against judgments: .svg, .pdf or .png.", metavar="FILE")


def evaluate_critique(given: EvaluateOptions) -> None:
    """Train on one half of each system's captions, score the other, and swap."""
    from caplens.cli.compare import name_systems
    from caplens.cli.console import progress
    from caplens.errors import UsageError
    from caplens.train.critique.protocol import Protocol
    from caplens.train.critique.studies import evaluate_systems

    if given.figure and not given.human:
        raise UsageError("The figure shows scores against judgments: give --human TABLE too.")
    settings = given.settings(augmentation=given.augmentation)
    with progress(given.quiet):
        study = evaluate_systems(
            Protocol(settings, given.seeds, given.images, given.features),
            given.output,
            name_systems(given.systems),
            given.references,
            human=given.human,
            where=given.where,
        )
    _finish(study, given.output, given.figure, given.table_format)


@dataclass(frozen=True, kw_only=True)
class AblationOptions(ProtocolOptions):
    """What ``caplens critique ablation`` takes."""

    systems: tuple[str, ...] = argument("Captions of captioning systems.", metavar="SYSTEMS...")
    figure: str | None = option(None, "Draw the robustness of the variants: .svg, .pdf or .png.", metavar="FILE")


def ablate_critique(given: AblationOptions) -> None:
    """Compare contexts and fusions (figure 5), and augmentation (figure 6, first row)."""
    from caplens.cli.console import progress
    from caplens.train.critique.studies import run_ablation

    settings = given.settings()
    with progress(given.quiet):
        study = run_ablation(
            settings, given.output, given.systems, given.references, given.images, given.features, given.where
        )
    _finish(study, given.output, given.figure, given.table_format)


def _finish(study: Study, output: str, figure: str | None, table_format: str) -> None:
    study.write(f"{output}/{study.name}.json")
    if figure:
        study.write_figure(figure)
    click.echo(study.render(table_format))


def say_to(quiet: bool) -> Callable[[str], None]:
    """Return what prints lines about a long training to stderr."""

    def say(line: str) -> None:
        if not quiet:
            sys.stderr.write(f"{line}\n")

    return say


evaluate = framework.command(EvaluateOptions, evaluate_critique, name="evaluate")
ablation = framework.command(AblationOptions, ablate_critique, name="ablation")
group = framework.group(
    "critique",
    "Protocols of the critique: train and score system by system.",
    {"evaluate": "caplens.cli.critique:evaluate", "ablation": "caplens.cli.critique:ablation"},
)
