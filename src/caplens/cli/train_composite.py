"""``caplens train composite``."""

from __future__ import annotations

from dataclasses import MISSING, dataclass
from pathlib import Path

from caplens.cli import framework, options
from caplens.cli.framework import argument, option

COMPOSITES = "eval_ms, eval_cs, eval_mcs, eval_wcs, eval_mws, eval_mwcs"


@dataclass(frozen=True, kw_only=True)
class CompositeOptions(options.Jobs, options.Quiet):
    """What ``caplens train composite`` takes."""

    data: str = argument("Folder with captions_val2014.json and a folder 'systems' of caption files.")
    validation: str = option(MISSING, "Folder with Flickr8k's captions and expert judgments.", metavar="DIR")
    output: str = option(MISSING, "Folder for weights and figures.", "-o", "--output", metavar="DIR")
    negatives: str = option(
        "shetty2017, showandtell, showattendtell_b",
        "Three systems whose captions are the negatives.",
        metavar="NAMES",
    )
    metrics: str = option(COMPOSITES, "Composite metrics to train.", "-m", "--metrics", metavar="NAMES")
    exclude: tuple[str, ...] = option((), "Image ids that are not used; repeat for several.", metavar="FILE")
    held_out: str | None = option(None, "Image ids to tell people from systems on, not trained on.", metavar="FILE")
    images: int = option(12_000, "Images to draw; 0: all.", least=0)
    seeds: int = option(5, "Networks that are averaged.", least=1)
    seed: int = option(1, "Seed of the draws and of the first network.", least=0)
    monotone: bool = option(True, "No input can lower the score.")
    vectors: str = option("captions", "Word vectors of WMD.", metavar="NAME")
    df: str = option("coco-val2014", "Document frequencies of CIDEr: a name or a file.", metavar="NAME")


def composite(given: CompositeOptions) -> None:
    """Train Eval_MS and its siblings; the same command goes on where a killed one stopped."""
    from caplens.cli.console import progress, show_text
    from caplens.train.composite.request import CompositeRequest, train_requested

    request = CompositeRequest(
        Path(given.data),
        Path(given.validation),
        _names(given.negatives),
        _names(given.metrics.lower()),
        tuple(map(Path, given.exclude)),
        None if given.held_out is None else Path(given.held_out),
        given.images,
        given.seeds,
        given.seed,
        given.monotone,
        given.vectors,
        given.df,
    )
    say = (lambda line: None) if given.quiet else show_text
    with progress(given.quiet):
        figures = train_requested(request, Path(given.output), say, given.jobs)
    for key, found in figures.items():
        show_text(f"{key}: Kendall's tau-c with the experts {found['kendall_c']:.4f}")


def _names(text: str) -> tuple[str, ...]:
    return tuple(name.strip() for name in text.split(",") if name.strip())


command = framework.command(
    CompositeOptions,
    composite,
    examples=["caplens train composite coco --validation flickr8k -o weights -m eval_ms"],
)
