"""``caplens critique``."""

from __future__ import annotations

import sys
from collections.abc import Callable
from enum import StrEnum
from typing import TYPE_CHECKING, Annotated

import typer

from caplens.cli import options
from caplens.cli.meta import TableFormat

if TYPE_CHECKING:
    from caplens.learned.critique.config import CritiqueConfig
    from caplens.meta.study import Study

app = typer.Typer(help="Protocols of the critique: train and score system by system.", invoke_without_command=True)


class CritiquePreset(StrEnum):
    """Settings by name."""

    quick = "quick"
    paper = "paper"
    caption_level = "caption-level"


References = Annotated[
    list[str], typer.Option("-r", "--references", help="Captions by people, by image id.", metavar="FILE")
]
Folder = Annotated[
    str, typer.Option("-o", "--output", help="Folder for networks and results; a killed run goes on.", metavar="DIR")
]
Preset = Annotated[CritiquePreset, typer.Option(case_sensitive=False, help="Settings to begin with.")]
Config = Annotated[str | None, typer.Option(help="Settings that differ from the preset (.toml).", metavar="FILE")]
Features = Annotated[str | None, typer.Option(help="Image features: .npz, .npy, .h5 or .safetensors.", metavar="FILE")]
Images = Annotated[int, typer.Option(min=0, help="Images that are used, drawn at random; 0: all.")]
Device = Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")]
Threads = Annotated[int | None, typer.Option(min=1, help="Threads of torch.")]
Form = Annotated[TableFormat, typer.Option("--format", case_sensitive=False, help="How tables are printed.")]
Seed = Annotated[int | None, typer.Option(min=0, help="Seed of everything that is drawn, instead of the settings'.")]
Augmentation = Annotated[bool, typer.Option(help="Negatives RC, WP and RW besides machine captions.")]


@app.callback()
def _group(context: typer.Context) -> None:
    """Protocols of the critique: train and score system by system."""
    options.show_help_without_command(context)


@app.command()
def evaluate(
    systems: Annotated[list[str], typer.Argument(help="A caption file for each system, as FILE or NAME=FILE.")],
    references: References,
    output: Folder,
    human: Annotated[
        str | None, typer.Option(help="Judgments of the systems: columns system and numbers.", metavar="TABLE")
    ] = None,
    augmentation: Augmentation = True,
    seeds: Annotated[int, typer.Option(min=1, help="How often everything is repeated.")] = 3,
    images: Images = 0,
    features: Features = None,
    preset: Preset = CritiquePreset.quick,
    config: Config = None,
    seed: Seed = None,
    figure: Annotated[
        str | None, typer.Option(help="Draw scores against judgments: .svg, .pdf or .png.", metavar="FILE")
    ] = None,
    table_format: Form = TableFormat.text,
    device: Device = None,
    threads: Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Train on one half of each system's captions, score the other, and swap."""
    from caplens.cli.compare import name_systems
    from caplens.cli.console import progress
    from caplens.errors import UsageError
    from caplens.train.critique.protocol import Protocol
    from caplens.train.critique.request import Where
    from caplens.train.critique.studies import evaluate_systems

    if figure and not human:
        raise UsageError("The figure shows scores against judgments: give --human TABLE too.")
    settings = chosen_config(preset, config, seed=seed, augmentation=augmentation)
    with progress(quiet):
        study = evaluate_systems(
            Protocol(settings, seeds, images, features),
            output,
            name_systems(systems),
            references,
            human=human,
            where=Where(say_to(quiet), device, threads),
        )
    _finish(study, output, figure, table_format)


@app.command()
def ablation(
    systems: Annotated[list[str], typer.Argument(help="Captions of captioning systems.")],
    references: References,
    output: Folder,
    images: Images = 0,
    features: Features = None,
    preset: Preset = CritiquePreset.quick,
    config: Config = None,
    seed: Seed = None,
    figure: Annotated[
        str | None, typer.Option(help="Draw the robustness of the variants: .svg, .pdf or .png.", metavar="FILE")
    ] = None,
    table_format: Form = TableFormat.text,
    device: Device = None,
    threads: Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Compare contexts and fusions (figure 5), and augmentation (figure 6, first row)."""
    from caplens.cli.console import progress
    from caplens.train.critique.request import Where
    from caplens.train.critique.studies import run_ablation

    settings = chosen_config(preset, config, seed=seed)
    with progress(quiet):
        study = run_ablation(
            settings, output, systems, references, images, features, Where(say_to(quiet), device, threads)
        )
    _finish(study, output, figure, table_format)


def _finish(study: Study, output: str, figure: str | None, table_format: TableFormat) -> None:
    study.write(f"{output}/{study.name}.json")
    if figure:
        study.write_figure(figure)
    typer.echo(study.render(table_format.value))


def chosen_config(
    preset: CritiquePreset, config: str | None, *, seed: int | None = None, augmentation: bool = True
) -> CritiqueConfig:
    """Return the settings of a preset with those of a file and of options on top."""
    from pathlib import Path

    from caplens.learned.critique import config as critique_config
    from caplens.train.critique.request import without_augmentation

    settings = critique_config.preset(preset.value)
    if config is not None:
        settings = critique_config.read_config(Path(config), settings)
    if seed is not None:
        settings = settings.changed({"training": {"seed": seed}})
    return settings if augmentation else without_augmentation(settings)


def say_to(quiet: bool) -> Callable[[str], None]:
    """Return what prints lines about a long training to stderr."""

    def say(line: str) -> None:
        if not quiet:
            sys.stderr.write(f"{line}\n")

    return say
