"""``caplens train``."""

from __future__ import annotations

from typing import Annotated

import typer

from caplens.cli import critique as shared
from caplens.cli import options, train_composite

app = typer.Typer(help="Train learned metrics (extra train).", invoke_without_command=True)


@app.callback()
def _group(context: typer.Context) -> None:
    """Train learned metrics (extra train)."""
    options.show_help_without_command(context)


@app.command()
def critique(
    references: shared.References,
    output: Annotated[str, typer.Option("-o", "--output", help="Folder for weights and settings.", metavar="DIR")],
    systems: Annotated[list[str] | None, typer.Argument(help="Captions of captioning systems.")] = None,
    samples: Annotated[
        list[str] | None, typer.Option(help="Captions sampled from systems; repeat for several.", metavar="FILE")
    ] = None,
    features: shared.Features = None,
    preset: shared.Preset = shared.CritiquePreset.quick,
    config: shared.Config = None,
    validation: Annotated[
        str | None, typer.Option(help="Image ids to watch the training by; by default drawn.", metavar="FILE")
    ] = None,
    leave_out: Annotated[
        list[str] | None, typer.Option(help="Image ids that are not touched; repeat for several.", metavar="FILE")
    ] = None,
    start: Annotated[
        str | None, typer.Option(help="Critique to go on from, with its words: a folder or shipped.", metavar="DIR")
    ] = None,
    augmentation: shared.Augmentation = True,
    seed: shared.Seed = None,
    device: shared.Device = None,
    threads: shared.Threads = None,
    quiet: options.Quiet = False,
) -> None:
    """Train a critique; the same command goes on where a killed one stopped."""
    from caplens.cli.console import progress
    from caplens.train.critique.request import TrainingInput, train_critique

    given = TrainingInput(references, systems or (), samples or (), features, validation, leave_out or (), start)
    settings = shared.chosen_config(preset, config, seed=seed, augmentation=augmentation)
    with progress(quiet):
        figures = train_critique(output, settings, given, shared.say_to(quiet), device, threads)
    typer.echo(f"{output}: {figures}")


app.command()(train_composite.composite)
