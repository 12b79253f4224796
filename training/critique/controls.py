"""Train the critique with true, shuffled and inverted labels, and without machine captions; measure all alike.

    python training/critique/controls.py --run RUN [--seed 12] [--only train|measure]

A full control costs as much as what ships (three stages), so these are short trainings of equal length (controls.toml)
on 8,000 of the images: same network, same captions in the same order, other labels. Each keeps the epoch that is best
on Karpathy val by its own labels. The shipped critique stands beside them. Rerun the same command to resume.
"""

from __future__ import annotations

import argparse
import json
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

import numpy as np
from splits import (
    COCO,
    DATA,
    NEWER,
    TEST,
    VALIDATION,
    by_image,
    human_captions,
    name,
    newer_captions,
    trained_systems,
)

from caplens import study
from caplens.learned.critique.config import QUICK, CritiqueConfig, read_config
from caplens.learned.critique.model import load
from caplens.meta.image_captions import unseen_captions
from caplens.meta.probes.robustness import draw_captions, transformed
from caplens.meta.scoring import ScoringOptions, score_variants
from caplens.stats.resampling import Units, bootstrap_sums, percentile_interval
from caplens.train.critique.request import TrainingInput, train_critique
from train import say

SETTINGS = Path(__file__).resolve().parent / "controls.toml"
CONTROLS: dict[str, dict[str, Any]] = {
    "true": {},
    "shuffled": {"labels": "shuffled"},
    "inverted": {"labels": "inverted"},
    "spoiled": {"machine": 0.0},
}
TITLES = {
    "true": "true labels",
    "shuffled": "shuffled labels",
    "inverted": "inverted labels",
    "spoiled": "spoiled captions only, no machine captions",
    "shipped": "what ships (three stages)",
}
RESAMPLES, SEED, IMAGES = 1000, 12345, 1000
KINDS = ("RC", "WP", "RW", "RP")
LEARNED = {"machine": 5_000, "human": 3_000}
"""Images that are drawn: of those with machine captions (COCO val2014), and of the others."""


def main() -> None:
    """Train and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--run", type=Path, required=True, help="folder for weights and figures")
    parser.add_argument("--seed", type=int, help="instead of that of controls.toml: another first network and draw")
    parser.add_argument("--only", choices=("train", "measure"), help="do only a part")
    arguments = parser.parse_args()
    if arguments.only != "measure":
        train(arguments.run, {} if arguments.seed is None else {"seed": arguments.seed})
    if arguments.only != "train":
        measure(arguments.run)


def settings(control: str, more: dict[str, Any]) -> CritiqueConfig:
    """Return the settings of a control."""
    return read_config(SETTINGS, QUICK).changed({"training": {**CONTROLS[control], **more}})


def train(run: Path, more: dict[str, Any]) -> None:
    """Train each; what is finished is not done again."""
    references, systems = write_part(run / "inputs")
    for control in CONTROLS:
        config = settings(control, more)
        given = TrainingInput([references], systems if config.training.machine else [], validation=VALIDATION)
        say(f"{control}: {train_critique(run / control, config, given, say, threads=1)}")


def write_part(folder: Path) -> tuple[Path, list[Path]]:
    """Write the captions of some of the images that the critique learns from, and of Karpathy val."""
    folder.mkdir(parents=True, exist_ok=True)
    done = folder / "human.json"
    if not done.exists():
        machine = {name(path): by_image(path) for path in trained_systems()}
        machine |= {name(path): newer_captions(path) for path in sorted(NEWER.glob("*.json.gz"))}
        people = human_captions()
        watched, test = (set(path.read_text().split()) for path in (VALIDATION, TEST))
        described = {image for captions in machine.values() for image in captions}
        rest = sorted(set(people) - watched - test)
        pools = {"machine": [i for i in rest if i in described], "human": [i for i in rest if i not in described]}
        generator = np.random.default_rng(SEED)
        chosen = watched.copy()
        for kind, number in LEARNED.items():
            chosen.update(generator.choice(pools[kind], number, replace=False).tolist())
        for system, captions in machine.items():
            some = {image: texts for image, texts in captions.items() if image in chosen}
            if some:
                (folder / f"{system}.system.json").write_text(json.dumps(some))
        done.write_text(json.dumps({image: texts for image, texts in people.items() if image in chosen}))
    return done, sorted(folder.glob("*.system.json"))


def measure(run: Path) -> None:
    """Print a row for each; figures are kept by the hash of the weights."""
    weights = {one: str(run / one) for one in CONTROLS} | {"shipped": "shipped"}
    prints = {control: load(folder).fingerprint for control, folder in weights.items()}
    parts: dict[str, Callable[[str], list[str]]] = {
        "Flickr8k-Expert, tau-c": lambda one: [correlation("flickr8k-expert", one, "kendall_c", preset="hessel2021")],
        "FOIL, pairs": lambda one: [pairs("foil", one, captions=COCO)],
        "X and X below X": lambda one: [repeated(one)],
        "R(RC) | R(WP) | R(RW) | R(RP)": robustness,
        "THumB, Pearson": lambda one: [correlation("thumb", one, "pearson")],
        "ABSTRACT-50S, pairs": lambda one: [pairs("abstract50s", one)],
    }
    rows: dict[str, list[str]] = {control: [] for control in weights}
    for part, figures_of in parts.items():
        for control, folder in weights.items():
            path = run / "figures" / f"{prints[control]}.json"
            kept: dict[str, list[str]] = json.loads(path.read_text()) if path.exists() else {}
            if part not in kept:
                kept[part] = figures_of(folder)
                path.parent.mkdir(exist_ok=True)
                path.write_text(json.dumps(kept))
            rows[control] += kept[part]
    head = " | ".join(parts)
    say(f"| training | {head} |")
    say("| --- |" + " --- |" * (head.count("|") + 1))
    for control, cells in rows.items():
        say(f"| {TITLES[control]} | {' | '.join(cells)} |")


def correlation(judged: str, weights: str, key: str, **options: object) -> str:
    """Return a correlation with people's judgments."""
    figures = _figures(judged, weights, options)[key]
    return _cell(figures["value"], figures["interval"])


def pairs(judged: str, weights: str, **options: object) -> str:
    """Return the share of pairs that are ordered as people do."""
    figures = _figures(judged, weights, options)
    return _share(figures["accuracy"]["mean"], figures["interval"]["mean"])


def robustness(weights: str) -> list[str]:
    """Return the areas R of the four transformations."""
    figures = _figures("robustness", weights, {"images": IMAGES}, COCO)
    return [_cell(figures[kind]["R"], figures[kind]["interval"]) for kind in KINDS]


def repeated(weights: str) -> str:
    """Return for how many captions X of the Karpathy test split "X and X" scores below X."""
    human = draw_captions(unseen_captions("coco", COCO).captions, IMAGES, SEED)
    variants = {"X": human.candidates, "X and X": transformed(human, "RP", 1.0, SEED)}
    scores = score_variants(ScoringOptions([_request(weights)]), human.images, variants, human.references)
    lower = scores["X and X"].columns["Critique"] < scores["X"].columns["Critique"]
    table = np.column_stack([lower, np.ones(len(lower))]).astype(np.float64)
    drawn = bootstrap_sums(table, Units.of(human.images), RESAMPLES, SEED, 1)
    return _share(float(lower.mean()), percentile_interval(drawn[:, 0] / drawn[:, 1]))


def _request(weights: str) -> str:
    return f"critique(weights={weights})"


def _figures(judged: str, weights: str, options: dict[str, Any], data: Path | None = None) -> dict[str, Any]:
    folder = data or DATA / ("flickr8k" if judged.startswith("flickr8k") else judged)
    found = study(judged, folder, metrics=_request(weights), resamples=RESAMPLES, **options)
    figures: dict[str, Any] = found.to_dict()["metrics"]["Critique"]
    return figures


def _cell(value: float, interval: Sequence[float]) -> str:
    low, high = (_short(bound) for bound in interval)
    return f"{_short(value)} ({low} to {high})"


def _short(value: float) -> str:
    return f"{value:.3f}".replace("0.", ".", 1) if abs(value) < 1 else f"{value:.3f}"


def _share(value: float, interval: Sequence[float]) -> str:
    return f"{value:.1%} ({100 * interval[0]:.1f} to {100 * interval[1]:.1f})".replace("%", " %", 1)


if __name__ == "__main__":
    main()
