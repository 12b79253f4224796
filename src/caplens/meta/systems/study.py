"""How well corpus scores of captioning systems correlate with people's judgments of the systems."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.api.comparing import compare
from caplens.errors import InputError, Notice, name_some
from caplens.meta.captions.study import TITLES, Resampling
from caplens.meta.correlations import correlate_columns, mean_coefficients, plain
from caplens.meta.scoring import ScoreColumns, ScoringOptions, own_scores
from caplens.meta.study import Study
from caplens.meta.systems.files import coco_references, load_systems
from caplens.meta.systems.judged import HUMAN, JudgedSystems, SystemPreset, rank_of, shared_best
from caplens.output.tables import Column, NumberTable, Value
from caplens.readers.records import Record
from caplens.stats.correlation import COEFFICIENTS, correlate
from caplens.stats.resampling import Units

Floats = npt.NDArray[np.float64]
# Requests that mean: whatever the leaderboard has.
_ALL = (None, "coco", "all")


def board_columns(options: ScoringOptions, systems: JudgedSystems, rows: list[Record], source: str) -> ScoreColumns:
    """Take the scores that were asked for from a leaderboard; those that it does not have are named."""
    board = own_scores(rows, systems.names, source)
    if options.selection is None or options.metrics in _ALL:
        wanted = {} if options.selection is None else board.columns
        return ScoreColumns(dict(wanted), dict.fromkeys(wanted, f"scores from {source}"))
    keys = [key for metric in options.selection.metrics for key in metric.result_keys]
    details = {key: main for metric in options.selection.metrics for key, main in metric.details.items()}
    missing = [key for key in keys if key not in board.columns and details.get(key) not in board.columns]
    notices: tuple[Notice, ...] = ()
    if missing:
        message = f"{', '.join(missing)} not on the leaderboard {source}: score caption files instead (--systems DIR)"
        notices = (Notice("not-on-leaderboard", message, len(missing)),)
    found = {key: board.columns[key] for key in keys if key in board.columns}
    signatures = dict.fromkeys(found, f"scores from {source}")
    return ScoreColumns.of(options.selection.metrics, found, signatures, notices)


def caption_columns(options: ScoringOptions, files: Mapping[str, Path], captions: Path) -> ScoreColumns:
    """Score the captions of every system on the images that all have; a column has one corpus score a system."""
    if options.selection is None:
        return ScoreColumns({}, {})
    comparison = compare(
        load_systems(dict(files)),
        coco_references(captions),
        list(options.selection.metrics),
        tokenizer=options.tokenizer,
        jobs=options.jobs,
        parses=options.parses,
    )
    results = [comparison[name] for name in files]
    columns = {key: np.array([result[key].score for result in results]) for key in results[0]}
    signatures = {key: results[0][key].signature for key in columns}
    return ScoreColumns.of(options.selection.metrics, columns, signatures, comparison.warnings)


def system_study(
    name: str,
    systems: JudgedSystems,
    scores: ScoreColumns,
    preset: SystemPreset,
    resampling: Resampling,
    facts: Mapping[str, Any],
) -> Study:
    """Correlate corpus scores with people, measure by measure; ``facts`` says where the scores come from."""
    if not scores.columns:
        raise InputError("There are no scores of systems: see -m, --scores and --systems.")
    human = {measure: systems.human[measure] for measure in preset.measures}
    pairs = {
        f"{key}\t{measure}": (column, values)
        for key, column in scores.columns.items()
        for measure, values in human.items()
    }
    units = system_units(systems)
    found, samples = correlate_columns(pairs, units, resampling.resamples, resampling.seed, resampling.threads)
    metrics: dict[str, dict[str, Any]] = {}
    for key, column in scores.columns.items():
        entry: dict[str, Any] = {}
        for measure, values in human.items():
            label = f"{key}\t{measure}"
            entry[measure] = mean_coefficients([found[label]], [samples[label]])
            for coefficient, bounds in leave_one_out(column, values).items():
                entry[measure][coefficient]["leave_one_out"] = [plain(bound) for bound in bounds]
        first = human[preset.measures[0]]
        entry["rank_of_human"] = rank_of(HUMAN, systems.names, scores.ranked()[key])
        entry["top_five"] = shared_best(systems.names, scores.ranked()[key], first)
        entry["scores"] = [plain(value) for value in column.tolist()]
        entry.update(scores.describe(key))
        metrics[key] = entry
    data = {
        **system_facts(systems, preset, facts),
        "human": {measure: values.tolist() for measure, values in human.items()},
        "inter_human": None,
        "resampling": resampling.facts(units, "systems"),
        "metrics": metrics,
    }
    tables = (_table(name, data, preset), _agreement_table(name, data, preset))
    return Study(name, data, tables, scores.notices, system_items(systems))


def system_units(systems: JudgedSystems) -> Units:
    """Return the systems as what is resampled; with fewer than three of them every correlation is 1 or -1."""
    return Units.of(systems.names, fewest=3)


def system_items(systems: JudgedSystems) -> list[dict[str, Any]]:
    """Return the systems as rows of a file, for scores of the user's own."""
    return [
        {"id": name, **{measure: plain(float(values[place])) for measure, values in systems.human.items()}}
        for place, name in enumerate(systems.names)
    ]


def system_facts(systems: JudgedSystems, preset: SystemPreset, facts: Mapping[str, Any]) -> dict[str, Any]:
    """Return what result files say about the systems; ``facts`` says where the scores come from."""
    return {
        "preset": preset.to_dict(),
        "n": len(systems.names),
        "systems": systems.names,
        "left_out": {gone.code: gone.to_dict() for gone in systems.left_out},
        **facts,
    }


def system_notes(data: Mapping[str, Any], preset: SystemPreset) -> tuple[str, ...]:
    """Return what a reader must know of the systems: preset, names, what was left out."""
    return (
        f"preset {preset.name}: {preset.source}" + (f"; {preset.note}." if preset.note else "."),
        f"n = {data['n']} systems: {', '.join(data['systems'])}.",
        *(
            f"left out: {gone['count']} ({gone['why']}): {name_some(gone['ids'])}."
            for gone in data["left_out"].values()
        ),
        *(f"{team}: a later entry, of {date}." for team, date in data.get("later_entries", {}).items()),
    )


def leave_one_out(scores: Floats, human: Floats) -> dict[str, tuple[float, float]]:
    """Return the smallest and largest coefficient when one system is left out.

    Examples
    --------
    >>> bounds = leave_one_out(np.array([1.0, 2, 3, 9]), np.array([1.0, 3, 2, 9]))
    >>> [round(bound, 2) for bound in bounds["spearman"]]
    [0.5, 1.0]
    """
    rows = np.arange(len(scores))
    found = [correlate(scores[rows != gone], human[rows != gone]) for gone in rows]
    bounds = {}
    for name in COEFFICIENTS:
        values = np.array([coefficients[name].value for coefficients in found])
        values = values[np.isfinite(values)]
        bounds[name] = (float(values.min()), float(values.max())) if len(values) else (float("nan"), float("nan"))
    return bounds


def _table(name: str, data: dict[str, Any], preset: SystemPreset) -> NumberTable:
    first = preset.coefficient
    columns = [Column("metric"), Column("measure"), Column(TITLES[first]), Column("low"), Column("high")]
    columns += [Column("one out, least"), Column("one out, most"), Column("p", "p")]
    others = [other for other in reversed(COEFFICIENTS) if other != first]
    columns += [*(Column(TITLES[other]) for other in others), Column("printed", ".2f")]
    rows = []
    for key, entry in data["metrics"].items():
        for measure in preset.measures:
            figures = entry[measure]
            cells: list[Value] = [key, measure, figures[first]["value"], *figures[first]["interval"]]
            cells += [*figures[first]["leave_one_out"], figures[first]["p"]]
            cells += [figures[other]["value"] for other in others]
            rows.append((*cells, preset.printed.get(key, {}).get(measure)))
    notes = (
        *system_notes(data, preset),
        f"low, high: 95 % bootstrap interval, {data['resampling']['resamples']:,} resamples of systems.",
    )
    return NumberTable(f"{name}: correlation with people, system level", tuple(columns), tuple(rows), notes)


def _agreement_table(name: str, data: dict[str, Any], preset: SystemPreset) -> NumberTable:
    columns = (Column("metric"), Column("rank of Human"), Column("best five shared"))
    rows = [(key, entry["rank_of_human"], entry["top_five"]) for key, entry in data["metrics"].items()]
    note = (
        f"best five shared: how many of the five best machine entries by {preset.measures[0]} are so by the metric too."
    )
    return NumberTable(f"{name}: ranks", columns, tuple(rows), (note,))
