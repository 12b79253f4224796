"""What the composites are fitted to: features of judged captions, and of human captions and worse versions of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from sources import SHARED, captions_of_people, older_systems
from variants import VARIANTS

from caplens.api.scoring import score
from caplens.arrays import Floats
from caplens.core.metric import Metric, Statistics
from caplens.corpus import PairedTable, from_pairs
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.meta.datasets.flickr8k import Flickr8kExpert
from caplens.metrics.combination.base import InputScore
from caplens.metrics.composite.trained import find_feature
from caplens.text.transformations import permute_words, repeat_words, replace_words
from caplens.train.composite.captions import HUMAN, CaptionSources, collect_rows

CHANGES = ("WP 1.0", "WP 0.4", "RW 0.2", "RW 0.6", "RC", "RP 1.0")


@dataclass(frozen=True, eq=False)
class Rows:
    """Captions to read features off, under a name by which the result is kept."""

    name: str
    candidates: list[str]
    references: list[tuple[str, ...]]


def read_features(rows: Rows, folder: Path) -> dict[str, Floats]:
    """Return the features of all variants by name; what an earlier run has read is taken from the folder.

    A feature that does not exist is 0.
    """
    path = folder / f"{rows.name}.safetensors"
    if not path.is_file():
        ids = [str(place) for place in range(len(rows.candidates))]
        corpus = from_pairs(PairedTable(ids, rows.candidates, rows.references, rows.name))
        metrics = tuple(dict.fromkeys(metric for kind in VARIANTS for metric in kind.inputs))
        done = {one.metric: one.statistics for one in score(corpus, metrics=metrics).runs}
        names = dict.fromkeys(name for kind in VARIANTS for name in kind.features)
        found = {name: read(find_feature(name, metrics), metrics, done) for name in names}
        with atomic_path(path) as temporary:
            write_arrays(temporary, found, {})
    return dict(read_arrays(path))


def read(feature: InputScore, metrics: Sequence[Metric], done: Mapping[Metric, Statistics]) -> Floats:
    """Return a score of a metric, or a part of one, of each row."""
    metric = metrics[feature.metric]
    statistics = done[metric]
    if feature.part is None:
        found = metric.item_scores(statistics)[:, feature.place]
    else:
        found = metric.parts_of(statistics.table, np.ones(len(statistics)))[:, feature.place, feature.part]
    return np.ascontiguousarray(np.nan_to_num(found))


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
