"""What the command line asks of a training of composite metrics, turned into captions, images and networks."""

from __future__ import annotations

from collections.abc import Container, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from caplens.errors import UsageError
from caplens.learned.settings import Labels, changed_settings, read_toml
from caplens.meta.image_captions import captions_by_image, captions_of, image_key
from caplens.train.common import check_torch, make_folder, read_ids
from caplens.train.composite.captions import CaptionSources
from caplens.train.composite.recipes import LETTERS, recipe_of
from caplens.train.composite.training import CompositeTraining, Say, train_composites

if TYPE_CHECKING:
    from caplens.train.composite.network import NetworkSettings

VALIDATION_SHARE = 0.1
"""Of the images, where none are named to stop by."""


@dataclass(frozen=True)
class CompositeRequest:
    """What was asked for.

    Attributes
    ----------
    references : tuple of pathlib.Path
        Captions by people, by image.
    systems : mapping of str to pathlib.Path
        The caption files of the systems that write the negatives.
    metrics : tuple of str
        The composite metrics by name.
    judgments : pathlib.Path, optional
        Folder of Flickr8k: stop by the experts' judgments, as the paper does.
    validation : pathlib.Path, optional
        File of image ids to stop by; by default some images are drawn.
    validation_systems : mapping of str to pathlib.Path
        Other systems for the validation images; by default the same.
    exclude, held_out : pathlib.Path
        Files of image ids: not to be used; not to be used but for telling people from systems in the end.
    images, seeds, seed : int
        How many images and networks, and the seed of the draws.
    vectors, df : str
        Of the inputs.
    parts : bool
        Whether parts of METEOR and SPICE are read instead of their scores.
    labels : {"true", "shuffled", "inverted"}
        The latter two are controls.
    data_use : mapping of str to str
        What the weights say about the data.
    """

    references: tuple[Path, ...]
    systems: Mapping[str, Path]
    metrics: tuple[str, ...]
    judgments: Path | None = None
    validation: Path | None = None
    validation_systems: Mapping[str, Path] = field(default_factory=dict)
    exclude: tuple[Path, ...] = ()
    held_out: Path | None = None
    images: int = 12_000
    seeds: int = 5
    seed: int = 1
    vectors: str = "captions"
    df: str = "coco-train2014"
    parts: bool = False
    labels: Labels = "true"
    data_use: Mapping[str, str] = field(default_factory=dict)


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

    if not request.systems:
        raise UsageError("Specify the caption files of the systems that provide the negatives.")
    if not request.metrics:
        raise UsageError(f"Specify the metrics to train: {', '.join(LETTERS)}.")
    recipes = tuple(
        recipe_of(name, vectors=request.vectors, df=request.df, parts=request.parts) for name in request.metrics
    )
    excluded: dict[str, frozenset[str]] = {}
    for path in request.exclude:
        excluded[unused_name(path, excluded)] = read_images(path)
    overlap: tuple[str, ...] = ()
    if request.judgments is not None:
        judged = captions_of("flickr8k", request.judgments)
        overlap = tuple(caption for captions in judged.values() for caption in captions)
    kept = dict(excluded)
    held_out = _side(request, request.held_out, request.systems, excluded, kept)
    watched = None if request.judgments is not None else _watched(request, excluded, kept)
    training = CompositeTraining(
        recipes,
        CaptionSources(request.references, request.systems, kept, overlap),
        watched,
        request.judgments,
        held_out,
        images=request.images,
        seeds=request.seeds,
        seed=request.seed,
        labels=request.labels,
        data_use=request.data_use,
    )
    make_folder(output)
    return train_composites(training, settings or NetworkSettings(), output, say, jobs)


def _side(
    request: CompositeRequest,
    path: Path | None,
    systems: Mapping[str, Path],
    excluded: Mapping[str, frozenset[str]],
    kept: dict[str, frozenset[str]],
) -> CaptionSources | None:
    """Return the captions of listed images, which from now on are kept from the training."""
    if path is None:
        return None
    wanted = read_images(path)
    kept[unused_name(path, kept)] = wanted
    return CaptionSources(request.references, systems, excluded, only=wanted)


def _watched(
    request: CompositeRequest, excluded: Mapping[str, frozenset[str]], kept: dict[str, frozenset[str]]
) -> CaptionSources | None:
    """Return the captions to stop by: those of listed images, or of some that are drawn."""
    systems = request.validation_systems or request.systems
    if request.validation is not None:
        return _side(request, request.validation, systems, excluded, kept)
    images = sorted(set(captions_by_image(request.references)) - {image for some in kept.values() for image in some})
    number = max(1, round(VALIDATION_SHARE * len(images)))
    chosen = np.random.default_rng([request.seed, 11]).permutation(len(images))[:number].tolist()
    kept["validation"] = frozenset(images[place] for place in chosen)
    return CaptionSources(request.references, systems, excluded, only=kept["validation"])


def network_settings(file: Path | None, given: Mapping[str, Any]) -> NetworkSettings:
    """Return the hyper-parameters: the usual ones, those of a TOML file on top, then those given."""
    check_torch()
    from caplens.train.composite.network import RANGES, NetworkSettings

    settings = NetworkSettings()
    if file is not None:
        settings = changed_settings(settings, read_toml(file), str(file), ranges=RANGES)
    typed = {name: value for name, value in given.items() if value is not None}
    return changed_settings(settings, typed, "the command", ranges=RANGES)


def unused_name(path: Path, names: Container[str]) -> str:
    """Return what a list of images is called: its file's name, or the whole path where another is called so.

    Examples
    --------
    >>> unused_name(Path("a/test.txt"), ()), unused_name(Path("b/test.txt"), ("test",))
    ('test', 'b/test.txt')
    """
    return str(path) if path.stem in names else path.stem


def read_images(path: Path) -> frozenset[str]:
    """Read a file of image ids, one per line: numbers or file names."""
    return frozenset(image_key(str(int(line)) if line.isdecimal() else line) for line in read_ids(path))
