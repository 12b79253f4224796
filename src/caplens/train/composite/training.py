"""``caplens train composite``: captions, their scores by the input metrics, networks from several seeds, and figures.

The output folder holds ``Eval_MS.safetensors`` and the like, ``Eval_MS.json`` with hyper-parameters, hashes of the data
and figures, and ``work`` with what a run that was killed need not do again.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path
from typing import TYPE_CHECKING, Any

import msgspec
import numpy as np
import numpy.typing as npt

from caplens._version import __version__
from caplens.arrays import Floats
from caplens.core.metric import Metric
from caplens.errors import InputError
from caplens.files.atomic import atomic_path
from caplens.files.progress import blocks
from caplens.learned.composite import feedforward
from caplens.learned.composite.feedforward import FeedForward
from caplens.learned.settings import Labels
from caplens.meta.captions.rows import JudgedRows
from caplens.meta.datasets.flickr8k import Flickr8kExpert
from caplens.metrics.combination.normalizing import request_of
from caplens.metrics.composite.trained import SUFFIX
from caplens.output.document import encode
from caplens.train.composite.captions import HUMAN, CaptionSources, WrittenCaptions, collect_rows, removed_images
from caplens.train.composite.recipes import CompositeRecipe
from caplens.train.composite.scores import facts_of, features_of, scored_captions

if TYPE_CHECKING:
    from caplens.train.composite.network import Examples, Judgments, NetworkSettings, Stopping, Watched

Say = Callable[[str], None]
WORK = "work"
STOPPED_BY = ("minus cross entropy on validation images", "tau-c with the experts of Flickr8k")


@dataclass(frozen=True)
class CompositeTraining:
    """What is trained, and on what.

    Attributes
    ----------
    recipes : tuple of CompositeRecipe
        The composite metrics.
    captions : CaptionSources
        The captions to learn from; their systems write the negatives.
    watched : CaptionSources or None
        Captions of other images: training stops where people and systems are told apart best there.
    judgments : pathlib.Path or None
        Folder with Flickr8k's captions and expert judgments, to stop where tau is best there, as the paper does;
        then these judgments are no test.
    held_out : CaptionSources or None
        Captions of further images and systems, to see whether style was learned instead of quality.
    images, watched_images : int
        How many images are drawn to learn from, and of the others; 0 for all.
    seeds : int
        Networks whose probabilities are averaged.
    seed : int
        Of the draws; networks have the seeds after it.
    labels : {"true", "shuffled", "inverted"}
        Whether people's and systems' captions are called what they are: the other two are controls.
    data_use : mapping of str to str
        What the files of weights say about the data: ``fitted_on``, ``chosen_on``, ``reported_on``.
    """

    recipes: tuple[CompositeRecipe, ...]
    captions: CaptionSources
    watched: CaptionSources | None = None
    judgments: Path | None = None
    held_out: CaptionSources | None = None
    images: int = 12_000
    watched_images: int = 2_000
    seeds: int = 5
    seed: int = 1
    labels: Labels = "true"
    data_use: Mapping[str, str] = field(default_factory=dict)


def train_composites(
    training: CompositeTraining, settings: NetworkSettings, output: Path, say: Say, jobs: int | None = None
) -> dict[str, dict[str, Any]]:
    """Train composite metrics and write them to a folder; return the figures of each by key."""
    inputs = _inputs(training.recipes)
    facts = facts_of(inputs)
    work = output / WORK
    work.mkdir(parents=True, exist_ok=True)
    rows = collect_rows(training.captions, training.images, training.seed)
    say(f"{len(rows):,} captions of {len(set(rows.images)):,} images; images not used: {removed_images(rows.removed)}")
    scores = scored_captions(rows, inputs, work, jobs)
    sides = {
        name: _written(sources, training, inputs, work, jobs)
        for name, sources in (("watched", training.watched), ("held_out", training.held_out))
        if sources is not None
    }
    judged = None if training.judgments is None else judged_scores(training.judgments, inputs, jobs)
    figures = {}
    for recipe in training.recipes:
        examples = _examples(rows, scores, recipe, training)
        if judged is not None:
            stopping: Stopping = _judgments(*judged, recipe.features)
        else:
            stopping = _watched(*sides["watched"], recipe, training)
        known = {request: facts[request] for request in (request_of(one) for one in recipe.inputs)}
        network, seeds = _train_seeds(recipe, examples, stopping, training, settings, known, work, say)
        found: dict[str, Any] = {STOPPED_BY[judged is not None]: stopping.value_of(network), "seeds": seeds}
        for name, (others, other_scores) in sides.items():
            found[name] = tell_apart(network, others, other_scores, recipe.features, tuple(training.captions.systems))
        _write(output, recipe, network, found, rows, training, settings)
        say(f"{recipe.title}: {STOPPED_BY[judged is not None]} {stopping.value_of(network):.4f}")
        figures[recipe.title] = found
    return figures


def _inputs(recipes: Sequence[CompositeRecipe]) -> list[Metric]:
    """Return all inputs, each once; the recipes must agree on their options."""
    found: dict[str, Metric] = {}
    for recipe in recipes:
        for one in recipe.inputs:
            if found.setdefault(one.name, one) != one:
                raise InputError(f"The metrics need {one.name} with different options: train them separately.")
    return list(found.values())


def _written(
    sources: CaptionSources, training: CompositeTraining, inputs: Sequence[Metric], work: Path, jobs: int | None
) -> tuple[WrittenCaptions, dict[str, Floats]]:
    """Return captions that are not learned from, those of all systems, and their scores."""
    rows = collect_rows(sources, training.watched_images, training.seed, negatives=0)
    return rows, scored_captions(rows, inputs, work, jobs)


def judged_scores(folder: Path, metrics: Sequence[Metric], jobs: int | None) -> tuple[JudgedRows, dict[str, Floats]]:
    """Return the judged captions of Flickr8k-Expert, their scores and the parts of those."""
    judged = Flickr8kExpert.presets()[0].judged(folder)
    return judged, features_of(judged.judged.candidates, judged.judged.references, metrics, jobs)


def _table(scores: dict[str, Floats], recipe: CompositeRecipe) -> tuple[Floats, npt.NDArray[np.bool_]]:
    """Return what a composite reads, and which captions have all of it."""
    table = np.column_stack([scores[key] for key in recipe.features])
    if recipe.parts:
        table = np.nan_to_num(table)
    known: npt.NDArray[np.bool_] = np.asarray(np.isfinite(table).all(axis=1))
    return table, known


def _examples(
    rows: WrittenCaptions, scores: dict[str, Floats], recipe: CompositeRecipe, training: CompositeTraining
) -> Examples:
    """Return the training examples; captions that an input cannot judge are left out."""
    from caplens.train.composite.network import Examples

    table, known = _table(scores, recipe)
    return Examples(table[known], labelled(rows.is_human[known], training.labels, training.seed))


def labelled(human: npt.NDArray[np.bool_], labels: Labels, seed: int) -> npt.NDArray[np.bool_]:
    """Return labels as they are, inverted, or shuffled.

    Examples
    --------
    >>> human = np.array([True, True, False])
    >>> labelled(human, "inverted", 0).tolist(), int(labelled(human, "shuffled", 0).sum())
    ([False, False, True], 2)
    """
    if labels == "shuffled":
        return np.random.default_rng([seed, 7]).permutation(human)
    return ~human if labels == "inverted" else human


def _watched(
    rows: WrittenCaptions, scores: dict[str, Floats], recipe: CompositeRecipe, training: CompositeTraining
) -> Watched:
    from caplens.train.composite.network import Watched

    return Watched(_examples(rows, scores, recipe, training))


def _judgments(judged: JudgedRows, columns: dict[str, Floats], keys: Sequence[str]) -> Judgments:
    from caplens.train.composite.network import Judgments

    return Judgments(np.column_stack([columns[key] for key in keys]), judged.place, judged.mean_human)


def _train_seeds(
    recipe: CompositeRecipe,
    examples: Examples,
    stopping: Stopping,
    training: CompositeTraining,
    settings: NetworkSettings,
    facts: dict[str, dict[str, str]],
    work: Path,
    say: Say,
) -> tuple[FeedForward, list[dict[str, Any]]]:
    """Train one network per seed, except those that an earlier run finished, and put them together."""
    from caplens.train.composite.network import train_network

    identity = hashlib.blake2b(digest_size=8)
    identity.update(repr((asdict(settings), facts, training.seed)).encode())
    identity.update(examples.scores.tobytes())
    identity.update(examples.human.tobytes())
    stopping.update(identity)
    networks, figures = [], []
    for place, _ in blocks(recipe.title, training.seeds, 1):
        seed = training.seed + place
        path = work / f"{recipe.title}-{identity.hexdigest()}-{seed}{SUFFIX}"
        if not path.is_file():
            done = train_network(examples, stopping, settings, seed)
            replace(done.network, facts={"value": repr(done.value), "step": str(done.step)}).save(path)
        network = feedforward.load(path)
        said = dict(network.facts or {})
        figures.append({"seed": seed, "value": float(said["value"]), "step": int(said["step"])})
        networks.append(network)
        say(f"{recipe.title} seed {seed}: {float(said['value']):.4f} after {said['step']} batches")
    about = {**recipe.describe(facts), "training": identity.hexdigest(), "labels": training.labels}
    return FeedForward.averaged(networks, {**about, **training.data_use}), figures


def tell_apart(
    network: FeedForward, rows: WrittenCaptions, scores: dict[str, Floats], keys: Sequence[str], trained: Sequence[str]
) -> dict[str, Any]:
    """Return how well people and systems are told apart on captions that were not learned from.

    A caption without one of the scores is left out where the network reads scores, and has 0 where it reads parts.

    Returns
    -------
    dict
        For the systems of the training and for the others: the share of captions on the right side of 1/2 (people's and
        systems' count half each), and the area under the curve (the chance that a person's caption scores above a
        system's). By system, the area.
    """
    table = np.column_stack([scores[key] for key in keys])
    if any("." in key for key in keys):
        table = np.nan_to_num(table)
    known = np.isfinite(table).all(axis=1)
    values = np.full(len(rows), np.nan)
    values[known] = network(table[known])
    writers = np.array(rows.writers)
    human = values[known & (writers == HUMAN)]
    systems = sorted(set(rows.writers) - {HUMAN})

    def of(names: Sequence[str]) -> dict[str, float]:
        machine = values[known & np.isin(writers, names)]
        return {
            "accuracy": float(((human > 0.5).mean() + (machine < 0.5).mean()) / 2),
            "area": area_under_curve(human, machine),
        }

    seen, unseen = [name for name in systems if name in trained], [name for name in systems if name not in trained]
    return {
        "images": len(set(rows.images)),
        "systems_of_the_training": of(seen) if seen else None,
        "other_systems": of(unseen) if unseen else None,
        "area_by_system": {name: of([name])["area"] for name in systems},
    }


def area_under_curve(positive: Floats, negative: Floats) -> float:
    """Return the chance that a positive is above a negative; equal ones count half.

    Examples
    --------
    >>> area_under_curve(np.array([2.0, 3.0]), np.array([1.0, 2.0]))
    0.875
    """
    ordered = np.sort(negative)
    below, up_to = np.searchsorted(ordered, positive, "left"), np.searchsorted(ordered, positive, "right")
    return float((below + up_to).mean() / 2 / len(negative))


def _write(
    output: Path,
    recipe: CompositeRecipe,
    network: FeedForward,
    figures: dict[str, Any],
    rows: WrittenCaptions,
    training: CompositeTraining,
    settings: NetworkSettings,
) -> None:
    """Write the weights, and beside them everything about their training."""
    key = recipe.title
    network.save(output / f"{key}{SUFFIX}")
    data = {
        "title": key,
        "weights": network.fingerprint,
        "caplens": __version__,
        "inputs": msgspec.json.decode((network.facts or {})["inputs"]),
        "features": recipe.features,
        "settings": asdict(settings),
        "seeds": training.seeds,
        "captions": {
            "rows": len(rows),
            "images": len(set(rows.images)),
            "hash": rows.fingerprint(),
            "systems": sorted(set(rows.writers) - {HUMAN}),
            "images_not_used": rows.removed,
        },
        "labels": training.labels,
        "stopped_by": STOPPED_BY[training.judgments is not None],
        **training.data_use,
        "figures": figures,
    }
    with atomic_path(output / f"{key}.json") as temporary:
        temporary.write_bytes(msgspec.json.format(encode(data), indent=1) + b"\n")
