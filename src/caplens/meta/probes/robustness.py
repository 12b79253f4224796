"""How much of a human caption's score a metric still gives when the caption is made worse."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from caplens.errors import InputError, UsageError
from caplens.meta.captions.judged import equal_words, without_candidates
from caplens.meta.captions.study import Resampling
from caplens.meta.correlations import plain
from caplens.meta.image_captions import captions_of
from caplens.meta.scoring import ScoringOptions, score_variants
from caplens.meta.study import Study
from caplens.output.tables import Column, NumberTable, Value
from caplens.stats.resampling import Units, bootstrap_sums, percentile_interval
from caplens.stats.sums import column_sums
from caplens.text.neighbours import nearest_rows, rarity_vectors
from caplens.text.tokenizers import get_tokenizer
from caplens.text.transformations import permute_words, replace_words

if TYPE_CHECKING:
    from scipy.sparse import csr_matrix

Floats = npt.NDArray[np.float64]

TRANSFORMATIONS = {"RC": "a caption of a near image", "WP": "words permuted", "RW": "words replaced by random ones"}
STRENGTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)
IMAGES = 1000
"""How many images are drawn unless another number is asked for."""


@dataclass(frozen=True, eq=False)
class HumanCaptions:
    """One caption of each image as candidate, the others as its references."""

    images: list[str]
    candidates: list[str]
    references: list[tuple[str, ...]]

    @cached_property
    def reference_vectors(self) -> csr_matrix:
        """What the references of each image say; images with near vectors are similar as far as captions tell."""
        words = equal_words()
        return rarity_vectors([[word for text in theirs for word in words(text)] for theirs in self.references])


def draw_captions(captions: dict[str, tuple[str, ...]], number: int, seed: int) -> HumanCaptions:
    """Draw images and a caption of each; a candidate is never among its references.

    Parameters
    ----------
    captions : dict of str to tuple of str
        The captions of each image.
    number : int
        How many images to draw; fewer where there are not so many with two different captions.
    seed : int
        Of the draw.
    """
    generator = np.random.default_rng(seed)
    names = sorted(captions)
    images, candidates, references = [], [], []
    for place in generator.permutation(len(names)).tolist():
        texts = captions[names[place]]
        candidate = texts[int(generator.integers(len(texts)))]
        (others,) = without_candidates([candidate], [texts])
        if others:
            images.append(names[place])
            candidates.append(candidate)
            references.append(others)
        if len(images) == number:
            break
    if len(images) < 2:
        raise InputError("Robustness needs at least two images with two different captions each.")
    return HumanCaptions(images, candidates, references)


def transformed(human: HumanCaptions, kind: str, strength: float, seed: int, tokenizer: str = "ptb") -> list[str]:
    """Return the candidates made worse.

    ``strength`` is the share of words that WP and RW concern, and the share of the other images, the nearest ones, from
    which RC draws. Without features of images, near are those whose references have the same rare words.
    """
    if strength == 0:
        return human.candidates
    generator = np.random.default_rng([seed, list(TRANSFORMATIONS).index(kind), round(1e6 * strength)])
    if kind == "RC":
        same = list(map(equal_words(), human.candidates))
        others = nearest_rows(human.reference_vectors, strength, generator, same)
        return [human.candidates[other] for other in others]
    tokenize = get_tokenizer(tokenizer).tokenize
    words = [tokenize(candidate) for candidate in human.candidates]
    if kind == "WP":
        return [" ".join(permute_words(caption, strength, generator)) for caption in words]
    vocabulary = sorted({word for caption in words for word in caption})
    return [" ".join(replace_words(caption, strength, vocabulary, generator)) for caption in words]


def robustness_study(
    folder: Path, options: ScoringOptions, resampling: Resampling, images: int = IMAGES, source: str = "coco"
) -> Study:
    """Draw the curve of each metric over strengths, for every transformation, and its area R.

    Parameters
    ----------
    folder : pathlib.Path
        Where the captions of the image set lie.
    options, resampling
        What to score with, and how intervals (over images) are drawn.
    images : int
        How many images.
    source : {"coco", "flickr8k", "flickr30k"}
        The image set.
    """
    if options.selection is None:
        raise UsageError("Robustness needs metrics: changed captions cannot be looked up in a file of scores.")
    human = draw_captions(captions_of(source, folder), images, resampling.seed)
    variants = {"human": human.candidates}
    for kind in TRANSFORMATIONS:
        for strength in STRENGTHS[1:]:
            variants[f"{kind} {strength}"] = transformed(human, kind, strength, resampling.seed, options.tokenizer)
    scores = score_variants(options, human.images, variants, human.references)
    units = Units.of(human.images)
    metrics: dict[str, Any] = {}
    for key in scores["human"].columns:
        metrics[key] = {**scores["human"].describe(key)}
        for kind in TRANSFORMATIONS:
            names = ["human", *(f"{kind} {strength}" for strength in STRENGTHS[1:])]
            table = np.column_stack([scores[name].columns[key] for name in names])
            metrics[key][kind] = _curve(table, units, resampling)
    data: dict[str, Any] = {
        "preset": {"name": "001", "source": "Learning to evaluate image captioning (Cui et al., CVPR 2018), figure 6"},
        "n": len(human.images),
        "left_out": {},
        "images_of": source,
        "strengths": list(STRENGTHS),
        "transformations": TRANSFORMATIONS,
        "resampling": resampling.facts(units, "images"),
        "metrics": metrics,
    }
    return Study("robustness", data, (_table(data),), scores["human"].notices)


def area_under(curves: Floats) -> Floats:
    """Return the area under curves over `STRENGTHS`, which is the last axis.

    Examples
    --------
    >>> float(area_under(np.ones(len(STRENGTHS))).round(6))
    1.0
    """
    areas: Floats = ((curves[..., 1:] + curves[..., :-1]) / 2 * np.diff(STRENGTHS)).sum(axis=-1)
    return areas


def _curve(table: Floats, units: Units, resampling: Resampling) -> dict[str, Any]:
    """Return mean scores over strengths relative to the human captions', and the area under them with its interval."""
    known = np.flatnonzero(np.isfinite(table).all(axis=1))
    sums = column_sums(table[known])
    drawn = bootstrap_sums(table[known], units.take(known), resampling.resamples, resampling.seed, resampling.threads)
    with np.errstate(divide="ignore", invalid="ignore"):
        curve, curves = sums / sums[0], drawn / drawn[:, :1]
    return {
        "curve": [plain(value) for value in curve.tolist()],
        "R": plain(float(area_under(curve))),
        "interval": [plain(bound) for bound in percentile_interval(area_under(curves))],
    }


def _table(data: dict[str, Any]) -> NumberTable:
    columns = [Column("metric"), Column("change"), Column("R"), Column("low"), Column("high")]
    columns += [Column(f"at {strength:g}", ".2f") for strength in data["strengths"]]
    rows = []
    for key, entry in data["metrics"].items():
        for kind in TRANSFORMATIONS:
            cells: list[Value] = [key, kind, entry[kind]["R"], *entry[kind]["interval"], *entry[kind]["curve"]]
            rows.append(tuple(cells))
    notes = (
        "R: area under the mean score over strengths, the human caption's being 1; lower is better. "
        + "; ".join(f"{kind}: {what}" for kind, what in TRANSFORMATIONS.items())
        + ".",
        f"n = {data['n']:,} images of {data['images_of']}, one caption each as candidate, the others as references; "
        "RC draws from the nearest images, a share of the strength of all, near by the words of their references; "
        f"seed {data['resampling']['seed']}.",
        f"low, high: 95 % bootstrap interval, {data['resampling']['resamples']:,} resamples of images.",
    )
    return NumberTable("robustness: captions made worse", tuple(columns), tuple(rows), notes)
