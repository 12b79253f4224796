"""How much of a human caption's score a metric still gives when the caption is made worse."""

from __future__ import annotations

import zlib
from dataclasses import dataclass, field, replace
from functools import cached_property
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.arrays import Floats, Singles
from caplens.core.options import option
from caplens.core.selection import MetricRequest
from caplens.errors import InputError, UsageError
from caplens.files.telling import said, setting
from caplens.learned.critique.image_features import read_image_features
from caplens.meta.captions.judged import equal_words, letters_and_digits, without_candidates
from caplens.meta.drawing import Figure, curves_over_strengths
from caplens.meta.image_captions import (
    ChosenCaptions,
    captions_by_image,
    captions_of,
    listed_captions,
    unseen_captions,
)
from caplens.meta.outcome import INLINED, LeftOut, Outcome, Resamples
from caplens.meta.published import cui2018
from caplens.meta.scoring import OwnScores, ScoreFacts, score_variants
from caplens.meta.study import NO_DATA, PathLike, Preset, Resampled, Resampling, WithCaptions
from caplens.output.document import number
from caplens.output.tables import Column, NumberTable, Value
from caplens.stats.resampling import Units, bootstrap_sums, percentile_interval
from caplens.stats.sums import column_sums
from caplens.text.neighbours import SparseRows, nearest_rows, rarity_vectors
from caplens.text.tokenizers import get_tokenizer
from caplens.text.transformations import (
    get_transformation,
    import_transformation,
    permute_words,
    repeat_words,
    replace_words,
)

TRANSFORMATIONS = {
    "RC": "a caption of a similar image",
    "WP": "words permuted",
    "RW": "words replaced by random ones",
    "RP": "last words repeated",
}
STRENGTHS = (0.0, 0.2, 0.4, 0.6, 0.8, 1.0)


@dataclass(frozen=True, eq=False)
class HumanCaptions:
    """One caption of each image as candidate, the others as its references; features of the images if there are any."""

    images: list[str]
    candidates: list[str]
    references: list[tuple[str, ...]]
    features: Singles | None = None

    @cached_property
    def vectors(self) -> Singles | SparseRows:
        """What is near for near images: their features (eq. 7), else what their references say."""
        if self.features is not None:
            return self.features
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

    ``strength`` is the share of words that WP, RW and RP concern, and the share of the other images, the nearest ones,
    from which RC draws. Without features of images, near are those whose references have the same rare words. Any
    other kind is a transformation of the user's own.
    """
    if strength == 0:
        return human.candidates
    number = list(TRANSFORMATIONS).index(kind) if kind in TRANSFORMATIONS else zlib.crc32(kind.encode())
    generator = np.random.default_rng([seed, number, round(1e6 * strength)])
    if kind not in TRANSFORMATIONS:
        make_worse = get_transformation(kind)
        return [make_worse(candidate, strength, generator) for candidate in human.candidates]
    if kind == "RC":
        same = list(map(letters_and_digits, human.candidates))
        others = nearest_rows(human.vectors, strength, generator, same)
        return [human.candidates[other] for other in others]
    tokenize = get_tokenizer(tokenizer).tokenize
    words = [tokenize(candidate) for candidate in human.candidates]
    if kind == "WP":
        return [" ".join(permute_words(caption, strength, generator)) for caption in words]
    if kind == "RP":
        return [" ".join(repeat_words(caption, strength)) for caption in words]
    vocabulary = sorted({word for caption in words for word in caption})
    return [" ".join(replace_words(caption, strength, vocabulary, generator)) for caption in words]


@dataclass(frozen=True)
class StrengthCurve:
    """Mean scores over strengths relative to the human captions', and the area under them with its interval."""

    curve: list[float | None]
    R: float | None
    interval: tuple[float | None, float | None]


@dataclass(frozen=True)
class RobustnessFigures:
    """How a metric reacts to each transformation."""

    score: ScoreFacts = field(metadata=INLINED)
    by_kind: dict[str, StrengthCurve] = field(metadata=INLINED)


@dataclass(frozen=True, eq=False, kw_only=True, repr=False)
class RobustnessOutcome(Outcome):
    """How much of a human caption's score each metric still gives when the caption is made worse."""

    preset: Preset
    n: int
    left_out: dict[str, LeftOut] = field(default_factory=dict)
    images_of: str
    near_by: str = "the words of their references"
    strengths: list[float]
    transformations: dict[str, str]
    resampling: Resamples
    metrics: dict[str, RobustnessFigures]

    def tables(self) -> tuple[NumberTable, ...]:
        """Return one line per metric and transformation."""
        columns = [Column("metric"), Column("change"), Column("R"), Column("low"), Column("high")]
        columns += [Column(f"at {strength:g}", ".2f") for strength in self.strengths]
        rows: tuple[tuple[Value, ...], ...] = tuple(
            (key, kind, entry.R, *entry.interval, *entry.curve)
            for key, figures in self.metrics.items()
            for kind, entry in figures.by_kind.items()
        )
        how = self.resampling
        notes = (
            "R: area under the mean score over strengths, relative to the human caption; lower is better. "
            + "; ".join(f"{kind}: {what}" for kind, what in self.transformations.items())
            + ".",
            f"n = {self.n:,} images, drawn from {self.images_of}; one caption of each is the candidate, the others are "
            "its references. RC draws from the most similar images (the strength is their share of all images), "
            "compared by "
            f"{self.near_by}; seed {how.seed}.",
            f"low, high: 95 % bootstrap interval, {how.resamples:,} resamples of images.",
        )
        return (NumberTable("robustness: degraded captions", tuple(columns), rows, notes),)

    def figure(self) -> Figure:
        """Draw one panel a transformation and one line per metric."""
        main = {
            key: {kind: entry.curve for kind, entry in figures.by_kind.items()}
            for key, figures in self.metrics.items()
            if figures.score.detail_of is None
        }
        return curves_over_strengths(self.strengths, self.transformations, main)


@dataclass(frozen=True)
class Robustness(WithCaptions, Resampled):
    """The curve of each metric over strengths, for every transformation, and its area R."""

    name: ClassVar[str] = "robustness"
    data_help: ClassVar[str] = "folder with the COCO captions"
    needs_data: ClassVar[bool] = False
    takes_scores: ClassVar[bool] = False
    published: ClassVar[Preset] = Preset(cui2018.NAME, f"{cui2018.SOURCE}, figure 6")

    references: tuple[str, ...] = option((), "files of human captions to use instead of COCO's", metavar="FILE")
    image_list: PathLike | None = option(None, "file of image ids to sample from, one per line", metavar="FILE")
    images: int = option(1000, "number of images to sample", least=2)
    features: str | None = option(None, "image features used to find similar images (.npz, .h5, ...)", metavar="FILE")
    transformation: tuple[str, ...] = option(
        (),
        "custom transformation: a registered name, or module:function with --allow-code",
        metavar="NAME",
        load=import_transformation,
    )

    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> RobustnessOutcome:
        """Score human captions, and the same made worse."""
        options = self.scoring(metrics)
        captions, source = self._chosen(data)
        human = draw_captions(captions, self.images, self.seed)
        if self.features is not None:
            human = replace(human, features=read_image_features(self.features).of(human.images))
        kinds = TRANSFORMATIONS | {name: get_transformation(name).title for name in self.transformation}
        variants = {("human", 0.0): human.candidates}
        for kind in kinds:
            for strength in STRENGTHS[1:]:
                variants[kind, strength] = transformed(human, kind, strength, self.seed, self.tokenizer)
        scored = score_variants(options, human.images, variants, human.references)
        unchanged = scored["human", 0.0]
        units = Units.of(human.images)

        def curve(key: str, kind: str) -> StrengthCurve:
            changed = [scored[kind, strength].columns[key] for strength in STRENGTHS[1:]]
            return strength_curve(np.column_stack([unchanged.columns[key], *changed]), units, self.resampling)

        return RobustnessOutcome(
            study=self.name,
            preset=self.published,
            n=len(human.images),
            images_of=source,
            near_by="the words of their references" if self.features is None else "image features",
            strengths=list(STRENGTHS),
            transformations=kinds,
            resampling=self.resampling.of(units, "images"),
            metrics={
                key: RobustnessFigures(unchanged.describe(key), {kind: curve(key, kind) for kind in kinds})
                for key in unchanged.columns
            },
            warnings=unchanged.notices,
        )

    def _chosen(self, data: Path) -> ChosenCaptions:
        """Return the captions of each image, and which images these are."""
        if self.references:
            names = ", ".join(Path(path).name for path in self.references)
            captions = captions_by_image(self.references)
            if self.image_list is not None:
                return listed_captions(captions, Path(self.image_list), names)
            return ChosenCaptions(captions, f"all {len(captions):,} images of {names}")
        if data == NO_DATA and self.captions is None:
            raise UsageError(
                f"The study 'robustness' needs human captions: specify files "
                f"({said('-r FILE', 'references=...')}), or the folder with those of COCO ({setting('data', 'DIR')})."
            )
        if self.image_list is not None:
            captions = captions_of("coco", self.captions_in(data))
            return listed_captions(captions, Path(self.image_list), "COCO val2014")
        return unseen_captions("coco", self.captions_in(data))


def area_under(curves: Floats) -> Floats:
    """Return the area under curves over `STRENGTHS`, which is the last axis.

    Examples
    --------
    >>> float(area_under(np.ones(len(STRENGTHS))).round(6))
    1.0
    """
    areas: Floats = ((curves[..., 1:] + curves[..., :-1]) / 2 * np.diff(STRENGTHS)).sum(axis=-1)
    return areas


def strength_curve(table: Floats, units: Units, resampling: Resampling) -> StrengthCurve:
    """Return the curve of scores whose columns are the strengths; rows without one of the scores are left out."""
    known = np.flatnonzero(np.isfinite(table).all(axis=1))
    sums = column_sums(table[known])
    drawn = bootstrap_sums(table[known], units.take(known), resampling.resamples, resampling.seed, resampling.threads)
    with np.errstate(divide="ignore", invalid="ignore"):
        curve, curves = sums / sums[0], drawn / drawn[:, :1]
    low, high = percentile_interval(area_under(curves))
    return StrengthCurve(
        [number(value) for value in curve.tolist()], number(float(area_under(curve))), (number(low), number(high))
    )
