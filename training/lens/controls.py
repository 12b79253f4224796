"""Measure what the score owes to training and to ratings.

    python training/lens/controls.py --run RUN --encoder NAME --form NAME

Untrained encoder: the same network and the vectors of the second view before the first step, weights of parts fitted
in the same way. Shuffled and inverted ratings: the supervised fit in the same folds; measured with the true ratings.
"""

from __future__ import annotations

import argparse
import json
from pathlib import Path

import numpy as np
import torch
from features import UNTRAINED, right_pairs, robustness
from fit import LABELS, held_out_flickr, in_folds, log_odds, unsupervised
from parts import parts_of
from train_form import SHIPPED

from bench import Bench
from caplens.learned.lens.encoder import shipped
from corpus import say
from report import interval, read_weights
from train import Recipe, make

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
    parts = parts_of(run, UNTRAINED, arguments.form, bench, SETS)
    images = len(np.load(run / "examples.npz")["first"]) - 1
    weights = unsupervised(parts["proxy"], held_out_flickr(images))
    odds = log_odds(weights(parts["expert"]))
    say(f"untrained encoder, Flickr8k-Expert tau-c: {interval(bench.sets['expert'], odds, 'kendall_c')}")
    for name in ("abstract", "foil"):
        say(f"untrained encoder, {name}: {json.dumps(right_pairs(bench.sets[name], weights(parts[name])))}")
    say(f"untrained encoder, robustness: {json.dumps(robustness(bench.sets['robust'], weights(parts['robust'])))}")
    parts = dict(np.load(run / f"parts_{arguments.encoder}.npz"))
    plain = read_weights(json.loads((run / f"weights_{arguments.encoder}.json").read_text())["unsupervised"])
    for labels in LABELS:
        scores = in_folds(bench, parts, plain, labels, preference=0.0)
        say(f"{labels} ratings, no spoiled captions, in folds: {interval(bench.sets['expert'], scores, 'kendall_c')}")


if __name__ == "__main__":
    main()
