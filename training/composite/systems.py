"""Compare the systems as writers of negatives: their scores, and what people against each one alone teaches.

    python training/composite/systems.py --run RUN [--data ../shared/data] [--images 4000]

For each system a logistic regression of human or machine on METEOR, WMD, CIDEr and SPICE, standardised: an input with a
negative weight says that captions closer to the references are the machine's.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
from scipy.optimize import minimize
from sources import SHARED, captions_of_people, judged_images, newer_systems, older_systems, say

from caplens.train.composite.captions import HUMAN, CaptionSources, collect_rows
from caplens.train.composite.network import Judgments
from caplens.train.composite.recipes import recipe_of
from caplens.train.composite.scores import scored_captions
from caplens.train.composite.training import judged_scores


def main() -> None:
    """Score the captions of all systems, fit, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder that keeps the scores")
    parser.add_argument("--data", type=Path, default=SHARED, help="folder with coco_val2014 and flickr8k")
    parser.add_argument("--images", type=int, default=4000, help="images to draw")
    arguments = parser.parse_args()
    coco = arguments.data / "coco_val2014"
    held = frozenset((coco / "splits" / "karpathy_val.txt").read_text().split())
    held |= frozenset((coco / "splits" / "karpathy_test.txt").read_text().split())
    systems = {**older_systems(data=arguments.data), **newer_systems(arguments.run, arguments.data)[0]}
    sources = CaptionSources(captions_of_people(arguments.data), systems, {"Karpathy": held, **judged_images()})
    rows = collect_rows(sources, arguments.images, 1, negatives=0)
    recipe = recipe_of("eval_mwcs")
    inputs, keys = recipe.inputs, recipe.features
    scores = scored_captions(rows, inputs, arguments.run)
    table = np.column_stack([scores[key] for key in keys])
    judged, columns = judged_scores(arguments.data / "flickr8k", inputs, None)
    judgments = Judgments(np.column_stack([columns[key] for key in keys]), judged.place, judged.mean_human)
    writers = np.array(rows.writers)
    known = np.isfinite(table).all(axis=1)
    human = known & (writers == HUMAN)
    head = [*(f"mean {key}" for key in keys), *(f"weight {key}" for key in keys), "tau-c"]
    say(f"| writer | {' | '.join(head)} |")
    say(f"| {HUMAN} | {' | '.join(f'{value:.3f}' for value in table[human].mean(axis=0))} |")
    for name in sorted(set(rows.writers) - {HUMAN}):
        machine = known & (writers == name)
        both = human | machine
        mean, deviation = table[both].mean(axis=0), table[both].std(axis=0)
        weights = logistic((table[both] - mean) / deviation, writers[both] == HUMAN)
        tau = judgments.tau((judgments.scores / deviation) @ weights)
        means = " | ".join(f"{value:.3f}" for value in table[machine].mean(axis=0))
        say(f"| {name} | {means} | {' | '.join(f'{weight:+.2f}' for weight in weights)} | {tau:.3f} |")


def logistic(rows: np.ndarray, human: np.ndarray) -> np.ndarray:
    """Return the weights of a logistic regression."""
    rows = np.column_stack([rows, np.ones(len(rows))])

    def loss(weights: np.ndarray) -> tuple[float, np.ndarray]:
        logits = rows @ weights
        slope = rows.T @ (1 / (1 + np.exp(-logits)) - human) / len(rows)
        return float(np.mean(np.logaddexp(0, logits) - human * logits)), slope

    return minimize(loss, np.zeros(rows.shape[1]), jac=True, method="L-BFGS-B").x[:-1]


if __name__ == "__main__":
    main()
