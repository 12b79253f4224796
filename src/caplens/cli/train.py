"""``caplens train``."""

from __future__ import annotations

from dataclasses import MISSING, dataclass

import click

from caplens.cli import framework
from caplens.cli.critique import TrainingOptions, say_to
from caplens.cli.framework import argument, option


@dataclass(frozen=True, kw_only=True)
class CritiqueOptions(TrainingOptions):
    """What ``caplens train critique`` takes."""

    systems: tuple[str, ...] = argument("Captions of captioning systems.", (), metavar="[SYSTEMS]...")
    output: str = option(MISSING, "Folder for weights and settings.", "-o", "--output", metavar="DIR")
    samples: tuple[str, ...] = option((), "Captions sampled from systems; repeat for several.", metavar="FILE")
    validation: str | None = option(None, "Image ids to watch the training by; by default drawn.", metavar="FILE")
    leave_out: tuple[str, ...] = option((), "Image ids that are not touched; repeat for several.", metavar="FILE")
    start: str | None = option(None, "Critique to go on from, with its words: a folder or shipped.", metavar="DIR")
    augmentation: bool = option(True, "Negatives RC, WP and RW besides machine captions.")


def train_critique(given: CritiqueOptions) -> None:
    """Train a critique; the same command goes on where a killed one stopped."""
    from caplens.cli.console import progress
    from caplens.train.critique import request

    wanted = request.TrainingInput(
        given.references,
        given.systems,
        given.samples,
        given.features,
        given.validation,
        given.leave_out,
        given.start,
    )
    settings = given.settings(augmentation=given.augmentation)
    with progress(given.quiet):
        figures = request.train_critique(
            given.output, settings, wanted, say_to(given.quiet), given.device, given.threads
        )
    click.echo(f"{given.output}: {figures}")


critique = framework.command(CritiqueOptions, train_critique, name="critique")
group = framework.group(
    "train",
    "Train learned metrics (extra train).",
    {"critique": "caplens.cli.train:critique", "composite": "caplens.cli.train_composite:command"},
)
