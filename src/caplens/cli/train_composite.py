"""``caplens train composite``."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from pathlib import Path
from typing import Literal

from caplens.cli import framework, options
from caplens.cli.framework import argument, option

COMPOSITES = "eval_ms, eval_cs, eval_mcs, eval_wcs, eval_mws, eval_mwcs"


@dataclass(frozen=True, kw_only=True)
class NetworkOptions:
    """Hyper-parameters; those of the settings file, or the usual ones, unless given."""

    settings: str | None = option(None, "Hyperparameters that override the defaults (.toml).", metavar="FILE")
    hidden: int | None = option(None, "Hidden units. Default: 16.", least=1)
    learning_rate: float | None = option(None, "Learning rate for Adam. Default: 0.005.")
    batch: int | None = option(None, "Captions per batch. Default: 512.", least=1)
    epochs: int | None = option(None, "Maximum number of epochs. Default: 40.", least=1)
    seeds: int = option(5, "Number of networks to average.", least=1)
    seed: int = option(1, "Random seed for sampling and for the first network.", least=0)
    monotone: bool = option(True, "Force the score to be non-decreasing in every input.")


@dataclass(frozen=True, kw_only=True)
class CompositeOptions(NetworkOptions, options.Jobs, options.Quiet):
    """What ``caplens train composite`` takes."""

    systems: tuple[str, ...] = argument(
        "Caption files of the systems that provide the negatives, as FILE or NAME=FILE.", metavar="SYSTEMS..."
    )
    references: tuple[str, ...] = option(
        MISSING, "Human captions, keyed by image id.", "-r", "--references", metavar="FILE"
    )
    output: str = option(MISSING, "Output folder for weights and figures.", "-o", "--output", metavar="DIR")
    validation: str | None = option(
        None, "Validation image ids. Default: a random tenth of the images.", metavar="FILE"
    )
    validation_system: tuple[str, ...] = option(
        (), "System to use for the validation images instead of SYSTEMS; can be repeated.", metavar="FILE"
    )
    judgments: str | None = option(
        None, "Flickr8k folder: stop early on its expert ratings, as in the paper.", metavar="DIR"
    )
    metrics: str = option(COMPOSITES, "Composite metrics to train.", "-m", "--metrics", metavar="NAMES")
    exclude: tuple[str, ...] = option((), "Image ids to exclude; can be repeated.", metavar="FILE")
    held_out: str | None = option(None, "Held-out image ids for the human-or-machine test.", metavar="FILE")
    images: int = option(12_000, "Number of images to sample; 0: all.", least=0)
    parts: bool = option(False, "Use the components of METEOR and SPICE as inputs instead of their scores.")
    labels: Literal["true", "shuffled", "inverted"] = option(
        "true", "Labels to train on; shuffled and inverted are controls."
    )
    vectors: str = option("captions", "Word vectors for WMD.", metavar="NAME")
    df: str = option("coco-train2014", "Document frequencies for CIDEr: a name or a file.", metavar="NAME")


def composite(given: CompositeOptions) -> None:
    """Train Eval_MS and related metrics; rerun to resume."""
    from caplens.api.inputs import name_systems
    from caplens.cli.console import progress, show_text
    from caplens.train.composite.request import CompositeRequest, network_settings, train_requested
    from caplens.train.composite.training import STOPPED_BY

    def files(named: tuple[str, ...]) -> dict[str, Path]:
        return {name: Path(path) for name, path in name_systems(named).items()}

    request = CompositeRequest(
        references=tuple(map(Path, given.references)),
        systems=files(given.systems),
        metrics=tuple(name.strip() for name in given.metrics.lower().split(",") if name.strip()),
        judgments=None if given.judgments is None else Path(given.judgments),
        validation=None if given.validation is None else Path(given.validation),
        validation_systems=files(given.validation_system),
        exclude=tuple(map(Path, given.exclude)),
        held_out=None if given.held_out is None else Path(given.held_out),
        images=given.images,
        seeds=given.seeds,
        seed=given.seed,
        vectors=given.vectors,
        df=given.df,
        parts=given.parts,
        labels=given.labels,
    )
    typed = {name: getattr(given, name) for name in ("hidden", "learning_rate", "batch", "epochs")}
    # A switch that was not turned off leaves the choice to the file.
    typed["monotone"] = None if given.monotone else False
    settings = network_settings(None if given.settings is None else Path(given.settings), typed)
    say = (lambda line: None) if given.quiet else show_text
    with progress(given.quiet):
        figures = train_requested(request, Path(given.output), say, given.jobs, settings)
    stopped_by = STOPPED_BY[request.judgments is not None]
    for key, found in figures.items():
        show_text(f"{key}: {stopped_by} {found[stopped_by]:.4f}")


command = framework.command(
    CompositeOptions,
    composite,
    examples=[
        "caplens train composite a.json b.json -r captions.json -o weights -m eval_mcs",
        "caplens train composite a.json b.json -r captions.json -o weights --epochs 20",
    ],
)
