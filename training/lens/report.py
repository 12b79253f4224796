"""Print every figure of the model card: ``python training/lens/report.py --run RUN --encoder NAME``.

Reads the parts of both variants (parts.py), weights (fit.py) and scores in folds (axes.py). Intervals: 95 %, resamples
of images. ABSTRACT-50S, THumB and FOIL chose nothing.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
from features import among_systems, length_correlation, right_pairs, robustness, tau
from fit import Weights, log_odds, preferences, read_weights

from bench import Bench, Rows
from caplens.arrays import Floats
from caplens.stats.correlation import SortedPairs
from corpus import say

RESAMPLES = 500
FIFTHS = 5


def resampled(rows: Rows, scores: Floats, coefficient: str) -> Floats:
    """Return a coefficient in resamples of images, the same ones for all scores of a set."""
    ratings = rows.column("ratings").reshape(len(scores), -1)
    pairs = SortedPairs(np.repeat(scores, ratings.shape[1]), ratings.ravel())
    distinct, places = np.unique(rows.facts["images"], return_inverse=True)
    generator = np.random.default_rng(1)
    found: list[float] = []
    for _ in range(RESAMPLES // 50):
        counts = generator.multinomial(len(distinct), np.full(len(distinct), 1 / len(distinct)), 50)
        drawn = np.repeat(counts[:, places], ratings.shape[1], axis=1).astype(np.float64)
        found.extend(pairs.coefficients(drawn)[coefficient].tolist())
    return np.array(found)


def interval(rows: Rows, scores: Floats, coefficient: str) -> str:
    """Return a coefficient with its interval."""
    low, high = np.percentile(resampled(rows, scores, coefficient), [2.5, 97.5])
    return f"{tau(rows, scores, coefficient):.4f} ({low:.3f} to {high:.3f})"


def difference(rows: Rows, scores: Floats, others: Floats, coefficient: str) -> str:
    """Return by how much a coefficient is above that of other scores, with its interval."""
    drawn = resampled(rows, scores, coefficient) - resampled(rows, others, coefficient)
    low, high = np.percentile(drawn, [2.5, 97.5])
    found = tau(rows, scores, coefficient) - tau(rows, others, coefficient)
    return f"{found:+.4f} ({low:+.4f} to {high:+.4f})"


def wordy(bench: Bench, rows: Rows, scores: Floats) -> dict[str, list[float]]:
    """Return how often a wordy system is above a left-out human caption, by fifths of the difference in length."""
    lengths = np.array([len(bench.captions[place]) for place in rows.candidates])
    longer, above = lengths[0::2] - lengths[1::2], scores[0::2] > scores[1::2]
    names = np.array(rows.facts["systems"])[0::2]
    found = {}
    for name in dict.fromkeys(names.tolist()):
        places = np.flatnonzero(names == name)
        order = places[np.argsort(longer[places], kind="stable")]
        found[name] = [round(float(above[part].mean()), 3) for part in np.array_split(order, FIFTHS)]
    return found


def reliability(scores: Floats, slope: float, rows: Rows, votes: bool) -> list[tuple[float, float, int]]:
    """Return predicted and observed shares of preferences, by fifths of the prediction (of the side that is ahead)."""
    if votes:
        difference = scores[0::2] - scores[1::2]
        counted = rows.column("votes").reshape(-1, 2)
        preferred = counted[:, 0] > counted[:, 1]
    else:
        ratings = rows.column("ratings").reshape(len(scores), -1).mean(axis=1)
        difference, preferred = preferences(scores, ratings, rows.facts["images"], np.arange(len(scores)))
    predicted = 1 / (1 + np.exp(-slope * np.abs(difference)))
    right = (difference > 0) == preferred
    order = np.argsort(predicted)
    parts = np.array_split(order, FIFTHS)
    return [(round(float(predicted[one].mean()), 3), round(float(right[one].mean()), 3), len(one)) for one in parts]


def show(bench: Bench, parts: dict[str, Floats], weights: Weights, expert: Floats | None = None) -> None:
    """Print the figures of one variant; ``expert`` are scores in folds."""
    scores = {name: weights(found) for name, found in parts.items()}
    agreed = scores["expert"] if expert is None else expert
    say(f"Flickr8k-Expert tau-c: {interval(bench.sets['expert'], agreed, 'kendall_c')}")
    say(f"Flickr8k-Crowd tau-b: {tau(bench.sets['crowd'], scores['crowd'], 'kendall_b'):.4f}")
    for coefficient in ("pearson", "kendall_b"):
        say(f"THumB {coefficient}: {interval(bench.sets['thumb'], scores['thumb'], coefficient)}")
    for name in ("abstract", "foil", "probes"):
        found = right_pairs(bench.sets[name], scores[name])
        mean = np.mean([value for kind, value in found.items() if "said" not in kind])
        say(f"{name}: {mean:.4f} {json.dumps({kind: round(value, 4) for kind, value in found.items()})}")
    found = robustness(bench.sets["robust"], scores["robust"])
    say(f"robustness: {json.dumps({kind: round(value, 3) for kind, value in found.items()})}")
    found = among_systems(bench.sets["systems"], scores["systems"])
    say(f"systems and people, Karpathy val: {json.dumps({kind: round(value, 3) for kind, value in found.items()})}")
    say(f"length, Spearman within images: {length_correlation(bench, bench.sets['lengths'], scores['lengths']):.3f}")
    say(f"wordy systems above people, by fifths: {json.dumps(wordy(bench, bench.sets['wordy'], scores['wordy']))}")
    say(f"mean score of people {scores['lengths'].mean():.1f}")


def main() -> None:
    """Print the whole table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    arguments = parser.parse_args()
    run, encoder = arguments.run, arguments.encoder
    bench = Bench.read(run)
    content = json.loads((run / f"weights_{encoder}.json").read_text())
    in_folds = np.load(run / f"axes_{encoder}.npz")["scores"]
    plain = read_weights(content["unsupervised"])(np.load(run / f"parts_{encoder}.npz")["expert"])
    gain = difference(bench.sets["expert"], in_folds, plain, "kendall_c")
    say(f"Flickr8k-Expert, supervised in folds less unsupervised: {gain}")
    for variant, suffix, expert in (("unsupervised", "", None), ("supervised", "_supervised", in_folds)):
        say(f"{variant}{' (Flickr8k-Expert in folds without common image or caption)' if suffix else ''}")
        parts, weights = dict(np.load(run / f"parts_{encoder}{suffix}.npz")), read_weights(content[variant])
        show(bench, parts, weights, expert)
        slope = content["calibration"][variant]["slope"]
        for name, votes in (("crowd", False), ("thumb", False), ("abstract", True)):
            found = reliability(log_odds(weights(parts[name])), slope, bench.sets[name], votes)
            say(f"calibration, {variant}, {name} (predicted, observed, pairs): {found}")


if __name__ == "__main__":
    main()
