"""Fit the weights of the parts: ``python training/lens/fit.py --run RUN --encoder NAME``; writes RUN/weights_NAME.json.

Unsupervised: held-out images of the training sets; a human caption must stand above captions of any other image
(content), and nearly all human captions keep their score (form). Supervised: the same weights, of parts that ratings
have changed (axes.py; without its file, of the same parts), and an offset for these. Calibration: the probability that
an expert prefers a caption. With the encoder `shipped`, the weights without judgments stay those that ship.
"""

from __future__ import annotations

import argparse
import json
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt
from features import tau
from parts import PARTS
from scipy.optimize import minimize
from train_form import SHIPPED

from bench import Bench
from caplens.arrays import Floats, Integers
from caplens.learned.lens.encoder import shipped
from corpus import say

Flags = npt.NDArray[np.bool_]

CONTENT, FORM = (0, 1, 2), 3
VERSIONS = 6  # of a caption in `proxy`: true, two of similar images, one of any, wrong facts, broken
PENALTY = 1e-3
HUMAN = 0.8  # content of the median human caption, without judgments
# What tells captions of an image from those of any other is so sure of itself that scores of good captions would hardly
# differ; divided by this they differ more, and captions of similar images still cost enough (R of RC below 0.15).
CALMER = 1.5
# Of the form: log odds as they are; half of the score is lost where one in a hundred human captions would lose more.
# So captions that are merely unusual, as those of people are beside those of systems, are hardly worse for it.
STEEPNESS, HARMED = 1.0, 0.01
LABELS = ("shuffled", "inverted")


@dataclass(frozen=True, eq=False)
class Weights:
    """The score 100 sigma(content) sigma(form): offset and weights of the content's parts, and the form's log odds."""

    content: Floats  # offset, scene, support, coverage
    half: float  # log odds of a well-formed caption where half of the score is left
    steepness: float = STEEPNESS

    def logits(self, parts: Floats) -> tuple[Floats, Floats]:
        """Return what stands inside the sigmoids."""
        content: Floats = self.content[0] + parts[..., list(CONTENT)] @ self.content[1:]
        form: Floats = self.steepness * (parts[..., FORM] - self.half)
        return content, form

    def __call__(self, parts: Floats) -> Floats:
        """Return scores from 0 to 100."""
        content, form = self.logits(parts)
        found: Floats = 100 / ((1 + np.exp(-content)) * (1 + np.exp(-form)))
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return plain numbers by name."""
        weights = dict(zip((PARTS[place] for place in CONTENT), self.content[1:].tolist(), strict=True))
        return {
            "content": {"offset": float(self.content[0]), "weights": weights},
            "form": {"half": self.half, "steepness": self.steepness},
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


def unsupervised(proxy: Floats) -> Weights:
    """Fit to held-out images without any judgment."""
    table = proxy.reshape(-1, VERSIONS, len(PARTS))
    weights = content_weights(table[..., list(CONTENT)]) / CALMER
    return Weights(centred(weights, proxy), float(np.quantile(table[:, 0, FORM], HARMED)))


def content_weights(table: Floats) -> Floats:
    """Return offset and weights that tell a caption of the image from one of any other image.

    Against similar images and wrong facts, support alone would count.
    """
    content = table[:, [0, 3]]
    wanted = np.tile([1.0, 0.0], (len(table), 1))
    return logistic(content.reshape(-1, len(CONTENT)), wanted.ravel(), np.full(wanted.size, 1 / wanted.size))


def centred(weights: Floats, proxy: Floats) -> Floats:
    """Return weights of content whose offset gives the median human caption a content of `HUMAN`."""
    people = proxy.reshape(-1, VERSIONS, len(PARTS))[:, 0][:, list(CONTENT)]
    offset = np.log(HUMAN / (1 - HUMAN)) - np.median(people @ weights[1:])
    return np.append(offset, weights[1:])


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


def read_weights(content: dict[str, Any]) -> Weights:
    """Return the weights that a file has."""
    found, form = content["content"], content["form"]
    ordered = [found["weights"][PARTS[place]] for place in CONTENT]
    return Weights(np.array([found["offset"], *ordered]), form["half"], form["steepness"])


def plain_weights(encoder: str, proxy: Floats) -> Weights:
    """Return the weights without judgments; those that ship stay as they are to the last digit."""
    if encoder == SHIPPED:
        return read_weights(json.loads(shipped().facts["weights"])["unsupervised"])
    return unsupervised(proxy)


def main() -> None:
    """Fit everything and write it."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    arguments = parser.parse_args()
    run, encoder = arguments.run, arguments.encoder
    rows = Bench.read(run).sets["expert"]
    parts = dict(np.load(run / f"parts_{encoder}.npz"))
    plain = fitted = plain_weights(encoder, parts["proxy"])
    odds = told = log_odds(plain(parts["expert"]))
    say(f"unsupervised: {tau(rows, plain(parts['expert']), 'kendall_c'):.4f}")
    if (run / f"axes_{encoder}.npz").is_file():
        changed = np.load(run / f"parts_{encoder}_supervised.npz")["proxy"]
        fitted = replace(plain, content=centred(plain.content, changed))
        told = log_odds(np.load(run / f"axes_{encoder}.npz")["scores"])
    ratings = rows.column("ratings").mean(axis=1)
    slopes = {
        name: {"slope": slope_of(scores, ratings, rows.facts["images"], np.arange(len(ratings))), "raw": "log-odds"}
        for name, scores in (("supervised", told), ("unsupervised", odds))
    }
    content = {"unsupervised": plain.to_dict(), "supervised": fitted.to_dict(), "calibration": slopes}
    (run / f"weights_{encoder}.json").write_text(json.dumps(content))
    say(json.dumps(content, indent=1))


if __name__ == "__main__":
    main()
