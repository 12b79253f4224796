"""``caplens score --again``: score once more what a file records."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import fields, replace
from typing import TYPE_CHECKING, Any

from caplens.errors import InputError, UsageError, counted, name_some
from caplens.files.paths import exists

if TYPE_CHECKING:
    from caplens.cli.score import ScoreOptions

CLOSE = 1e-9
"""Relative difference up to which two scores are the same."""


def repeat(given: ScoreOptions, file: str) -> None:
    """Score again what a result file records, and show recorded and new scores beside each other."""
    from caplens.cli.console import show, show_line, warn
    from caplens.cli.score import reading_references, scored
    from caplens.output.document import read_document
    from caplens.output.terminal import number_table

    recorded = read_document(file)
    inputs = recorded.get("inputs")
    if not isinstance(inputs, Mapping) or not isinstance(recorded.get("metrics"), Mapping):
        raise InputError(
            f"{file} cannot be repeated: only .json files written by caplens score record what that takes."
        )
    wanted = _options(given, inputs, recorded["metrics"])
    result, _ = scored(wanted, wanted.one_file, reading_references(wanted))
    warn(result.warnings, given.quiet)
    old = {key: entry["score"] for key, entry in recorded["metrics"].items()}
    new = {key: score.score if math.isfinite(score.score) else None for key, score in result.items()}
    show(number_table(("metric", "recorded", "now", "difference"), _rows(old, new)))
    for name in _changed(inputs, wanted):
        show_line(f"{name} differs from the file that was scored.")
    differing = [key for key in old if not _same(old[key], new.get(key))]
    if differing:
        raise InputError(f"{len(differing)} of {counted(len(old), 'score')} do not reproduce: {name_some(differing)}.")
    show_line("The score reproduces." if len(old) == 1 else f"All {len(old)} scores reproduce.")


def _options(given: ScoreOptions, inputs: Mapping[str, Any], metrics: Mapping[str, Any]) -> ScoreOptions:
    """Return the options of the recorded run; files that the user names now stand in for the recorded ones."""
    known = {field.name for field in fields(given)}
    settings = {name: value for name, value in inputs.get("settings", {}).items() if name in known}
    candidates = given.candidates or tuple(entry["file"] for entry in inputs["candidates"].values())
    references = given.references or tuple(entry["file"] for entry in inputs["references"])
    missing = [name for name in (*candidates, *references) if not exists(name)]
    if missing:
        raise UsageError(
            f"{name_some(missing)} cannot be found; specify the files: caplens score --again RESULT CANDIDATES -r "
            f"REFERENCES."
        )
    signatures = dict.fromkeys(entry["signature"] for entry in metrics.values())
    return replace(given, **settings, candidates=candidates, references=references, metrics=", ".join(signatures))


def _changed(inputs: Mapping[str, Any], now: ScoreOptions) -> list[str]:
    from caplens.api.provenance import changed_files

    candidates: Sequence[Mapping[str, Any]] = list(inputs["candidates"].values())
    return [*changed_files(candidates, now.candidates), *changed_files(inputs["references"], now.references)]


def _rows(old: Mapping[str, float | None], new: Mapping[str, float | None]) -> list[tuple[str, list[float | None]]]:
    rows = []
    for key, before in old.items():
        after = new.get(key)
        difference = None if before is None or after is None else after - before
        rows.append((key, [before, after, difference]))
    return rows


def _same(before: float | None, after: float | None) -> bool:
    if before is None or after is None:
        return before is after
    return math.isclose(before, after, rel_tol=CLOSE, abs_tol=CLOSE)
