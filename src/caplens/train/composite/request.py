"""What the command line asks of a training of composite metrics, turned into captions, images and networks."""

from __future__ import annotations

from collections.abc import Container
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

from caplens.errors import InputError, UsageError
from caplens.meta.image_captions import captions_of, image_key
from caplens.train.common import check_torch, make_folder, read_ids
from caplens.train.composite.captions import CaptionSources
from caplens.train.composite.recipes import LETTERS, recipe_of
from caplens.train.composite.training import CompositeTraining, Say, train_composites

if TYPE_CHECKING:
    from caplens.train.composite.network import NetworkSettings


@dataclass(frozen=True)
class CompositeRequest:
    """What was asked for.

    Attributes
    ----------
    data, validation : pathlib.Path
        Folder of COCO's captions and of the systems', folder of Flickr8k.
    negatives, metrics : tuple of str
        The systems that write the negatives; the composite metrics by name.
    exclude, held_out : pathlib.Path
        Files of image ids: not to be used; not to be used but for telling people from systems in the end.
    images, seeds, seed : int
        How many images and networks, and the seed of the draws.
    monotone : bool
        Whether no input may lower the score.
    vectors, df : str
        Of the inputs.
    """

    data: Path
    validation: Path
    negatives: tuple[str, ...]
    metrics: tuple[str, ...]
    exclude: tuple[Path, ...] = ()
    held_out: Path | None = None
    images: int = 12_000
    seeds: int = 5
    seed: int = 1
    monotone: bool = True
    vectors: str = "captions"
    df: str = "coco-val2014"


def train_requested(
    request: CompositeRequest,
    output: Path,
    say: Say,
    jobs: int | None = None,
    settings: NetworkSettings | None = None,
) -> dict[str, Any]:
    """Train what was asked for; return the figures of each metric by key.

    ``settings`` are the hyper-parameters of the networks, those of the shipped ones by default.
    """
    check_torch()
    from caplens.train.composite.network import NetworkSettings

    recipes = tuple(recipe_of(name, vectors=request.vectors, df=request.df) for name in request.metrics)
    if not request.negatives:
        raise UsageError("Name the systems whose captions are the negatives, such as --negatives 'a, b, c'.")
    if not recipes:
        raise UsageError(f"Name the metrics to train: {', '.join(LETTERS)}.")
    excluded: dict[str, frozenset[str]] = {}
    for path in request.exclude:
        excluded[unused_name(path, excluded)] = read_images(path)
    overlap = tuple(
        caption for captions in captions_of("flickr8k", request.validation).values() for caption in captions
    )
    folders = system_folders(request.data)
    held_out = None
    if request.held_out is not None:
        wanted = read_images(request.held_out)
        excluded[unused_name(request.held_out, excluded)] = wanted
        others = frozenset(captions_of("coco", request.data)) - wanted
        held_out = CaptionSources(request.data, folders, excluded={"not held out": others})
    training = CompositeTraining(
        recipes,
        CaptionSources(request.data, folders, request.negatives, excluded, overlap),
        request.validation,
        held_out,
        images=request.images,
        seeds=request.seeds,
        seed=request.seed,
    )
    make_folder(output)
    chosen = replace(settings or NetworkSettings(), monotone=request.monotone)
    return train_composites(training, chosen, output, say, jobs)


def system_folders(data: Path) -> tuple[Path, ...]:
    """Return the folders of caption files inside a folder: ``systems`` and what begins like it."""
    found = tuple(sorted(folder for folder in data.glob("systems*") if folder.is_dir()))
    if not found:
        raise InputError(f"There is no folder 'systems' with caption files in {data}.")
    return found


def unused_name(path: Path, names: Container[str]) -> str:
    """Return what a list of images is called: its file's name, or the whole path where another is called so.

    Examples
    --------
    >>> unused_name(Path("a/test.txt"), ()), unused_name(Path("b/test.txt"), ("test",))
    ('test', 'b/test.txt')
    """
    return str(path) if path.stem in names else path.stem


def read_images(path: Path) -> frozenset[str]:
    """Read a file of image ids, one a line: numbers or file names."""
    return frozenset(image_key(str(int(line)) if line.isdecimal() else line) for line in read_ids(path))
