"""The paper's use of a critique on a captioning system: trained on one half of its captions, it scores the other half.

The halves change places, several seeds are averaged. From the same networks come the capability (eq. 10) and the
robustness (eq. 11), measured on human captions that the network has not seen.
"""

from __future__ import annotations

import hashlib
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec
import numpy as np
import numpy.typing as npt

from caplens.arrays import Floats
from caplens.errors import InputError, counted
from caplens.files.atomic import atomic_path
from caplens.learned.critique.config import CritiqueConfig
from caplens.learned.critique.image_features import read_image_features
from caplens.learned.critique.model import WEIGHTS
from caplens.meta.captions.judged import without_candidates
from caplens.meta.probes.robustness import STRENGTHS, TRANSFORMATIONS, HumanCaptions, area_under, transformed
from caplens.metrics.critique.metric import Critique
from caplens.output.document import encode
from caplens.train.common import make_folder
from caplens.train.critique.captions import ImageCaptions, draw_validation
from caplens.train.critique.request import Where

LEAST_IMAGES = 20
"""Fewer cannot be split into two halves, each with something to learn from and something to watch it by."""
RESULT = "result.json"


@dataclass(frozen=True)
class Behaviour:
    """What a critique does with captions that it has not seen; sums, so that halves and images can be put together.

    Attributes
    ----------
    images : int
        How many images were scored.
    human, machine : float
        Sums of the scores of one human caption and one machine caption an image, with the same references.
    curves : dict of str to list of float
        By transformation: sums of the scores of the human captions made worse, over `STRENGTHS`.
    """

    images: int
    human: float
    machine: float
    curves: dict[str, list[float]]

    def __add__(self, other: Behaviour) -> Behaviour:
        curves = {
            kind: [ours + theirs for ours, theirs in zip(values, other.curves[kind], strict=True)]
            for kind, values in self.curves.items()
        }
        return Behaviour(self.images + other.images, self.human + other.human, self.machine + other.machine, curves)

    @property
    def score(self) -> float:
        """The mean score of the machine captions: the score of the system."""
        return self.machine / self.images

    @property
    def human_score(self) -> float:
        """The mean score of the human captions."""
        return self.human / self.images

    @property
    def capability(self) -> float:
        """The mean of the score of human captions and of one minus that of machine captions, eq. 10."""
        return (self.human + self.images - self.machine) / (2 * self.images)

    def normalised(self, kind: str) -> Floats:
        """Return the curve of a transformation, relative to the human captions."""
        return np.array(self.curves[kind]) / self.human

    def area(self, kind: str) -> float:
        """Return the area under the normalised curve, eq. 11."""
        return float(area_under(self.normalised(kind)))


def observe(
    weights: Path, captions: ImageCaptions, seed: int, tokenizer: str = "ptb", features: str | None = None
) -> Behaviour:
    """Score one human caption and one machine caption of each image, and the human ones made worse.

    Both have the same references: the image's other captions. Images without two different human captions, or without
    a machine caption, are left out.
    """
    generator = np.random.default_rng([seed, 3])
    human = HumanCaptions([], [], [])
    machine: dict[str, str] = {}
    for image, texts, theirs in zip(captions.images, captions.human, captions.machine, strict=True):
        candidate = texts[int(generator.integers(len(texts)))]
        (others,) = without_candidates([candidate], [tuple(texts)])
        if others and theirs:
            human.images.append(image)
            human.candidates.append(candidate)
            human.references.append(others)
            machine[image] = theirs[int(generator.integers(len(theirs)))]
    if len(machine) < 2:
        raise InputError("There are no two images with a machine caption and two different human captions.")
    metric = Critique(weights=str(weights), tokenizer=tokenizer, features=features)
    prepared = metric.prepare(dict(zip(human.images, human.references, strict=True)))

    def total(candidates: list[str]) -> float:
        scores = metric(dict(zip(human.images, candidates, strict=True)), prepared)
        return float(scores["Critique"].item_scores.sum())

    if features is not None:
        human = replace(human, features=read_image_features(features).of(human.images))
    unchanged = total(human.candidates)
    curves = {
        kind: [unchanged, *(total(transformed(human, kind, strength, seed, tokenizer)) for strength in STRENGTHS[1:])]
        for kind in TRANSFORMATIONS
    }
    return Behaviour(len(machine), unchanged, total(list(machine.values())), curves)


@dataclass(frozen=True)
class Protocol:
    """Settings of the two-fold protocol.

    Attributes
    ----------
    config : CritiqueConfig
        Of every network.
    seeds : int
        How often everything is repeated.
    images : int
        Images that are used; 0 for all.
    features : str, optional
        File of image features.
    """

    config: CritiqueConfig
    seeds: int = 3
    images: int = 0
    features: str | None = None

    def evaluate(self, folder: Path, name: str, captions: ImageCaptions, where: Where) -> list[Behaviour]:
        """Return what the critiques of a system do, one entry a seed; what was done before is not repeated."""
        usable = [place for place, theirs in enumerate(captions.machine) if theirs]
        if self.images:
            generator = np.random.default_rng(self.config.training.seed)
            usable = sorted(generator.permutation(usable)[: self.images].tolist())
        check_enough(len(usable), name)
        chosen = captions.take(usable)
        return [self._one_seed(folder / name / f"seed{seed}", chosen, seed, where) for seed in range(self.seeds)]

    def _one_seed(self, folder: Path, captions: ImageCaptions, seed: int, where: Where) -> Behaviour:
        config = self.config.changed({"training": {"seed": self.config.training.seed + seed}})
        order = np.random.default_rng([config.training.seed, 4]).permutation(len(captions)).tolist()
        halves = order[: len(order) // 2], order[len(order) // 2 :]
        found = None
        for number, (learned, scored) in enumerate((halves, halves[::-1])):
            place = make_folder(folder / f"fold{number}")
            sides = captions.take(sorted(learned)), captions.take(sorted(scored))
            half = train_and_observe(place, config, *sides, self.features, where)
            found = half if found is None else found + half
        if found is None:
            raise ValueError("there are two halves")
        return found


def check_enough(images: int, name: str) -> None:
    """Refuse to split too few images."""
    if images < LEAST_IMAGES:
        raise InputError(
            f"{name}: {counted(images, 'image')} with captions of both, at least {LEAST_IMAGES} are needed to split."
        )


def train_and_observe(
    folder: Path,
    config: CritiqueConfig,
    learned: ImageCaptions,
    scored: ImageCaptions,
    features: str | None,
    where: Where,
) -> Behaviour:
    """Train on some images, measure on others; what was done before is not repeated."""
    from caplens.train.critique.training import train_on

    vectors = None if features is None else read_image_features(features)
    inputs = _fingerprint(config, learned, scored, None if vectors is None else vectors.of(learned.images))
    done = _read_result(folder, inputs)
    if done is not None:
        return done
    seed = config.training.seed
    training, watched = learned.split(draw_validation(learned, seed))
    train_on(folder, config, training, watched, vectors, where)
    found = observe(folder, scored, seed, config.words.tokenizer, features)
    with atomic_path(folder / RESULT) as temporary:
        temporary.write_bytes(encode({"inputs": inputs, **found.__dict__}))
    return found


def mean_and_spread(values: list[float]) -> tuple[float, float | None]:
    """Return the mean and, of several values, the standard deviation.

    Examples
    --------
    >>> mean_and_spread([1.0, 2.0, 3.0]), mean_and_spread([0.5])
    ((2.0, 1.0), (0.5, None))
    """
    return float(np.mean(values)), float(np.std(values, ddof=1)) if len(values) > 1 else None


def _fingerprint(
    config: CritiqueConfig, learned: ImageCaptions, scored: ImageCaptions, features: npt.NDArray[np.float32] | None
) -> str:
    """Return a hash of all that a result depends on."""
    parts = [[some.images, some.human, some.machine, some.samples] for some in (learned, scored)]
    digest = hashlib.sha256(encode([config.to_toml(), parts]))
    digest.update(b"" if features is None else np.ascontiguousarray(features).tobytes())
    return digest.hexdigest()[:12]


def _read_result(folder: Path, inputs: str) -> Behaviour | None:
    """Return what was measured before with the same settings and captions."""
    path = folder / RESULT
    if not path.exists() or not (folder / WEIGHTS).exists():
        return None
    data: dict[str, Any] = msgspec.json.decode(path.read_bytes())
    if data.pop("inputs", None) != inputs:
        raise InputError(
            f"{folder} contains a result with other settings, captions or images: choose another folder or remove it."
        )
    return Behaviour(**data)
