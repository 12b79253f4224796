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

    systems: tuple[str, ...] = argument("Captions of captioning systems.", (), metavar="[SYSTEMS]...")
    output: str = option(MISSING, "Folder for weights and settings.", "-o", "--output", metavar="DIR")
    samples: tuple[str, ...] = option((), "Captions sampled from systems; repeat for several.", metavar="FILE")
    validation: str | None = option(None, "Validation image ids; by default some are drawn.", metavar="FILE")
    leave_out: tuple[str, ...] = option((), "Image ids that are not touched; repeat for several.", metavar="FILE")
    start: str | None = option(None, "Critique to go on from, with its words: a folder or shipped.", metavar="DIR")
    augmentation: bool = option(True, "Negatives RC, WP, RW and RP besides machine captions.")
    references: tuple[str, ...] = option(
        MISSING, "Captions by people, by image id.", "-r", "--references", metavar="FILE"
    )
    features: str | None = option(None, "Image features: .npz, .npy, .h5 or .safetensors.", metavar="FILE")
    preset: Literal["quick", "paper", "caption-level"] = option("quick", "Settings to begin with.")
    settings: str | None = option(None, "Settings that differ from the preset (.toml).", metavar="FILE")
    transformation: tuple[str, ...] = option(
        (), "Transformation of your own: a registered name, or module:function; repeat for several.", metavar="NAME"
    )
    allow_code: bool = option(False, "Let --transformation name code to import and run: module:function.")
    seed: int | None = option(None, "Seed of everything that is drawn, instead of the settings'.", least=0)
    device: str | None = option(None, "cpu or cuda; by default a GPU if there is one.", metavar="NAME")
    threads: int | None = option(None, "Threads of torch.", least=1)


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
    "Train learned metrics (extra train).",
    {"critique": "caplens.cli.train:critique", "composite": "caplens.cli.train_composite:command"},
)
