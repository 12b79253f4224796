"""The networks of composite metrics: captions a second, given the scores of their inputs."""

from __future__ import annotations

from statistics import median
from typing import Any

import report
from bench import Bench
from contenders import job
from report import Bar

ROWS = 1_000_000
RUNS = 5
NAMES = ("eval_ms", "eval_cs", "eval_mcs", "eval_wcs", "eval_mws", "eval_mwcs")


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return len(NAMES) * RUNS


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    commands = {name: job("composite_network.py", name, bench.output, ROWS) for name in NAMES}
    runs = bench.in_turns("composite metrics", commands, dict.fromkeys(NAMES, RUNS))
    speeds = {name: median(ROWS / output["seconds"] for output in runs.outputs[name]) for name in NAMES}
    difference = max(output["difference"] for outputs in runs.outputs.values() for output in outputs)
    bars = [Bar(f"{name}, the network alone", speed, 500_000, "captions a second") for name, speed in speeds.items()]
    report.bars(bench.console, "Composite metrics", bars)
    bench.console.print(
        f"{ROWS:,} captions, inputs drawn at random, one thread. Largest difference from a plain network in 64 bits: "
        f"{difference:.1e}."
    )
    return {"agrees": difference < 1e-5, "difference": difference, "speeds": speeds, "runs": runs.as_data()}
