"""``caplens train``."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from typing import Literal

from caplens.cli import framework, options
from caplens.cli.critique import say_to
from caplens.cli.framework import argument, option


@dataclass(frozen=True, kw_only=True)
class CritiqueOptions(options.Quiet):
    """What ``caplens train critique`` takes."""

    systems: tuple[str, ...] = argument("Caption files of captioning systems.", (), metavar="[SYSTEMS]...")
    output: str = option(MISSING, "Output folder for weights and settings.", "-o", "--output", metavar="DIR")
    samples: tuple[str, ...] = option((), "Captions sampled from systems; can be repeated.", metavar="FILE")
    validation: str | None = option(None, "Validation image ids. Default: a random sample.", metavar="FILE")
    leave_out: tuple[str, ...] = option((), "Image ids to exclude; can be repeated.", metavar="FILE")
    start: str | None = option(
        None, "Critique to start from, including its vocabulary: a folder, or shipped.", metavar="DIR"
    )
    augmentation: bool = option(True, "Add the negatives RC, WP, RW and RP to the machine captions.")
    labels: Literal["true", "shuffled", "inverted"] | None = option(
        None, "Labels to train on; shuffled and inverted are controls. Default: true, or those of the settings."
    )
    references: tuple[str, ...] = option(
        MISSING, "Human captions, keyed by image id.", "-r", "--references", metavar="FILE"
    )
    features: str | None = option(None, "Image features: .npz, .npy, .h5 or .safetensors.", metavar="FILE")
    preset: Literal["quick", "paper", "caption-level"] = option("quick", "Base settings.")
    settings: str | None = option(None, "Settings that override the preset (.toml).", metavar="FILE")
    transformation: tuple[str, ...] = option(
        (), "Custom transformation: a registered name or module:function; can be repeated.", metavar="NAME"
    )
    allow_code: bool = option(False, "Allow --transformation to name code to import and run (module:function).")
    seed: int | None = option(None, "Random seed; overrides the one in the settings.", least=0)
    device: str | None = option(None, "Device: cpu or cuda. Default: a GPU if one is available.", metavar="NAME")
    threads: int | None = option(None, "Number of torch threads.", least=1)


def train_critique(given: CritiqueOptions) -> None:
    """Train a critique; rerun the same command to resume."""
    from caplens.cli.console import progress, show_text
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
    settings = request.chosen_settings(
        given.preset,
        given.settings,
        given.seed,
        augmentation=given.augmentation,
        labels=given.labels,
        features=given.features is not None,
        transformations=given.transformation,
        allow_code=given.allow_code,
    )
    with progress(given.quiet):
        figures = request.train_critique(
            given.output, settings, wanted, say_to(given.quiet), given.device, given.threads
        )
    show_text(f"{given.output}: {figures}")


critique = framework.command(
    CritiqueOptions,
    train_critique,
    name="critique",
    examples=["caplens train critique ours.json theirs.json -r captions.json -o folder"],
)
group = framework.group(
    "train",
    "Train learned metrics (requires the train extra).",
    {"critique": "caplens.cli.train:critique", "composite": "caplens.cli.train_composite:command"},
)
