"""Reports: how long writing one takes beside scoring alone, how large it is, and how fast it sorts in a browser."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from statistics import median
from typing import Any

import report
from bench import Bench
from contenders import job
from measuring import Measurement
from report import Bar

SYSTEMS = ("dai2017", "liu2017", "mun2017", "shetty2016", "showandtell")
IMAGES = 5_000
COMPARE, REPORT, ALL = "compare", "with a report", "with --explain all"
RUNS = {COMPARE: 3, REPORT: 3, ALL: 1}
QUICK_RUNS = {COMPARE: 1, REPORT: 1}
MEGABYTE = 1e6


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return sum((RUNS if images > IMAGES else QUICK_RUNS).values()) + 1


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    systems = [_first_captions(bench, name) for name in SYSTEMS]
    files = (bench.output, bench.captions.all.references)
    page, whole = bench.folder / "report.html", bench.folder / "all.html"
    arguments: dict[str, tuple[Any, str]] = {COMPARE: ("", ""), REPORT: (page, ""), ALL: (whole, "all")}
    often = RUNS if bench.inputs is bench.captions.all else QUICK_RUNS
    commands = {name: job("pages_compare.py", *files, *arguments[name], *systems) for name in often}
    runs = bench.in_turns("pages", commands, often)
    bench.progress.measure("sorting in a browser", job("pages_sorting.py", page, bench.output))
    sorting = json.loads(bench.output.read_bytes())
    ratio = {what: _ratio(runs.measured, what) for what in often if what != COMPARE}
    size = {what: arguments[what][0].stat().st_size / MEGABYTE for what in ratio}
    bars = [
        Bar("comparing with a report, beside comparing alone", ratio[REPORT][0], 2, "times the time", most=True),
        Bar("size", size[REPORT], 6, "MB", most=True),
    ]
    bars += [
        Bar(f"sorting {IMAGES:,} rows by {what}, beside Array.sort", found, 10, "times as long", most=True)
        for what, found in sorting.items()
    ]
    report.whole_runs(bench.console, runs.measured, f"{len(SYSTEMS)} systems, {IMAGES:,} images, COCO metrics")
    report.bars(bench.console, "Reports", bars)
    for what, (wall, cpu) in ratio.items():
        bench.console.print(f"{what}: {wall:.2f} times the time, {cpu:.2f} times the CPU time, {size[what]:.1f} MB.")
    scores = [[output["scores"] for output in found] for found in runs.outputs.values()]
    agrees = all(each == scores[0][0] for found in scores for each in found)
    return {"agrees": agrees, "ratio": ratio, "size": size, "sorting": sorting, "runs": runs.as_data()}


def _ratio(measured: dict[str, list[Measurement]], what: str) -> tuple[float, float]:
    """Return wall time and CPU time beside those of scoring alone: medians of all runs."""
    wall, cpu = (
        median(getattr(run, name) for run in measured[what]) / median(getattr(run, name) for run in measured["compare"])
        for name in ("seconds", "cpu_seconds")
    )
    return wall, cpu


def _first_captions(bench: Bench, name: str) -> Path:
    """Write a system's captions of the Karpathy test split to a file."""
    folder = bench.captions.data / "coco_val2014"
    images = {int(line) for line in (folder / "splits" / "karpathy_test.txt").read_text().split()}
    rows = json.loads(gzip.decompress((folder / "systems" / f"{name}.json.gz").read_bytes()))
    path = bench.folder / f"{name}.json"
    path.write_text(json.dumps([row for row in rows if row["image_id"] in images][:IMAGES]))
    return path
