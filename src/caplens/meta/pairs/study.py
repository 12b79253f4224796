"""On how many pairs a metric prefers the caption that people prefer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.errors import Notice, UsageError, counted, name_some
from caplens.meta.captions.study import Resampling
from caplens.meta.correlations import plain
from caplens.meta.pairs.judged import JudgedPairs, PairPreset, agreement
from caplens.meta.scoring import ScoreColumns, ScoringOptions, score_rows
from caplens.meta.study import Study
from caplens.output.tables import Column, NumberTable, Value
from caplens.stats.resampling import Units, bootstrap_sums, percentile_interval
from caplens.stats.sums import column_sums

Floats = npt.NDArray[np.float64]
DRAWS = 5
"""How often references are drawn unless another number is asked for."""


def draw_references(pairs: JudgedPairs, number: int | None, seed: int, draw: int | None) -> JudgedPairs:
    """Return the pairs with some of their references; all pairs of an image with the same ones.

    Parameters
    ----------
    pairs : JudgedPairs
        The pairs.
    number : int or None
        How many references each keeps; None or more than there are keeps all.
    seed : int
        Of the random choice.
    draw : int or None
        The number of the draw; None takes the first ``number``.
    """
    if number is None:
        return pairs
    chosen: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}
    generator = np.random.default_rng([seed, draw or 0])
    for image, references in zip(pairs.images, pairs.references, strict=True):
        if (image, references) not in chosen:
            order = np.arange(len(references)) if draw is None else generator.permutation(len(references))
            chosen[image, references] = tuple(references[place] for place in sorted(order[:number].tolist()))
    kept = [chosen[key] for key in zip(pairs.images, pairs.references, strict=True)]
    return replace(pairs, references=kept)


def pair_study(
    name: str,
    pairs: JudgedPairs,
    preset: PairPreset,
    options: ScoringOptions,
    resampling: Resampling,
    *,
    draws: int = DRAWS,
    curve: Sequence[int] = (),
) -> Study:
    """Count agreement with people on pairs.

    Parameters
    ----------
    name : str
        The study.
    pairs : JudgedPairs
        Pairs that the votes decide.
    preset : PairPreset
        Ties and the number of references.
    options, resampling
        What to score with, and how intervals are drawn.
    draws : int
        How often references are drawn; the mean is reported. 0 takes the first references instead.
    curve : sequence of int
        Also report the accuracy with these numbers of references.
    """
    if draws < 0:
        raise UsageError(f"The number of draws cannot be {draws}.")
    correct, scores = _mean_agreement(pairs, preset, options, resampling.seed, draws)
    data: dict[str, Any] = {
        "preset": preset.to_dict(),
        "n": len(pairs),
        "images": len(set(pairs.images)),
        "left_out": {gone.code: gone.to_dict() for gone in pairs.left_out},
        "references": {
            "number": preset.references,
            "draws": draws if _are_drawn(pairs, preset, options) else 0,
            "scored_here": options.selection is not None,
            "seed": resampling.seed,
        },
        "resampling": resampling.facts(Units.of(pairs.images), "images"),
        "categories": _counts(pairs),
        "metrics": {},
    }
    for key, shares in correct.items():
        data["metrics"][key] = {**_accuracy(pairs, shares, resampling), **scores.describe(key)}
    tables = [_table(name, data, preset)]
    if curve:
        data["curve"] = _curve(pairs, preset, options, resampling, draws, curve)
        tables.append(_curve_table(name, data["curve"]))
    holes = [
        Notice("no-score", f"{counted(int(np.isnan(shares).sum()), 'pair')} without a {key} score left out")
        for key, shares in correct.items()
        if np.isnan(shares).any()
    ]
    return Study(name, data, tuple(tables), (*scores.notices, *holes), _items(pairs))


def _items(pairs: JudgedPairs) -> list[dict[str, Any]]:
    """Return the captions as rows of a file, for a metric of the user's own; with all references."""
    return [
        {"id": f"{pairs.ids[row]} {letter}", "image": pairs.images[row], "candidate": captions[row]}
        | {"references": list(pairs.references[row])}
        | ({"kind": pairs.categories[row]} if pairs.categories else {})
        for row in range(len(pairs))
        for letter, captions in (("a", pairs.first), ("b", pairs.second))
    ]


def _score(pairs: JudgedPairs, options: ScoringOptions) -> ScoreColumns:
    ids = [f"{key} {letter}" for key in pairs.ids for letter in "ab"]
    captions = [caption for both in zip(pairs.first, pairs.second, strict=True) for caption in both]
    references = [theirs for theirs in pairs.references for _ in "ab"]
    return score_rows(options, ids, captions, references, [image for image in pairs.images for _ in "ab"])


def _mean_agreement(
    pairs: JudgedPairs, preset: PairPreset, options: ScoringOptions, seed: int, draws: int
) -> tuple[dict[str, Floats], ScoreColumns]:
    """Return for each score the mean over draws of the agreement on each pair, and the scores of the last draw."""
    votes = pairs.votes[preset.votes]
    prefers_first = votes[:, 0] > votes[:, 1]
    drawn = draws if _are_drawn(pairs, preset, options) else 0
    numbered: list[int | None] = list(range(drawn)) if drawn else [None]
    total: dict[str, Floats] = {}
    for draw in numbered:
        scores = _score(draw_references(pairs, preset.references, seed, draw), options)
        for key, column in scores.ranked().items():
            found = agreement(column[0::2], column[1::2], prefers_first, preset.ties)
            total[key] = total.get(key, 0.0) + found
    return {key: shares / len(numbered) for key, shares in total.items()}, scores


def _are_drawn(pairs: JudgedPairs, preset: PairPreset, options: ScoringOptions) -> bool:
    """Tell whether there are metrics to score with, and more references than the preset uses."""
    most = max(map(len, pairs.references))
    return options.selection is not None and preset.references is not None and preset.references < most


def _counts(pairs: JudgedPairs) -> dict[str, int]:
    labels = pairs.categories or ["all"] * len(pairs)
    return {category: labels.count(category) for category in dict.fromkeys(labels)}


def _accuracy(pairs: JudgedPairs, shares: Floats, resampling: Resampling) -> dict[str, Any]:
    """Return the share of agreement by category, and the unweighted mean of the categories, with intervals."""
    labels = np.array(pairs.categories or ["all"] * len(pairs))
    known = np.isfinite(shares)
    categories = list(_counts(pairs))
    inside = [(labels == category) & known for category in categories]
    table = np.column_stack([np.where(rows, np.nan_to_num(shares), 0.0) for rows in inside] + inside).astype(float)
    units = Units.of(pairs.images)
    drawn = bootstrap_sums(table, units, resampling.resamples, resampling.seed, resampling.threads)
    sums = np.vstack([column_sums(table), drawn])
    with np.errstate(invalid="ignore"):
        by_category = sums[:, : len(categories)] / sums[:, len(categories) :]
    columns = {category: by_category[:, place] for place, category in enumerate(categories)}
    columns["mean"] = by_category.mean(axis=1)
    return {
        "accuracy": {category: plain(float(values[0])) for category, values in columns.items()},
        "interval": {
            category: [plain(bound) for bound in percentile_interval(values[1:])]
            for category, values in columns.items()
        },
    }


def _curve(
    pairs: JudgedPairs,
    preset: PairPreset,
    options: ScoringOptions,
    resampling: Resampling,
    draws: int,
    numbers: Sequence[int],
) -> dict[str, Any]:
    """Return the accuracy by number of references: by score, then by category."""
    curve: dict[str, dict[str, list[float | None]]] = {}
    quick = replace(resampling, resamples=1)
    for number in numbers:
        correct, _ = _mean_agreement(pairs, replace(preset, references=number), options, resampling.seed, draws)
        for key, shares in correct.items():
            for category, share in _accuracy(pairs, shares, quick)["accuracy"].items():
                curve.setdefault(key, {}).setdefault(category, []).append(share)
    return {"references": list(numbers), "metrics": curve}


def _table(name: str, data: dict[str, Any], preset: PairPreset) -> NumberTable:
    shown = list(next(iter(data["metrics"].values()))["accuracy"])
    if "all" in shown:
        shown.remove("mean")
    printed = [key for key in data["metrics"] if key in preset.printed]
    last = shown[-1]
    columns = [
        Column("metric"),
        *(Column(category, ".1f") for category in shown),
        Column("low", ".1f"),
        Column("high", ".1f"),
    ]
    if printed:
        columns += [Column(f"{category} printed", ".1f") for category in shown]
    rows = []
    for key, entry in data["metrics"].items():
        cells: list[Value] = [key, *(_percent(entry["accuracy"][category]) for category in shown)]
        cells += [_percent(bound) for bound in entry["interval"][last]]
        if printed:
            cells += [preset.printed.get(key, {}).get(category) for category in shown]
        rows.append(tuple(cells))
    counts = ", ".join(f"{category} {count:,}" for category, count in data["categories"].items())
    notes = [
        f"preset {preset.name}: {preset.source}; ties count {preset.ties}"
        + (f"; {preset.note}." if preset.note else "."),
        f"n = {data['n']:,} pairs of {data['images']:,} images ({counts}); {_references_of(data['references'])}.",
        *(
            f"left out: {gone['count']:,} ({gone['why']}): {name_some(gone['ids'])}."
            for gone in data["left_out"].values()
        ),
        f"low, high: 95 % bootstrap interval of {last}, {data['resampling']['resamples']:,} resamples of images.",
    ]
    return NumberTable(
        f"{name}: share of pairs judged as people do, percent", tuple(columns), tuple(rows), tuple(notes)
    )


def _references_of(how: dict[str, Any]) -> str:
    """Say which references the captions were scored with."""
    if not how["scored_here"]:
        return "scores from a file, with the references that it used"
    if how["number"] is None:
        return "all references"
    if how["draws"]:
        return f"{how['number']} references, mean of {counted(how['draws'], 'random draw')}"
    return f"the first {how['number']} references"


def _curve_table(name: str, curve: dict[str, Any]) -> NumberTable:
    columns = (Column("metric"), Column("pairs"), *(Column(str(number), ".1f") for number in curve["references"]))
    rows = [
        (key, category, *map(_percent, shares))
        for key, categories in curve["metrics"].items()
        for category, shares in categories.items()
        if category != "mean" or "all" not in categories
    ]
    return NumberTable(f"{name}: accuracy by number of references, percent", columns, tuple(rows))


def _percent(share: float | None) -> float | None:
    return None if share is None else 100 * share
