"""``caplens train critique``: from files of captions to a folder with weights.

Torch is needed here and only here: `caplens.learned.critique.model` scores without it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from caplens.core.registry import check_code
from caplens.errors import InputError, UsageError
from caplens.files.plugins import names_code
from caplens.learned.critique import config as critique_config
from caplens.learned.critique.config import CritiqueConfig
from caplens.learned.critique.image_features import ImageFeatures, read_image_features
from caplens.learned.settings import Labels
from caplens.text.transformations import get_transformation, import_transformation
from caplens.train.common import check_torch, make_folder, read_ids

Paths = Sequence[str | os.PathLike[str]]


@dataclass(frozen=True)
class TrainingInput:
    """The files that a critique learns from.

    Attributes
    ----------
    references : sequence of path
        Captions by people, by image.
    systems, samples : sequence of path
        Captions of captioning systems, and sampled ones.
    features : path, optional
        Image features.
    validation : path, optional
        Ids of the images by which training is watched; by default some are drawn.
    leave_out : sequence of path
        Ids of images that are not touched.
    start : path, optional
        The folder of a critique to go on from, with its words; its network must be of the same kind and size.
    """

    references: Paths
    systems: Paths = ()
    samples: Paths = ()
    features: str | os.PathLike[str] | None = None
    validation: str | os.PathLike[str] | None = None
    leave_out: Paths = field(default=())
    start: str | os.PathLike[str] | None = None


@dataclass(frozen=True)
class Where:
    """How a training runs.

    Attributes
    ----------
    say : callable
        Gets lines about the progress.
    device, threads : str, int, optional
        Where torch computes (on a GPU if there is one), and on how many threads.
    start : path, optional
        The folder of a critique to go on from.
    """

    say: Callable[[str], None] = lambda line: None
    device: str | None = None
    threads: int | None = None
    start: str | os.PathLike[str] | None = None


def chosen_settings(
    preset: str,
    file: str | os.PathLike[str] | None = None,
    seed: int | None = None,
    *,
    augmentation: bool = True,
    labels: Labels | None = None,
    features: bool = False,
    transformations: Sequence[str] = (),
    allow_code: bool = False,
) -> CritiqueConfig:
    """Return the settings of a preset with those of a file, and other choices, on top.

    With image features the preset ``paper`` looks at the image besides the reference, as the paper's critique does;
    the file may say otherwise. Transformations that are typed may name code if the user allows it, those of a file not.
    """
    settings = critique_config.preset(preset)
    if features and preset == "paper":
        settings = settings.changed({"network": {"context": "both"}})
    if file is not None:
        settings = critique_config.read_config(Path(file), settings)
        for name in settings.training.own_names:
            get_transformation(name)
    for name in transformations:
        if names_code(name):
            check_code(name, "transformation", allow_code)
            import_transformation(name)
        get_transformation(name)
    if transformations:
        names = (*settings.training.own_names, *transformations)
        settings = settings.changed({"training": {"transformations": ", ".join(dict.fromkeys(names))}})
    if seed is not None:
        settings = settings.changed({"training": {"seed": seed}})
    if labels is not None:
        settings = settings.changed({"training": {"labels": labels}})
    return settings if augmentation else without_augmentation(settings)


def without_augmentation(config: CritiqueConfig) -> CritiqueConfig:
    """Return a configuration whose negatives are machine captions only."""
    return replace(config, training=replace(config.training, rc=0.0, wp=0.0, rw=0.0, rp=0.0, samples=0.0, own=0.0))


def train_critique(
    folder: str | os.PathLike[str],
    config: CritiqueConfig,
    given: TrainingInput,
    say: Callable[[str], None] = lambda line: None,
    device: str | None = None,
    threads: int | None = None,
) -> str:
    """Train a critique and save it; repeat the same call to resume an interrupted training.

    Parameters
    ----------
    folder : path
        Where weights and settings go; made if it is not there.
    config : CritiqueConfig
        The settings.
    given : TrainingInput
        The captions.
    say : callable
        Gets lines about the progress.
    device, threads : str, int, optional
        Where torch computes, and on how many threads.

    Returns
    -------
    str
        The last figures on the validation images.
    """
    check_torch()
    from caplens.train.critique.captions import draw_validation, read_image_captions
    from caplens.train.critique.training import train_on

    made = make_folder(folder)
    captions = read_image_captions(given.references, given.systems, given.samples)
    for path in given.leave_out:
        captions, left_out = captions.split(read_ids(path))
        if not left_out.images:
            raise InputError(f"{path} has no id of an image with references, so nothing would be excluded.")
    captions = captions.with_negatives(config.training)
    seed = config.training.seed
    chosen = draw_validation(captions, seed) if given.validation is None else read_ids(given.validation)
    learned, watched = captions.split(chosen)
    if not watched.images or not learned.images:
        raise InputError("No image is left for training, or none for validation: check the lists of ids.")
    say(f"{len(learned):,} training images, {len(watched):,} validation images")
    if given.features is not None and config.network.context == "reference":
        say("image features are used only to find similar images: set context = 'both' in [network] to pass them on")
    where = Where(say, device, threads, given.start)
    return str(train_on(made, config, learned, watched, _features(given, config), where))


def _features(given: TrainingInput, config: CritiqueConfig) -> ImageFeatures | None:
    if given.features is not None:
        return read_image_features(os.fspath(given.features))
    if config.network.context != "reference":
        raise UsageError(f"The context {config.network.context!r} needs image features: --features FILE.")
    return None
