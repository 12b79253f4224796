"""Measure what the score owes to training and to ratings.

    python training/lens/controls.py --run RUN --encoder NAME --form NAME

Untrained encoder: the same network and the vectors of the second view before the first step, weights of parts fitted
in the same way. Shuffled and inverted ratings: what axes.py learns from them in the same folds, with the penalties that
all true ratings chose; measured with the true ratings. A fit can ignore such ratings and stay `unsupervised`, unless
the logistic function of the score must be about as steep as for true ratings; both are shown.
"""

from __future__ import annotations

import argparse
import json
from itertools import product
from pathlib import Path

import numpy as np
import torch
from axes import in_folds, read_judged
from features import UNTRAINED, encodings_of, right_pairs, robustness
from fit import LABELS, unsupervised, wanted_of
from parts import parts_of
from train_form import SHIPPED
from usual import measured

import corpus
from bench import Bench
from caplens.learned.lens.encoder import shipped
from corpus import say
from report import difference, interval
from train import Recipe, make

LEAST_SLOPE = 0.6  # true ratings have 0.66
SETS = ("expert", "proxy", "abstract", "foil", "robust")


def recipe_of(run: Path, encoder: str) -> Recipe:
    """Return how an encoder was trained, also the one that ships."""
    if encoder == SHIPPED:
        return Recipe(**json.loads(shipped().facts["recipe"]))
    return Recipe(**torch.load(run / f"{encoder}.pt", weights_only=True)["recipe"])


def main() -> None:
    """Fit the controls and print their figures with intervals."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--run", type=Path, required=True)
    parser.add_argument("--encoder", required=True)
    parser.add_argument("--form", required=True)
    arguments = parser.parse_args()
    torch.set_num_threads(1)
    run = arguments.run
    bench = Bench.read(run)
    recipe = recipe_of(run, arguments.encoder)
    network, _ = make(run, recipe)
    torch.save({"network": network.state_dict(), "recipe": vars(recipe)}, run / f"{UNTRAINED}.pt")
    measured(corpus.read(run), lambda captions: encodings_of(run, UNTRAINED, captions)).write(run, UNTRAINED)
    parts = parts_of(run, UNTRAINED, arguments.form, bench, SETS)
    weights = unsupervised(parts["proxy"])
    scores = weights(parts["expert"])
    say(f"untrained encoder, Flickr8k-Expert tau-c: {interval(bench.sets['expert'], scores, 'kendall_c')}")
    for name in ("abstract", "foil"):
        say(f"untrained encoder, {name}: {json.dumps(right_pairs(bench.sets[name], weights(parts[name])))}")
    say(f"untrained encoder, robustness: {json.dumps(robustness(bench.sets['robust'], weights(parts['robust'])))}")
    show_labels(run, arguments.encoder, bench)


def show_labels(run: Path, encoder: str, bench: Bench) -> None:
    """Print what is learned from other ratings than the true ones."""
    judged, learned = read_judged(run, encoder), np.load(run / f"axes_{encoder}.npz")
    rows = bench.sets["expert"]
    for labels, slope in product(LABELS, (0.0, LEAST_SLOPE)):
        scores, _ = in_folds(judged, wanted_of(bench, labels), int(learned["number"]), least_slope=slope)
        below = difference(rows, scores, learned["scores"], "kendall_c")
        found = f"{interval(rows, scores, 'kendall_c')}, less those of true ratings {below}"
        say(f"{labels} ratings, slope at least {slope}, in folds: {found}")


if __name__ == "__main__":
    main()
