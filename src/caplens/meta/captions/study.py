"""How well scores of captions correlate with people's ratings."""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property
from itertools import combinations
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.errors import Notice, counted, name_some
from caplens.files.threads import available_cpus
from caplens.meta.captions.judged import JudgedCaptions, Preset
from caplens.meta.correlations import correlate_columns, mean_coefficients
from caplens.meta.scoring import ScoreColumns, ScoringOptions, score_rows
from caplens.meta.study import Study
from caplens.output.tables import Column, NumberTable, Value
from caplens.stats import SEED
from caplens.stats.correlation import COEFFICIENTS, correlate
from caplens.stats.resampling import Units
from caplens.stats.significance import LEAST_RESAMPLES

Floats = npt.NDArray[np.float64]
Integers = npt.NDArray[np.int64]

TITLES = {"pearson": "Pearson", "spearman": "Spearman", "kendall_b": "Kendall b", "kendall_c": "Kendall c"}


@dataclass(frozen=True)
class Resampling:
    """How intervals are drawn."""

    resamples: int = LEAST_RESAMPLES
    seed: int = SEED
    jobs: int | None = None

    @property
    def threads(self) -> int:
        """Threads to use."""
        return self.jobs or available_cpus()

    def facts(self, units: Units, what: str) -> dict[str, Any]:
        """Return what result files say about the resamples; ``what`` names the units."""
        left_out = units.left_out(self.resamples, self.seed)
        return {"resamples": self.resamples, "left_out": left_out, "seed": self.seed, "units": what}


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Judged captions as the rows of a study: a caption with its mean rating, or one row a judgment."""

    judged: JudgedCaptions
    preset: Preset

    @cached_property
    def given(self) -> npt.NDArray[np.bool_]:
        """Which ratings exist, by caption and rater: those of the first aspect."""
        return np.isfinite(next(iter(self.judged.ratings.values())))

    @cached_property
    def place(self) -> Integers:
        """The caption of each row."""
        captions = np.arange(len(self.judged))
        if self.preset.rows == "captions":
            return captions
        return np.repeat(captions, self.given.sum(axis=1))

    @cached_property
    def human(self) -> dict[str, Floats]:
        """The human score of each row, by aspect."""
        if self.preset.rows == "captions":
            return {aspect: np.nanmean(ratings, axis=1) for aspect, ratings in self.judged.ratings.items()}
        return {aspect: ratings[self.given] for aspect, ratings in self.judged.ratings.items()}

    @property
    def mean_human(self) -> Floats:
        """The human score of each row, the mean of the aspects."""
        return np.mean(np.column_stack(list(self.human.values())), axis=1)  # type: ignore[no-any-return]

    @cached_property
    def images(self) -> Units:
        """The images of the captions."""
        return Units.of(self.judged.images)

    @property
    def owners(self) -> Units:
        """The images of the rows."""
        return self.images.take(self.place)

    def score(self, options: ScoringOptions) -> ScoreColumns:
        """Score every caption once; the columns have one number a caption."""
        judged = self.judged
        repeats = np.bincount(self.place, minlength=len(judged))
        return score_rows(options, judged.ids, judged.candidates, judged.references, judged.images, repeats)

    def describe(self) -> dict[str, Any]:
        """Return what result files say about the rows."""
        return {
            "preset": self.preset.to_dict(),
            "n": len(self.place),
            "captions": len(self.judged),
            "images": len(self.images),
            "left_out": {gone.code: gone.to_dict() for gone in self.judged.left_out},
        }

    def items(self) -> list[dict[str, Any]]:
        """Return the captions as rows of a file, for a metric of the user's own."""
        judged = self.judged
        human = {aspect: np.nanmean(ratings, axis=1) for aspect, ratings in judged.ratings.items()}
        return [
            {
                "id": judged.ids[row],
                "image": judged.images[row],
                "candidate": judged.candidates[row],
                "references": list(judged.references[row]),
                **{"human" if len(human) == 1 else aspect: float(values[row]) for aspect, values in human.items()},
            }
            for row in range(len(judged))
        ]


def caption_study(name: str, rows: JudgedRows, options: ScoringOptions, resampling: Resampling) -> Study:
    """Correlate the scores of all metrics with people."""
    scores = rows.score(options)
    pairs = {
        f"{key}\t{aspect}": (column[rows.place], human)
        for key, column in scores.columns.items()
        for aspect, human in rows.human.items()
    }
    found, samples = correlate_columns(pairs, rows.owners, resampling.resamples, resampling.seed, resampling.threads)
    metrics: dict[str, dict[str, Any]] = {}
    for key, column in scores.columns.items():
        names = [f"{key}\t{aspect}" for aspect in rows.human]
        metrics[key] = mean_coefficients([found[name] for name in names], [samples[name] for name in names])
        metrics[key]["n"] = int(np.isfinite(column[rows.place]).sum())
        metrics[key].update(scores.describe(key))
    inter_human = _inter_human(rows, resampling)
    data = {
        **rows.describe(),
        "aspects": list(rows.human),
        "inter_human": inter_human,
        "resampling": resampling.facts(rows.owners, "images"),
        "metrics": metrics,
    }
    return Study(
        name, data, (_table(name, data, rows.preset),), (*scores.notices, *_holes(metrics, data)), rows.items()
    )


def _inter_human(rows: JudgedRows, resampling: Resampling) -> dict[str, Any] | None:
    """Return the mean correlation of pairs of raters over the kept captions; None where each has a single rating."""
    ratings = next(iter(rows.judged.ratings.values()))
    raters = ratings.shape[1]
    if raters < 2:
        return None
    pairs = {
        f"{one + 1} {other + 1}": (ratings[:, one], ratings[:, other]) for one, other in combinations(range(raters), 2)
    }
    # Raters who judged no caption together, or who gave one rating throughout, agree neither well nor badly.
    pairs = {name: pair for name, pair in pairs.items() if math.isfinite(correlate(*pair)["pearson"].value)}
    if not pairs:
        return None
    found, samples = correlate_columns(pairs, rows.images, resampling.resamples, resampling.seed, resampling.threads)
    entry = mean_coefficients(list(found.values()), list(samples.values()))
    return {**entry, "raters": raters, "pairs": len(pairs), "n": len(ratings)}


def _holes(metrics: dict[str, dict[str, Any]], data: dict[str, Any]) -> list[Notice]:
    return [
        Notice("no-score", f"{counted(data['n'] - entry['n'], 'row')} without a {key} score left out of its figures")
        for key, entry in metrics.items()
        if entry["n"] < data["n"]
    ]


def _table(name: str, data: dict[str, Any], preset: Preset) -> NumberTable:
    first = preset.coefficient
    others = [other for other in reversed(COEFFICIENTS) if other != first]
    digits = ".1f" if preset.factor == 100 else ".3f"
    times = f" x {preset.factor}" if preset.factor != 1 else ""
    head = [Column("metric"), Column(f"{TITLES[first]}{times}", digits), Column("low", digits), Column("high", digits)]
    head += [Column("p", "p"), *(Column(TITLES[other], digits) for other in others)]
    printed = any(key in preset.printed for key in data["metrics"])
    if printed:
        head.append(Column("printed", digits[:2] + "g" if preset.factor == 1 else digits))

    def row(label: str, entry: dict[str, Any]) -> tuple[Value, ...]:
        def scaled(value: float | None) -> float | None:
            return None if value is None else value * preset.factor

        low, high = entry[first]["interval"]
        cells: list[Value] = [label, scaled(entry[first]["value"]), scaled(low), scaled(high), entry[first]["p"]]
        cells += [scaled(entry[other]["value"]) for other in others]
        return (*cells, preset.printed.get(label)) if printed else tuple(cells)

    rows = [row(key, entry) for key, entry in data["metrics"].items()]
    if data["inter_human"]:
        rows.append(row("inter-human", data["inter_human"]))
    return NumberTable(f"{name}: correlation with people", tuple(head), tuple(rows), notes_of(data, preset))


def notes_of(data: dict[str, Any], preset: Preset) -> tuple[str, ...]:
    """Return what a reader must know of the rows: preset, numbers, what was left out."""
    kind = "a row is a caption with its mean rating" if preset.rows == "captions" else "a row is a single judgment"
    notes = ["; ".join(filter(None, [f"preset {preset.name}: {preset.source}", kind, preset.note])) + "."]
    notes.append(
        f"n = {data['n']:,} rows: {counted(data['captions'], 'caption')} of {counted(data['images'], 'image')}; "
        f"candidates among their own references: {preset.own}."
    )
    notes += [
        f"left out: {gone['count']:,} ({gone['why']}): {name_some(gone['ids'])}." for gone in data["left_out"].values()
    ]
    if "resampling" in data:
        how = data["resampling"]
        notes.append(
            f"low, high: 95 % bootstrap interval, {how['resamples']:,} resamples of {how['units']}, seed {how['seed']}."
        )
        if data["images"] < data["n"]:
            notes.append("p: two-sided, of independent rows; rows of one image are not, so trust the interval.")
    if len(data.get("aspects", ())) > 1:
        notes.append(f"the mean of the correlations with {' and '.join(data['aspects'])}.")
    return tuple(notes)
