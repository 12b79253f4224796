"""Fit the composite metrics that ship and their controls, and measure them in folds.

    python training/composite/fit_composites.py --run RUN [--install]

prints the figures in folds of docs/composite.md and writes RUN/Eval_*.safetensors, and those of the controls (shuffled
and inverted ratings) to RUN/shuffled and RUN/inverted; features are read once and kept in RUN.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections.abc import Sequence
from dataclasses import dataclass, replace
from hashlib import blake2b
from pathlib import Path

import numpy as np
from features import CHANGES, changed_captions, judged, read_features, table
from monotone import MonotoneLogistic, Targets, disjoint_folds, fit
from sources import COCO, judged_images, say
from variants import DATA_USE, VARIANTS, Variant

from caplens._version import __version__
from caplens.arrays import Floats, Integers
from caplens.meta.captions.judged import equal_words
from caplens.metrics.combination.normalizing import FOLDER
from caplens.metrics.composite.trained import SUFFIX
from caplens.stats.correlation import SortedPairs
from caplens.train.composite.scores import facts_of

FOLDS, SEED = 5, 1
FEATURES = "[a-z]*.safetensors"  # what `read_features` keeps
PREFERENCE = 0.1
LABELS = ("true", "shuffled", "inverted")
SPLITS = ("karpathy_val", "karpathy_test")


@dataclass(frozen=True, eq=False)
class Bench:
    """Everything that is measured on: features of judged captions, and of captions with six worse versions.

    ``changed_images`` are those of the latter: their second half is tested on.
    """

    features: dict[str, Floats]
    images: list[str]
    captions: list[str]
    ratings: Floats
    changed: dict[str, Floats]
    changed_images: dict[str, frozenset[str]]

    @property
    def wanted(self) -> Floats:
        """The mean rating of each caption, from 0 to 1."""
        return (self.ratings.mean(axis=1) - 1) / 3

    def labelled(self, labels: str) -> Bench:
        """Return the same with the ratings as they are, or for controls: shuffled, or inverted."""
        if labels == "shuffled":
            return replace(self, ratings=np.random.default_rng(SEED).permutation(self.ratings))
        return replace(self, ratings=5 - self.ratings) if labels == "inverted" else self

    def tau(self, scores: Floats) -> float:
        """Return tau-c with the single ratings."""
        pairs = SortedPairs(np.repeat(scores, 3), self.ratings.ravel())
        return float(pairs.coefficients(np.ones((1, self.ratings.size)))["kendall_c"][0])

    def interval(self, scores: Floats) -> list[float]:
        """Return the 95 % interval of tau-c over 1,000 resamples of images."""
        distinct, places = np.unique(self.images, return_inverse=True)
        generator = np.random.default_rng(SEED)
        pairs = SortedPairs(np.repeat(scores, 3), self.ratings.ravel())
        found: list[float] = []
        for _ in range(20):
            counts = generator.multinomial(len(distinct), np.full(len(distinct), 1 / len(distinct)), 50)
            drawn = np.repeat(counts[:, places], 3, axis=1).astype(np.float64)
            found.extend(pairs.coefficients(drawn)["kendall_c"].tolist())
        return np.percentile(found, [2.5, 97.5]).tolist()

    def versions(self, names: Sequence[str]) -> Floats:
        """Return the features of human captions and their worse versions, shape (captions, versions, features)."""
        return table(self.changed, names).reshape(-1, len(CHANGES) + 1, len(names))

    def fit(self, names: Sequence[str], rows: Integers) -> MonotoneLogistic:
        """Fit to the ratings of some captions, and to the first half of the worse versions."""
        versions = self.versions(names)
        versions = versions[: len(versions) // 2]
        better = (versions[:, :1] - versions[:, 1:]).reshape(-1, len(names))
        return fit(Targets(table(self.features, names)[rows], self.wanted[rows]), better, PREFERENCE)

    def cross_validate(self, names: Sequence[str]) -> Floats:
        """Return scores of captions that their fit has not seen, nor their image."""
        columns = table(self.features, names)
        scores = np.empty(len(self.images))
        for learned, tested in disjoint_folds(self.images, self.captions, FOLDS, SEED):
            scores[tested] = self.fit(names, learned)(columns[tested])
        return scores

    def preferred(self, names: Sequence[str], found: MonotoneLogistic) -> dict[str, float]:
        """Return how often a human caption of the second half is above each of its worse versions; ties are half."""
        versions = self.versions(names)
        scores = found(versions[len(versions) // 2 :])
        above = (scores[:, :1] > scores[:, 1:]) + 0.5 * (scores[:, :1] == scores[:, 1:])
        return dict(zip(CHANGES, above.mean(axis=0).round(3).tolist(), strict=True))


def main() -> None:
    """Read, fit, measure, and install if asked to."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder for features and weights")
    parser.add_argument("--install", action="store_true", help="copy the weights to where they ship from")
    arguments = parser.parse_args()
    arguments.run.mkdir(parents=True, exist_ok=True)
    bench = make_bench(arguments.run)
    for kind in VARIANTS:
        fit_variant(bench, kind, arguments.run)
        if arguments.install:
            for ending in (SUFFIX, ".json"):
                shutil.copyfile(arguments.run / f"{kind.title}{ending}", FOLDER / f"{kind.title}{ending}")


def fit_variant(bench: Bench, kind: Variant, run: Path) -> None:
    """Fit a composite and its controls to all ratings; measure them in folds."""
    names, everything = kind.features, np.arange(len(bench.images))
    folds: dict[str, object] = {}
    for labels in LABELS:
        changed = bench.labelled(labels)
        scores = changed.cross_validate(names)
        folds[labels] = [bench.tau(scores), *bench.interval(scores)]
        fitted = changed.fit(names, everything)
        figures: dict[str, object] = {
            "tau-c in folds, its interval": folds[labels],
            "tau-c, fitted and tested on all": bench.tau(fitted(table(bench.features, names))),
            "above worse versions": bench.preferred(names, fitted),
        }
        say(f"{kind.title}, {labels} ratings: {json.dumps(figures)}")
        say(f"  weights {dict(zip(names, fitted.weights.round(3).tolist(), strict=True))}")
        if labels == "true":
            figures["calibration error, folds"] = calibration_error(1 / (1 + np.exp(-scores)), bench.wanted)
            save(run, kind, fitted, figures)
        else:
            (run / labels).mkdir(exist_ok=True)
            save(run / labels, kind, fitted, figures)
    indifferent = replace(bench, ratings=np.full_like(bench.ratings, 2.5))
    scores = indifferent.fit(names, everything)(table(bench.features, names))
    say(f"{kind.title}, all ratings equal (spoiled captions only): {bench.tau(scores):.4f}")


def calibration_error(scores: Floats, wanted: Floats) -> float:
    """Return how far the mean score is from the mean rating in tenths of the captions, on average."""
    order = np.argsort(scores)
    return float(np.mean([abs(scores[part].mean() - wanted[part].mean()) for part in np.array_split(order, 10)]))


def make_bench(run: Path) -> Bench:
    """Read the features."""
    found = judged()
    words = equal_words()
    features = read_features(found.rows, run)
    rows, drawn = changed_captions(1000, SEED, kept_apart())
    changed = read_features(rows, run)
    captions = [" ".join(words(caption)) for caption in found.rows.candidates]
    return Bench(features, found.images, captions, found.ratings, changed, drawn)


def kept_apart() -> dict[str, frozenset[str]]:
    """Return the images that are tested on: those of the Karpathy splits, of FOIL and of THumB."""
    splits = {name: frozenset((COCO / "splits" / f"{name}.txt").read_text().split()) for name in SPLITS}
    return {**splits, **judged_images()}


def save(run: Path, kind: Variant, found: MonotoneLogistic, figures: dict[str, object]) -> None:
    """Write the weights with what they were fitted with, and the figures beside them."""
    inputs = facts_of(kind.inputs)
    network = found.network(kind.describe(inputs))
    network.save(run / f"{kind.title}{SUFFIX}")
    read = {path.stem: blake2b(path.read_bytes(), digest_size=8).hexdigest() for path in sorted(run.glob(FEATURES))}
    about = {
        "title": kind.title,
        "weights": network.fingerprint,
        "caplens": __version__,
        "inputs": inputs,
        "features": dict(zip(kind.features, found.weights.tolist(), strict=True)),
        "preference": PREFERENCE,
        **DATA_USE,
        "hashes of what was read": read,
        "figures": figures,
    }
    (run / f"{kind.title}.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
