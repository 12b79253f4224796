"""``caplens train composite``."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from caplens.cli import options

COMPOSITES = "eval_ms, eval_cs, eval_mcs, eval_wcs, eval_mws, eval_mwcs"


def composite(
    data: Annotated[
        str, typer.Argument(help="Folder with captions_val2014.json and a folder 'systems' of caption files.")
    ],
    validation: Annotated[
        str, typer.Option(help="Folder with Flickr8k's captions and expert judgments.", metavar="DIR")
    ],
    output: Annotated[str, typer.Option("-o", "--output", help="Folder for weights and figures.", metavar="DIR")],
    negatives: Annotated[
        str, typer.Option(help="Three systems whose captions are the negatives.", metavar="NAMES")
    ] = "shetty2017, showandtell, showattendtell_b",
    metrics: Annotated[str, typer.Option("-m", "--metrics", help="Composite metrics to train.")] = COMPOSITES,
    exclude: Annotated[
        list[str] | None, typer.Option(help="Image ids that are not used; repeat for several.", metavar="FILE")
    ] = None,
    held_out: Annotated[
        str | None, typer.Option(help="Image ids to tell people from systems on, not trained on.", metavar="FILE")
    ] = None,
    images: Annotated[int, typer.Option(min=0, help="Images to draw; 0: all.")] = 12_000,
    seeds: Annotated[int, typer.Option(min=1, help="Networks that are averaged.")] = 5,
    seed: Annotated[int, typer.Option(min=0, help="Seed of the draws and of the first network.")] = 1,
    monotone: Annotated[bool, typer.Option(help="No input can lower the score.")] = True,
    vectors: Annotated[str, typer.Option(help="Word vectors of WMD.")] = "captions",
    df: Annotated[str, typer.Option(help="Document frequencies of CIDEr: a name or a file.")] = "coco-val2014",
    jobs: options.Jobs = None,
    quiet: options.Quiet = False,
) -> None:
    """Train Eval_MS and its siblings; the same command goes on where a killed one stopped."""
    from caplens.cli.console import progress
    from caplens.train.composite.request import CompositeRequest, train_requested

    request = CompositeRequest(
        Path(data),
        Path(validation),
        tuple(name.strip() for name in negatives.split(",") if name.strip()),
        tuple(name.strip().lower() for name in metrics.split(",") if name.strip()),
        tuple(Path(file) for file in exclude or ()),
        None if held_out is None else Path(held_out),
        images,
        seeds,
        seed,
        monotone,
        vectors,
        df,
    )
    with progress(quiet):
        figures = train_requested(request, Path(output), (lambda line: None) if quiet else typer.echo, jobs)
    for key, found in figures.items():
        typer.echo(f"{key}: Kendall's tau-c with the experts {found['kendall_c']:.4f}")
