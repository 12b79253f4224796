"""What Eval_All could have read: every feature that was tried, by group, and the captions to try them on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import numpy.typing as npt
from sources import COCO, SHARED

from caplens.api.scoring import score
from caplens.core.metric import Metric, Statistics
from caplens.corpus import PairedTable, from_pairs
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.meta.datasets.flickr8k import Flickr8kExpert
from caplens.metrics.bleu.metric import Bleu
from caplens.metrics.cider.metric import Cider
from caplens.metrics.composite.eval_all import TEXT_FEATURES, EvalAll, EvalAllC, Feature, column, meteor_precision
from caplens.metrics.embedding.soft import GreedyMatching
from caplens.metrics.embedding.wembsim import WEmbSim
from caplens.metrics.meteor.metric import Meteor
from caplens.metrics.rouge.metric import RougeL
from caplens.metrics.wmd.metric import WordMoversDistance
from caplens.text.transformations import permute_words, replace_words
from caplens.train.composite.captions import HUMAN, CaptionSources, WrittenCaptions, collect_rows

Floats = npt.NDArray[np.float64]

HELD_OUT_SYSTEMS = ("liu2017", "showandtell", "vinyals2017", "zhou2017")
"""Of the twelve: never learned from."""
CHANGES = ("WP 1.0", "WP 0.4", "RW 0.2", "RW 0.6", "RC")


def meteor_recall(metric: Metric, statistics: Statistics) -> Floats:
    """Return the weighted share of the best reference's words that are matched."""
    if not isinstance(metric, Meteor):
        raise TypeError(metric.name)
    return metric.parts(statistics.table)["recall"]


def ngram_precision(order: int) -> Feature:
    """Return the share of the candidate's n-grams that a reference has."""

    def read(metric: Metric, statistics: Statistics) -> Floats:
        found: Floats = statistics[f"matches_{order}"] / np.maximum(statistics[f"ngrams_{order}"], 1)
        return found

    return Feature("bleu", f"BLEU, precision of {order}-grams", read)


CHOSEN = {feature.name: feature for feature in TEXT_FEATURES}
GROUPS: dict[str, tuple[Feature, ...]] = {
    "SceneSim": (*TEXT_FEATURES[:2], Feature("scenesim", "SceneSim, worst reference", column("min"))),
    "WMD": (Feature("wmd", "WMD, mean over references", column("similarity")),),
    "WEmbSim": (Feature("wembsim", "WEmbSim", column("similarity")),),
    "greedy matching": (Feature("greedy_matching", "greedy matching", column("score")),),
    "METEOR": (
        Feature("meteor", "METEOR, precision", meteor_precision),
        Feature("meteor", "METEOR, recall", meteor_recall),
        CHOSEN["METEOR, order of matched words"],
    ),
    "SPICE": tuple(Feature("spice", f"SPICE, {name}", column(f"all_{name}")) for name in ("precision", "recall")),
    "SPICE objects": (
        CHOSEN["SPICE, precision of objects"],
        Feature("spice", "SPICE, recall of objects", column("object_recall")),
    ),
    "SPICE details": tuple(
        Feature("spice", f"SPICE, {name}s", column(f"{name}_f")) for name in ("attribute", "relation", "color")
    ),
    "CIDEr": (
        Feature("cider", "CIDEr, words", column("similarity_1")),
        Feature("cider", "CIDEr, bigrams", column("similarity_2")),
        Feature("cider", "CIDEr, trigrams", column("similarity_3")),
    ),
    "ROUGE-L": (
        Feature("rouge", "ROUGE-L, precision", column("precision")),
        Feature("rouge", "ROUGE-L, recall", column("recall")),
    ),
    "BLEU": tuple(ngram_precision(order) for order in (1, 2, 3)),
}
POOL = tuple(feature for group in GROUPS.values() for feature in group)
ENCODER = EvalAllC.features[-1]


def inputs(*, encoder: bool) -> tuple[Metric, ...]:
    """Return the metrics that candidates are read off."""
    return (
        *(EvalAllC() if encoder else EvalAll()).inputs,
        Bleu(),
        RougeL(),
        Cider(df="coco-val2014"),
        WordMoversDistance(combine="mean"),
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
    """Draw human captions; after each come five worse ones: `CHANGES`. Return the images that were drawn, too."""
    drawn = collect_rows(CaptionSources(COCO, (COCO / "systems",), ("wu2016",), without), images, seed, positives=1)
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
        ]
        rows.candidates.extend(" ".join(version) for version in versions)
        rows.references.extend([drawn.references[row]] * len(versions))
    return rows, {"changed": frozenset(drawn.images)}


def written_captions(
    name: str, images: int, seed: int, without: dict[str, frozenset[str]]
) -> tuple[Rows, WrittenCaptions]:
    """Draw captions of people and of the twelve systems."""
    drawn = collect_rows(CaptionSources(COCO, (COCO / "systems",), (), without), images, seed, positives=2)
    return Rows(name, drawn.candidates, drawn.references), drawn


def table(features: dict[str, Floats], names: Sequence[str]) -> Floats:
    """Return some features as columns."""
    return np.column_stack([features[name] for name in names])
