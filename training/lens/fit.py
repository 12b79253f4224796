"""Fit the weights of the parts: ``python training/lens/fit.py --run RUN --encoder NAME``; writes RUN/weights_NAME.json.

Unsupervised: held-out images of the training sets; a human caption must stand above captions of any other image
(content), and above itself with wrong facts or broken (form). Supervised: the ratings of Flickr8k-Expert, together
with the former; measured in folds that share neither image nor caption. Calibration: the probability that an expert
prefers a caption.
"""

from __future__ import annotations

import argparse
import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from features import tau
from parts import PARTS
from scipy.optimize import minimize

from bench import SEED, Bench
from caplens.arrays import Floats, Integers
from corpus import HELD_OUT, say

sys.path.append(str(Path(__file__).resolve().parents[1] / "composite"))
from monotone import disjoint_folds

Flags = npt.NDArray[np.bool_]

CONTENT, FORM = (0, 1, 2), (3, 4)
FOLDS = 5
COCO_IMAGES = 82_783
VERSIONS = 6  # of a caption in `proxy`: true, two of similar images, one of any, wrong facts, broken
PENALTY = 1e-3
PREFERENCE = 0.03
HUMAN = 0.8  # content of the median human caption, without judgments
# Of the form: a median human caption keeps 95 % of its score. Among steepness 1.5 to 2.5 and 0.9 to 0.97 kept, these
# tell captions of held-out Flickr30k images best from worse ones (91.4 %) where permuting costs enough (R < 0.4).
STEEPER, KEPT = 1.5, 0.95
PAIRS = 20_000  # of captions, for the supervised fit
LABELS = ("true", "shuffled", "inverted")


@dataclass(frozen=True, eq=False)
class Weights:
    """The score 100 sigma(content) sigma(form): offsets and weights of the parts, none of them negative."""

    content: Floats  # offset, scene, support, coverage
    form: Floats  # offset, well-formed, fluency

    def logits(self, parts: Floats) -> tuple[Floats, Floats]:
        """Return what stands inside the sigmoids."""
        content: Floats = self.content[0] + parts[..., list(CONTENT)] @ self.content[1:]
        form: Floats = self.form[0] + parts[..., list(FORM)] @ self.form[1:]
        return content, form

    def __call__(self, parts: Floats) -> Floats:
        """Return scores from 0 to 100."""
        content, form = self.logits(parts)
        found: Floats = 100 / ((1 + np.exp(-content)) * (1 + np.exp(-form)))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers by name."""
        return {
            name: {
                "offset": float(values[0]),
                "weights": {PARTS[place]: float(value) for place, value in zip(places, values[1:], strict=True)},
            }
            for name, values, places in (("content", self.content, CONTENT), ("form", self.form, FORM))
        }


def log_odds(scores: Floats) -> Floats:
    """Return the log odds of scores from 0 to 100."""
    share = np.clip(scores / 100, 1e-4, 1 - 1e-4)
    found: Floats = np.log(share / (1 - share))
    return found


def logistic(rows: Floats, wanted: Floats, counts: Floats, penalty: float = PENALTY) -> Floats:
    """Fit a logistic function without negative weights; return its offset and weights for rows as they are."""
    mean, deviation = rows.mean(axis=0), rows.std(axis=0)
    scaled = (rows - mean) / deviation

    def loss(parameters: Floats) -> tuple[float, Floats]:
        inside = scaled @ parameters[1:] + parameters[0]
        error = counts * (1 / (1 + np.exp(-inside)) - wanted)
        value = float(
            (counts * (np.logaddexp(0, inside) - wanted * inside)).sum() + penalty * (parameters[1:] ** 2).sum()
        )
        return value, np.append(error.sum(), scaled.T @ error + 2 * penalty * parameters[1:])

    start = np.append(0.0, np.full(rows.shape[1], 0.1))
    bounds = [(None, None), *[(0.0, None)] * rows.shape[1]]
    found = minimize(loss, start, jac=True, bounds=bounds, method="L-BFGS-B").x
    weights = found[1:] / deviation
    return np.append(found[0] - weights @ mean, weights)


def held_out_flickr(images: int) -> Flags:
    """Tell which rows of `proxy` are of Flickr30k: the language model of fluency has read all of COCO train2014."""
    held = np.arange(0, images, HELD_OUT)
    drawn = np.random.default_rng(SEED).permutation(held)[:2500]
    return drawn >= COCO_IMAGES


def unsupervised(proxy: Floats, flickr: Flags) -> Weights:
    """Fit to held-out images without any judgment; the offset of the form leaves `KEPT` of a median human caption."""
    table = proxy.reshape(-1, VERSIONS, len(PARTS))
    form = table[flickr][:, [0, 4, 5]][..., list(FORM)]
    wanted = np.tile([1.0, 0.0, 0.0], (len(form), 1))
    counts = np.tile([0.5, 0.3, 0.2], (len(form), 1)) / len(form)
    told = STEEPER * logistic(form.reshape(-1, len(FORM)), wanted.ravel(), counts.ravel())
    told[0] = np.log(KEPT / (1 - KEPT)) - np.median(form[:, 0] @ told[1:])
    return Weights(content_weights(table[..., list(CONTENT)]), told)


def content_weights(table: Floats) -> Floats:
    """Return offset and weights that tell a caption of the image from one of any other image.

    Against similar images and wrong facts, support alone would count. The offset gives the median human caption a
    content of `HUMAN`.
    """
    content = table[:, [0, 3]]
    wanted = np.tile([1.0, 0.0], (len(table), 1))
    found = logistic(content.reshape(-1, len(CONTENT)), wanted.ravel(), np.full(wanted.size, 1 / wanted.size))
    found[0] = np.log(HUMAN / (1 - HUMAN)) - np.median(content[:, 0] @ found[1:])
    return found


def supervised(parts: Floats, wanted: Floats, proxy: Floats, start: Weights, preference: float = PREFERENCE) -> Weights:
    """Fit the weights of the parts to which of two captions is rated higher, and to true captions above spoiled ones.

    Offsets stay as they are, so that scores mean about the same; the parts of the form keep their ratio.
    """
    scale = parts[:, list(CONTENT)].std(axis=0)
    spoiled = proxy.reshape(-1, VERSIONS, len(PARTS))
    generator = np.random.default_rng(0)
    one, other = generator.integers(len(parts), size=(2, PAIRS))
    kept = wanted[one] > wanted[other]
    one, other = one[kept], other[kept]

    def weights(parameters: Floats) -> Weights:
        content = np.append(0.0, parameters[:3] / scale)
        content[0] = np.log(HUMAN / (1 - HUMAN)) - np.median(spoiled[:, 0][:, list(CONTENT)] @ content[1:])
        form = start.form * parameters[3]
        form[0] += np.log(KEPT / (1 - KEPT)) * (1 - parameters[3])
        return Weights(content, form)

    def loss(parameters: Floats) -> float:
        found = weights(parameters)
        odds, versions = log_odds(found(parts)), log_odds(found(spoiled))
        value = np.logaddexp(0, odds[other] - odds[one]).mean()
        value += preference * np.logaddexp(0, versions[:, 1:] - versions[:, :1]).mean()
        return float(value + PENALTY * (parameters[:3] ** 2).sum())

    first = np.append(start.content[1:] * scale, 1.0)
    bounds = [(0.0, None)] * 3 + [(0.2, 3.0)]
    return weights(minimize(loss, first, bounds=bounds, method="L-BFGS-B", options={"maxiter": 40}).x)


def in_folds(
    bench: Bench, parts: dict[str, Floats], start: Weights, labels: str = "true", preference: float = PREFERENCE
) -> Floats:
    """Return scores of captions that their fit has not seen, nor their image."""
    rows = bench.sets["expert"]
    wanted = wanted_of(bench, labels)
    captions = [" ".join(bench.captions[place]) for place in rows.candidates]
    scores = np.empty(len(wanted))
    proxy = parts["proxy"][: 600 * VERSIONS]
    for learned, tested in disjoint_folds(rows.facts["images"], captions, FOLDS, 1):
        fitted = supervised(parts["expert"][learned], wanted[learned], proxy, start, preference)
        scores[tested] = log_odds(fitted(parts["expert"][tested]))
    return scores


def wanted_of(bench: Bench, labels: str) -> Floats:
    """Return the mean rating of each caption of Flickr8k-Expert from 0 to 1, or for controls shuffled or inverted."""
    found: Floats = (bench.sets["expert"].column("ratings").mean(axis=1) - 1) / 3
    if labels == "shuffled":
        return np.random.default_rng(1).permutation(found)
    return 1 - found if labels == "inverted" else found


def slope_of(scores: Floats, ratings: Floats, images: list[str], rows: Integers) -> float:
    """Fit how the difference of log odds tells which of two captions of an image an expert rates higher."""
    differences, preferred = preferences(scores, ratings, images, rows)

    def loss(slope: Floats) -> float:
        return float(np.logaddexp(0, -slope[0] * differences * np.where(preferred, 1, -1)).mean())

    return float(minimize(loss, [1.0], method="Nelder-Mead").x[0])


def preferences(scores: Floats, ratings: Floats, images: list[str], rows: Integers) -> tuple[Floats, Flags]:
    """Return differences of pairs of captions of an image, and whether people prefer the first; no equal ratings."""
    by_image: dict[str, list[int]] = {}
    for row in rows.tolist():
        by_image.setdefault(images[row], []).append(row)
    differences, preferred = [], []
    for theirs in by_image.values():
        for place, one in enumerate(theirs):
            for other in theirs[place + 1 :]:
                if ratings[one] != ratings[other]:
                    differences.append(scores[one] - scores[other])
                    preferred.append(ratings[one] > ratings[other])
    return np.array(differences), np.array(preferred)


def main() -> None:
    """Fit everything and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    arguments = parser.parse_args()
    bench = Bench.read(arguments.run)
    parts = dict(np.load(arguments.run / f"parts_{arguments.encoder}.npz"))
    images = len(np.load(arguments.run / "examples.npz")["first"]) - 1
    plain = unsupervised(parts["proxy"], held_out_flickr(images))
    rows = bench.sets["expert"]
    say(f"unsupervised: {json.dumps(plain.to_dict())}: {tau(rows, log_odds(plain(parts['expert'])), 'kendall_c'):.4f}")
    scores = in_folds(bench, parts, plain)
    say(f"supervised, in folds: {tau(rows, scores, 'kendall_c'):.4f}")
    fitted = supervised(parts["expert"], wanted_of(bench, "true"), parts["proxy"][: 600 * VERSIONS], plain)
    ratings = rows.column("ratings").mean(axis=1)
    everything = np.arange(len(ratings))
    calibration = {
        "supervised": {"slope": slope_of(scores, ratings, rows.facts["images"], everything), "raw": "log-odds"},
        "unsupervised": {
            "slope": slope_of(log_odds(plain(parts["expert"])), ratings, rows.facts["images"], everything),
            "raw": "log-odds",
        },
    }
    content = {"unsupervised": plain.to_dict(), "supervised": fitted.to_dict(), "calibration": calibration}
    (arguments.run / f"weights_{arguments.encoder}.json").write_text(json.dumps(content))
    say(json.dumps(content, indent=1))


if __name__ == "__main__":
    main()
