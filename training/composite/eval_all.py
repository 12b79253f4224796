"""Fit Eval_All and its variants, and measure what they and every candidate feature are worth.

    python training/composite/eval_all.py --run RUN [--install]

prints the tables of docs/composite.md and writes RUN/Eval_All*.safetensors; features are read once and kept in RUN.
"""

from __future__ import annotations

import argparse
import json
import shutil
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from hashlib import blake2b
from pathlib import Path

import numpy as np
from candidates import (
    CHANGES,
    ENCODER,
    GROUPS,
    HELD_OUT_SYSTEMS,
    POOL,
    changed_captions,
    judged,
    read_features,
    table,
    written_captions,
)
from monotone import MonotoneLogistic, Targets, disjoint_folds, fit
from sources import COCO, judged_images, say
from variants import EVAL_ALL, EVAL_ALL_C, EVAL_ALL_H, VARIANTS, Variant

from caplens._version import __version__
from caplens.arrays import Floats, Integers
from caplens.meta.captions.judged import equal_words
from caplens.metrics.combination.normalizing import FOLDER
from caplens.metrics.composite.trained import SUFFIX
from caplens.stats.correlation import SortedPairs
from caplens.train.composite.captions import HUMAN
from caplens.train.composite.scores import facts_of
from caplens.train.composite.training import area_under_curve

FOLDS, SEED = 5, 1
FEATURES = "[a-z]*.safetensors"  # what `read_features` keeps
PREFERENCE = 0.1
PREFERENCE_OF_WRITERS = 1.0  # less has no effect: systems keep the order of words better than people do
LEAST_GAIN = 0.001  # of tau-c, for a feature to be added inside the folds
SPLITS = ("karpathy_val", "karpathy_test")


@dataclass(frozen=True, eq=False)
class Bench:
    """Everything that is measured on: features of judged captions, and of captions with five worse versions.

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

    def tau(self, scores: Floats, rows: Integers | None = None) -> float:
        """Return tau-c with the single ratings."""
        ratings = self.ratings if rows is None else self.ratings[rows]
        pairs = SortedPairs(np.repeat(scores, 3), ratings.ravel())
        return float(pairs.coefficients(np.ones((1, ratings.size)))["kendall_c"][0])

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

    def fit(self, names: Sequence[str], rows: Integers, preference: float) -> MonotoneLogistic:
        """Fit to the ratings of some captions, and to the first half of the worse versions."""
        versions = self.versions(names)
        versions = versions[: len(versions) // 2]
        better = (versions[:, :1] - versions[:, 1:]).reshape(-1, len(names))
        return fit(Targets(table(self.features, names)[rows], self.wanted[rows]), better, preference)

    def cross_validate(
        self, names: Sequence[str], preference: float, rows: Integers | None = None, folds: int = FOLDS
    ) -> Floats:
        """Return scores of captions that their fit has not seen, nor their image."""
        rows = np.arange(len(self.images)) if rows is None else rows
        images, captions = np.array(self.images)[rows], np.array(self.captions)[rows]
        columns = table(self.features, names)
        scores = np.empty(len(rows))
        for learned, tested in disjoint_folds(images, captions, folds, SEED):
            scores[tested] = self.fit(names, rows[learned], preference)(columns[rows[tested]])
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
    parser.add_argument("--no-tables", action="store_true", help="only fit")
    parser.add_argument("--no-selection", action="store_true", help="leave out what is slowest")
    arguments = parser.parse_args()
    arguments.run.mkdir(parents=True, exist_ok=True)
    bench = make_bench(arguments.run)
    if not arguments.no_tables:
        show_ablation(bench)
    if not (arguments.no_tables or arguments.no_selection):
        show_selection(bench)
    everything = np.arange(len(bench.images))
    expert = {kind: bench.fit(kind.features, everything, PREFERENCE) for kind in (EVAL_ALL, EVAL_ALL_C)}
    fitted = {**expert, EVAL_ALL_H: fit_writers(bench, arguments.run)}
    for kind in VARIANTS:
        names = kind.features
        figures = {"tau-c, fitted and tested on all": bench.tau(fitted[kind](table(bench.features, names)))}
        if kind is not EVAL_ALL_H:
            scores = bench.cross_validate(names, PREFERENCE)
            figures["tau-c, folds"] = bench.tau(scores)
            figures["its interval, low"], figures["its interval, high"] = bench.interval(scores)
            figures["calibration error, folds"] = calibration_error(1 / (1 + np.exp(-scores)), bench.wanted)
        say(f"{kind.title}: {json.dumps({name: round(value, 4) for name, value in figures.items()})}")
        say(f"  weights {dict(zip(names, fitted[kind].weights.round(3).tolist(), strict=True))}")
        say(f"  above its worse versions {bench.preferred(names, fitted[kind])}")
        save(
            arguments.run, kind, fitted[kind], {**figures, "above worse versions": bench.preferred(names, fitted[kind])}
        )
        if arguments.install:
            for ending in (SUFFIX, ".json"):
                shutil.copyfile(arguments.run / f"{kind.title}{ending}", FOLDER / f"{kind.title}{ending}")


def calibration_error(scores: Floats, wanted: Floats) -> float:
    """Return how far the mean score is from the mean rating in tenths of the captions, on average."""
    order = np.argsort(scores)
    return float(np.mean([abs(scores[part].mean() - wanted[part].mean()) for part in np.array_split(order, 10)]))


def make_bench(run: Path) -> Bench:
    """Read the features."""
    found = judged()
    words = equal_words()
    features = read_features(found.rows, run, encoder=True)
    rows, drawn = changed_captions(1000, SEED, kept_apart())
    changed = read_features(rows, run, encoder=True)
    captions = [" ".join(words(caption)) for caption in found.rows.candidates]
    return Bench(features, found.images, captions, found.ratings, changed, drawn)


def kept_apart() -> dict[str, frozenset[str]]:
    """Return the images that are tested on: those of the Karpathy splits, of FOIL and of THumB."""
    splits = {name: frozenset((COCO / "splits" / f"{name}.txt").read_text().split()) for name in SPLITS}
    return {**splits, **judged_images()}


def show_ablation(bench: Bench) -> None:
    """Print what every group is worth, what every chosen feature is, and what the preference costs."""
    pool = [feature.name for feature in POOL]
    say(f"all {len(pool)} candidates: {bench.tau(bench.cross_validate(pool, 0.0)):.4f}")
    for group, features in GROUPS.items():
        gone = {feature.name for feature in features}
        rest = bench.tau(bench.cross_validate([name for name in pool if name not in gone], 0.0))
        scene = [feature.name for feature in GROUPS["SceneSim"]]
        beside = bench.tau(bench.cross_validate([*dict.fromkeys([*scene, *sorted(gone)])], 0.0))
        alone = bench.tau(bench.cross_validate(sorted(gone), 0.0))
        say(f"{group}: all but it {rest:.4f}, alone {alone:.4f}, beside SceneSim {beside:.4f}")
    names = EVAL_ALL.features
    for name in names:
        rest = bench.tau(bench.cross_validate([other for other in names if other != name], PREFERENCE))
        say(f"chosen without {name}: {rest:.4f}")
    for preference in (0.0, 0.03, 0.1, 0.3):
        value = bench.tau(bench.cross_validate(names, preference))
        said = bench.preferred(names, bench.fit(names, np.arange(len(bench.images)), preference))
        say(f"preference {preference}: {value:.4f} {said}")


def show_selection(bench: Bench) -> None:
    """Print what selection inside the folds gives, without and with the encoder."""
    for extra in ([], [ENCODER.name]):
        scores, counts = nested(bench, [*(feature.name for feature in POOL), *extra])
        say(f"selection inside the folds {extra}: {bench.tau(scores):.4f}, chosen {dict(counts.most_common())}")


def nested(bench: Bench, pool: Sequence[str]) -> tuple[Floats, Counter[str]]:
    """Choose features by cross-validation inside each fold; return scores of what no choice has seen."""
    scores = np.empty(len(bench.images))
    counts: Counter[str] = Counter()
    for learned, tested in disjoint_folds(bench.images, bench.captions, 3, SEED):
        chosen: list[str] = []
        best = 0.0
        while True:
            gains = {
                name: bench.tau(bench.cross_validate([*chosen, name], 0.0, learned, 3), learned)
                for name in pool
                if name not in chosen
            }
            name = max(gains, key=gains.__getitem__)
            if gains[name] < best + LEAST_GAIN:
                break
            chosen.append(name)
            best = gains[name]
        counts.update(chosen)
        scores[tested] = bench.fit(chosen, learned, 0.0)(table(bench.features, chosen)[tested])
    return scores, counts


def fit_writers(bench: Bench, run: Path) -> MonotoneLogistic:
    """Fit human or machine on eight systems, and report it on the test images and on the four systems left out."""
    names = EVAL_ALL_H.features
    rows, drawn = written_captions("written", 3000, SEED, {**kept_apart(), **bench.changed_images})
    writers = np.array(drawn.writers)
    use = np.flatnonzero(~np.isin(writers, HELD_OUT_SYSTEMS))
    people = np.flatnonzero(writers == HUMAN)
    # As many of people's captions as of systems': 1/2 divides them.
    repeats = max(1, round((len(use) - len(people)) / len(people)))
    use = np.concatenate([use, np.repeat(people, repeats - 1)])
    columns = table(read_features(rows, run, encoder=False), names)
    versions = bench.versions(names)[: len(bench.versions(names)) // 2]
    better = (versions[:, :1] - versions[:, 1:]).reshape(-1, len(names))
    found = fit(Targets(columns[use], (writers[use] == HUMAN).astype(float)), better, PREFERENCE_OF_WRITERS)
    test_only = {"not the test split": frozenset(set(images_of_coco()) - set(kept_apart()["karpathy_test"]))}
    test_rows, tested = written_captions("written_test", 700, SEED, test_only)
    scores = found(table(read_features(test_rows, run, encoder=False), names))
    theirs = np.array(tested.writers)
    human = scores[theirs == HUMAN]
    for title, systems in (("seen", set(theirs) - {HUMAN} - set(HELD_OUT_SYSTEMS)), ("unseen", set(HELD_OUT_SYSTEMS))):
        machine = scores[np.isin(theirs, sorted(systems))]
        accuracy = ((human > 0).mean() + (machine < 0).mean()) / 2
        say(f"{title} systems, unseen images: accuracy {accuracy:.3f}, area {area_under_curve(human, machine):.3f}")
    return found


def images_of_coco() -> list[str]:
    """Return all images of COCO val2014."""
    from caplens.meta.image_captions import captions_of

    return list(captions_of("coco", COCO))


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
        "preference": PREFERENCE_OF_WRITERS if kind is EVAL_ALL_H else PREFERENCE,
        "hashes of what was read": read,
        "figures": figures,
    }
    (run / f"{kind.title}.json").write_text(json.dumps(about, indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
