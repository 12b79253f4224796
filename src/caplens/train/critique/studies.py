"""``caplens critique evaluate`` and ``ablation``: tables and figures from many small trainings."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np

from caplens.errors import InputError, Notice, name_some
from caplens.learned.critique.config import Context, CritiqueConfig, Fusion
from caplens.meta.correlations import plain
from caplens.meta.probes.robustness import STRENGTHS, TRANSFORMATIONS
from caplens.meta.study import Study
from caplens.output.tables import Column, NumberTable, Value
from caplens.readers.records import number, read_records, require_columns
from caplens.stats.correlation import correlate
from caplens.train.common import check_torch, make_folder
from caplens.train.critique.captions import read_image_captions
from caplens.train.critique.protocol import Behaviour, Protocol, check_enough, mean_and_spread, train_and_observe
from caplens.train.critique.request import Where, without_augmentation

Path_ = str | os.PathLike[str]

CONTEXTS: tuple[Context, ...] = ("image", "reference", "both")
FUSIONS: dict[Fusion, str] = {"linear": "concat + linear", "bilinear": "bilinear + linear", "mlp": "concat + MLP"}
VARIANTS: dict[str, tuple[Fusion, bool]] = {
    "linear, no augmentation": ("linear", False),
    "linear": ("linear", True),
    "non-linear, no augmentation": ("mlp", False),
    "non-linear": ("mlp", True),
}
"""The lines of figure 6, first row."""
_SOURCE = "Learning to evaluate image captioning (Cui et al., CVPR 2018)"


def evaluate_systems(
    protocol: Protocol,
    folder: Path_,
    systems: Mapping[str, Path_],
    references: Sequence[Path_],
    *,
    human: Path_ | None = None,
    where: Where | None = None,
) -> Study:
    """Evaluate captioning systems by the two-fold protocol of the paper (section 3.5).

    Parameters
    ----------
    protocol : Protocol
        Settings, seeds, images.
    folder : path
        For networks and results; what is there is not done again.
    systems : mapping of str to path
        The caption file of each system.
    references : sequence of path
        Captions by people.
    human : path, optional
        Judgments of the systems: a file of rows with ``system`` and columns of numbers.
    where : Where, optional
        Who hears of the progress, the device, the threads.
    """
    check_torch()
    where = where or Where()
    place = make_folder(folder)
    names = list(systems)
    judgments = {} if human is None else read_judgments(human, names)
    found: dict[str, list[Behaviour]] = {}
    for name, path in systems.items():
        where.say(f"{name}:")
        found[name] = protocol.evaluate(place, name, read_image_captions(references, [path]), where)
    entries = {name: _entry(behaviours) for name, behaviours in found.items()}
    scores = [entries[name]["score"]["mean"] for name in names]
    metric: dict[str, Any] = {"scores": scores, "signature": f"critique, two folds, {protocol.seeds} seeds"}
    rows: list[tuple[Value, ...]] = []
    for measure, values in judgments.items():
        pearson = correlate(np.array(scores), np.array(values))["pearson"]
        metric[measure] = {"pearson": {"value": plain(pearson.value), "p": plain(pearson.p)}}
        rows.append((measure, plain(pearson.value), plain(pearson.p)))
    data: dict[str, Any] = {
        "preset": {"name": "001", "source": f"{_SOURCE}, section 3.5", "coefficient": "pearson"},
        "n": len(names),
        "systems": names,
        "settings": protocol.config.to_toml(),
        "seeds": protocol.seeds,
        "images": protocol.images,
        "by_system": entries,
        "metrics": {"Critique": metric},
    }
    tables = [_evaluation_table(entries, protocol)]
    if judgments:
        data["human"] = judgments
        tables.append(_judgment_table(rows, len(names)))
    warnings = () if len(names) > 2 or not judgments else (_FEW,)
    return Study("critique-evaluate", data, tuple(tables), warnings)


_FEW = Notice("few-systems", "a correlation over fewer than three systems says nothing")


def read_judgments(path: Path_, names: Sequence[str]) -> dict[str, list[float]]:
    """Read people's judgments of systems: every column in which each of the systems has a number."""
    rows = read_records(path)
    require_columns(rows, ["system"], path)
    by_name = {str(row["system"]): row for row in rows}
    missing = [name for name in names if name not in by_name]
    if missing:
        raise InputError(f"{path} has no judgments of {name_some(missing)}: its column 'system' must name them.")
    found = {}
    for column in (column for column in rows[0] if column != "system"):
        values = [number(by_name[name].get(column)) for name in names]
        if np.isfinite(values).all():
            found[column] = values
    if not found:
        raise InputError(f"{path} has no column with a number for each of the systems.")
    return found


def _entry(behaviours: list[Behaviour]) -> dict[str, Any]:
    figures = {
        "score": [behaviour.score for behaviour in behaviours],
        "human": [behaviour.human_score for behaviour in behaviours],
        "capability": [behaviour.capability for behaviour in behaviours],
        **{kind: [behaviour.area(kind) for behaviour in behaviours] for kind in TRANSFORMATIONS},
    }
    entry: dict[str, Any] = {"images": behaviours[0].images}
    for name, values in figures.items():
        mean, spread = mean_and_spread(values)
        entry[name] = {"mean": mean, "spread": spread, "runs": values}
    return entry


def _evaluation_table(entries: dict[str, dict[str, Any]], protocol: Protocol) -> NumberTable:
    names = ("score", "human", "capability", *TRANSFORMATIONS)
    columns = [Column("system"), Column("images")]
    for name in names:
        columns += [Column(f"R({name})" if name in TRANSFORMATIONS else name), Column("+-")]
    rows = []
    for system, entry in sorted(entries.items(), key=lambda pair: -pair[1]["score"]["mean"]):
        cells: list[Value] = [system, entry["images"]]
        for name in names:
            cells += [entry[name]["mean"], entry[name]["spread"]]
        rows.append(tuple(cells))
    notes = (
        "score: mean P(human) of the system's captions, each by a network trained on the other half; human: of one "
        "human caption an image, with the same references; capability: eq. 10; R: area under the score of human "
        "captions made worse, eq. 11, lower is better.",
        *((f"+-: standard deviation over {protocol.seeds} seeds.",) if protocol.seeds > 1 else ()),
    )
    return NumberTable("critique: two-fold evaluation", tuple(columns), tuple(rows), notes)


def _judgment_table(rows: list[tuple[Value, ...]], systems: int) -> NumberTable:
    columns = (Column("judgment"), Column("Pearson"), Column("p", "p"))
    return NumberTable("critique: correlation with people", columns, tuple(rows), (f"n = {systems} systems.",))


def run_ablation(
    config: CritiqueConfig,
    folder: Path_,
    systems: Sequence[Path_],
    references: Sequence[Path_],
    images: int = 0,
    features: str | None = None,
    where: Where | None = None,
) -> Study:
    """Compare contexts and fusions (figure 5), and linear and non-linear critiques with augmentation or not (figure 6).

    Images are split in two; all networks learn from one half and are measured on the other. Without image features only
    the context ``reference`` can be had.
    """
    check_torch()
    where = where or Where()
    place = make_folder(folder)
    captions = read_image_captions(references, systems)
    captions = captions.take([row for row, theirs in enumerate(captions.machine) if theirs])
    generator = np.random.default_rng([config.training.seed, 5])
    order = generator.permutation(len(captions)).tolist()[: images or None]
    check_enough(len(order), "the systems")
    learned, scored = (captions.take(sorted(half)) for half in (order[: len(order) // 2], order[len(order) // 2 :]))
    contexts = CONTEXTS if features is not None else ("reference",)
    trained: dict[CritiqueConfig, Behaviour] = {}

    def behaviour(context: Context, fusion: Fusion, augmented: bool) -> Behaviour:
        settings = replace(config, network=replace(config.network, context=context, fusion=fusion))
        settings = settings if augmented else without_augmentation(settings)
        if settings not in trained:
            name = f"{context}-{fusion}{'' if augmented else '-plain'}"
            where.say(f"{name}:")
            made = make_folder(place / name)
            trained[settings] = train_and_observe(made, settings, learned, scored, features, where)
        return trained[settings]

    grid = {fusion: {context: behaviour(context, fusion, True) for context in contexts} for fusion in FUSIONS}
    # With features the variants look at image and reference, as the paper's best does.
    context = contexts[-1]
    lines = {name: behaviour(context, fusion, augmented) for name, (fusion, augmented) in VARIANTS.items()}
    data = {
        "preset": {"name": "001", "source": f"{_SOURCE}, figures 5 and 6"},
        "n": next(iter(lines.values())).images,
        "settings": config.to_toml(),
        "strengths": list(STRENGTHS),
        "transformations": dict(TRANSFORMATIONS),
        "grid": {
            FUSIONS[fusion]: {name: {"human": one.human_score, "machine": one.score} for name, one in row.items()}
            for fusion, row in grid.items()
        },
        "metrics": {name: _line(one) for name, one in lines.items()},
    }
    return Study("critique-ablation", data, (_grid_table(data, contexts), _robustness_table(lines)))


def _line(one: Behaviour) -> dict[str, Any]:
    curves = {kind: {"curve": one.normalised(kind).tolist(), "R": one.area(kind)} for kind in TRANSFORMATIONS}
    return {"capability": one.capability, **curves}


def _grid_table(data: dict[str, Any], contexts: Sequence[str]) -> NumberTable:
    columns = [Column("fusion"), *(Column(f"{who}, {context}") for who in ("human", "machine") for context in contexts)]
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (fusion, *(row[context][who] for who in ("human", "machine") for context in contexts))
        for fusion, row in data["grid"].items()
    )
    notes = [f"mean score of human and of machine captions of {data['n']:,} unseen images, by context."]
    if len(contexts) == 1:
        notes.append("without image features (--features FILE) there is only the context 'reference'.")
    return NumberTable("critique: contexts and fusions (figure 5)", tuple(columns), rows, tuple(notes))


def _robustness_table(lines: dict[str, Behaviour]) -> NumberTable:
    columns = (Column("critique"), Column("capability"), *(Column(f"R({kind})") for kind in TRANSFORMATIONS))
    rows: tuple[tuple[Value, ...], ...] = tuple(
        (name, one.capability, *map(one.area, TRANSFORMATIONS)) for name, one in lines.items()
    )
    note = "R: area under the score of human captions made worse, the human caption's being 1; lower is better."
    return NumberTable("critique: robustness of variants (figure 6, first row)", columns, rows, (note,))
