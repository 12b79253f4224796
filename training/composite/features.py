"""What Eval_All could have read: every feature that was tried, by group, and the captions to try them on."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sources import SHARED, captions_of_people, older_systems
from variants import ENCODER_FEATURE, EVAL_ALL, EVAL_ALL_C

from caplens.api.scoring import score
from caplens.arrays import Floats
from caplens.core.metric import Metric, Statistics
from caplens.corpus import PairedTable, from_pairs
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.meta.datasets.flickr8k import Flickr8kExpert
from caplens.metrics.bleu.metric import Bleu
from caplens.metrics.cider.metric import Cider
from caplens.metrics.composite.trained import find_feature
from caplens.metrics.embedding.soft import GreedyMatching
from caplens.metrics.embedding.wembsim import WEmbSim
from caplens.metrics.rouge.metric import RougeL
from caplens.metrics.wmd.metric import WordMoversDistance
from caplens.text.transformations import permute_words, repeat_words, replace_words
from caplens.train.composite.captions import HUMAN, CaptionSources, collect_rows

CHANGES = ("WP 1.0", "WP 0.4", "RW 0.2", "RW 0.6", "RC", "RP 1.0")


@dataclass(frozen=True)
class Feature:
    """A number that is read off the statistics of a metric; where it does not exist, it is 0.

    Attributes
    ----------
    source : str
        The name of the metric.
    name : str
        What it is: ``KEY`` or ``KEY.part`` where the metric declares it.
    read : callable
        Makes it from the metric and its statistics, one number a row.
    """

    source: str
    name: str
    read: Callable[[Metric, Statistics], Floats]


def declared(source: str, name: str) -> Feature:
    """Return a score of a metric, or a part of one."""

    def read(metric: Metric, statistics: Statistics) -> Floats:
        found = find_feature(name, [metric])
        if found.part is None:
            return np.nan_to_num(metric.item_scores(statistics)[:, found.place])
        return np.nan_to_num(metric.parts_of(statistics.table, np.ones(len(statistics)))[:, found.place, found.part])

    return Feature(source, name, read)


def column(source: str, name: str, column_name: str) -> Feature:
    """Return a column of the statistics."""
    return Feature(source, name, lambda metric, statistics: statistics[column_name])


def ngram_precision(order: int) -> Feature:
    """Return the share of the candidate's n-grams that a reference has."""

    def read(metric: Metric, statistics: Statistics) -> Floats:
        found: Floats = statistics[f"matches_{order}"] / np.maximum(statistics[f"ngrams_{order}"], 1)
        return found

    return Feature("bleu", f"BLEU, precision of {order}-grams", read)


GROUPS: dict[str, tuple[Feature, ...]] = {
    "SceneSim": tuple(declared("scenesim", f"SceneSim.{part}") for part in ("mean", "max", "min")),
    "WMD": (declared("wmd", "WMD"),),
    "scores of COCO": tuple(
        declared(source, key) for source, key in (("meteor", "METEOR"), ("spice", "SPICE"), ("cider", "CIDEr"))
    ),
    "WEmbSim": (declared("wembsim", "WEmbSim"),),
    "greedy matching": (declared("greedy_matching", "GreedyMatchingScore"),),
    "METEOR": tuple(declared("meteor", f"METEOR.{part}") for part in ("precision", "recall", "order")),
    "SPICE": tuple(declared("spice", f"SPICE.{part}") for part in ("precision", "recall")),
    "SPICE objects": tuple(declared("spice", f"SPICE_Object.{part}") for part in ("precision", "recall")),
    "SPICE details": tuple(declared("spice", f"SPICE_{name}") for name in ("Attribute", "Relation", "Color")),
    "CIDEr": (
        column("cider", "CIDEr, words", "similarity_1"),
        column("cider", "CIDEr, bigrams", "similarity_2"),
        column("cider", "CIDEr, trigrams", "similarity_3"),
    ),
    "ROUGE-L": (
        column("rouge", "ROUGE-L, precision", "precision"),
        column("rouge", "ROUGE-L, recall", "recall"),
    ),
    "BLEU": tuple(ngram_precision(order) for order in (1, 2, 3)),
}
POOL = tuple(feature for group in GROUPS.values() for feature in group)
ENCODER = declared("wembsim_c", ENCODER_FEATURE)


def inputs(*, encoder: bool) -> tuple[Metric, ...]:
    """Return the metrics that candidates are read off."""
    return (
        *(EVAL_ALL_C if encoder else EVAL_ALL).inputs,
        Bleu(),
        RougeL(),
        Cider(df="coco-train2014"),
        WordMoversDistance(),
        WEmbSim(),
        GreedyMatching(combine="mean", remove_stop_words=True),
    )


@dataclass(frozen=True, eq=False)
class Rows:
    """Captions to read features off, under a name by which the result is kept."""

    name: str
    candidates: list[str]
    references: list[tuple[str, ...]]


def read_features(rows: Rows, folder: Path, *, encoder: bool) -> dict[str, Floats]:
    """Return the features by name; what an earlier run has read is taken from the folder."""
    path = folder / f"{rows.name}.safetensors"
    if not path.is_file():
        metrics = inputs(encoder=encoder)
        ids = [str(place) for place in range(len(rows.candidates))]
        corpus = from_pairs(PairedTable(ids, rows.candidates, rows.references, rows.name))
        done = {one.metric.name: one for one in score(corpus, metrics=metrics).runs}
        wanted = (*POOL, ENCODER) if encoder else POOL
        found = {
            feature.name: np.ascontiguousarray(
                feature.read(done[feature.source].metric, done[feature.source].statistics)
            )
            for feature in wanted
        }
        with atomic_path(path) as temporary:
            write_arrays(temporary, found, {})
    return dict(read_arrays(path))


@dataclass(frozen=True, eq=False)
class Judged:
    """Captions of Flickr8k-Expert without those that are among their own references, and their three ratings."""

    rows: Rows
    images: list[str]
    ratings: Floats


def judged() -> Judged:
    """Read Flickr8k-Expert."""
    found = Flickr8kExpert.presets()[0].judged(SHARED / "flickr8k").judged
    return Judged(Rows("expert", found.candidates, found.references), found.images, found.ratings["rating"])


def changed_captions(
    images: int, seed: int, without: dict[str, frozenset[str]]
) -> tuple[Rows, dict[str, frozenset[str]]]:
    """Draw human captions; after each come six worse ones: `CHANGES`. Return the images that were drawn, too."""
    sources = CaptionSources(captions_of_people(), older_systems(["wu2016"]), without)
    drawn = collect_rows(sources, images, seed, 1, 0)
    human = [place for place, writer in enumerate(drawn.writers) if writer == HUMAN]
    captions = [drawn.candidates[place].lower().rstrip(". ").split() for place in human]
    vocabulary = sorted({word for caption in captions for word in caption})
    generator = np.random.default_rng(seed)
    rows = Rows("changed", [], [])
    for place, (row, words) in enumerate(zip(human, captions, strict=True)):
        other = (place + int(generator.integers(1, len(human)))) % len(human)
        versions = [
            words,
            permute_words(words, 1.0, generator),
            permute_words(words, 0.4, generator),
            replace_words(words, 0.2, vocabulary, generator),
            replace_words(words, 0.6, vocabulary, generator),
            captions[other],
            repeat_words(words, 1.0),
        ]
        rows.candidates.extend(" ".join(version) for version in versions)
        rows.references.extend([drawn.references[row]] * len(versions))
    return rows, {"changed": frozenset(drawn.images)}


def table(features: dict[str, Floats], names: Sequence[str]) -> Floats:
    """Return some features as columns."""
    return np.column_stack([features[name] for name in names])
