"""``caplens train``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from caplens.cli import options, train_composite

app = typer.Typer(help="Train learned metrics (extra train).", invoke_without_command=True)


class CritiquePreset(StrEnum):
    """Settings by name."""

    quick = "quick"
    paper = "paper"
    caption_level = "caption-level"


@app.callback()
def _group(context: typer.Context) -> None:
    """Train learned metrics (extra train)."""
    options.show_help_without_command(context)


@app.command()
def critique(
    references: Annotated[
        list[str], typer.Option("-r", "--references", help="Captions by people, by image id.", metavar="FILE")
    ],
    output: Annotated[str, typer.Option("-o", "--output", help="Folder for weights and settings.", metavar="DIR")],
    systems: Annotated[list[str] | None, typer.Argument(help="Captions of captioning systems.")] = None,
    samples: Annotated[
        list[str] | None, typer.Option(help="Captions sampled from systems; repeat for several.", metavar="FILE")
    ] = None,
    features: Annotated[
        str | None, typer.Option(help="Image features: .npz, .npy, .h5 or .safetensors.", metavar="FILE")
    ] = None,
    preset: Annotated[
        CritiquePreset, typer.Option(case_sensitive=False, help="Settings to begin with.")
    ] = CritiquePreset.quick,
    config: Annotated[
        str | None, typer.Option(help="Settings that differ from the preset (.toml).", metavar="FILE")
    ] = None,
    validation: Annotated[
        str | None, typer.Option(help="Image ids to watch the training by; by default drawn.", metavar="FILE")
    ] = None,
    leave_out: Annotated[
        list[str] | None, typer.Option(help="Image ids that are not touched; repeat for several.", metavar="FILE")
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="Folder of a critique to go on from, with its words.", metavar="DIR")
    ] = None,
    augmentation: Annotated[bool, typer.Option(help="Negatives RC, WP and RW besides machine captions.")] = True,
    seed: Annotated[int | None, typer.Option(min=0, help="Seed, instead of the one in the settings.")] = None,
    device: Annotated[str | None, typer.Option(help="cpu or cuda; by default a GPU if there is one.")] = None,
    threads: Annotated[int | None, typer.Option(min=1, help="Threads of torch.")] = None,
    quiet: options.Quiet = False,
) -> None:
    """Train a critique; the same command goes on where a killed one stopped."""
    from caplens.cli.console import progress
    from caplens.cli.critique import chosen_config, say_to
    from caplens.train.critique import TrainingInput, train_critique

    given = TrainingInput(references, systems or (), samples or (), features, validation, leave_out or (), start)
    settings = chosen_config(preset.value, config, seed=seed, augmentation=augmentation)
    with progress(quiet):
        figures = train_critique(output, settings, given, say_to(quiet), device, threads)
    typer.echo(f"{output}: {figures}")


train_composite.add_to(app)
