"""Lens: from the command line beside CIDEr, as a reward with prepared references, and memory."""

from __future__ import annotations

from statistics import median
from typing import Any

import report
from bench import SAME, Bench
from contenders import Metrics, command_line, job
from report import MEGABYTE, Bar

IMAGES = 5_000
RUNS = 5
BATCHES = (50, 250)


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return (2 + len(BATCHES)) * RUNS


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    inputs = bench.captions.first(min(IMAGES, bench.inputs.images), bench.folder)
    whole = {name: command_line(inputs, bench.output, Metrics(name, name)) for name in ("cider", "lens")}
    files = (inputs.candidates, inputs.references, bench.output)
    rewards = {f"batches of {size}": job("lens_reward.py", *files, size) for size in BATCHES}
    commands = {**whole, **rewards}
    runs = bench.in_turns("lens", commands, dict.fromkeys(commands, RUNS))
    ratio = report.usual(runs.measured["lens"]) / report.usual(runs.measured["cider"])
    unit = "captions a second"
    bars = [
        Bar(f"{inputs.images:,} images, wall time", ratio, 3, "times CIDEr", most=True),
        Bar("memory", report.peak(runs.measured["lens"]) / MEGABYTE, 300, "MB", most=True),
        *(
            Bar(f"reward, {name}", median(one["captions"] / one["seconds"] for one in runs.outputs[name]), 10_000, unit)
            for name in rewards
        ),
    ]
    report.bars(bench.console, "Lens", bars)
    difference = max(one["difference"] for name in rewards for one in runs.outputs[name])
    bench.console.print(f"Largest difference of a reward from the score in the whole corpus: {difference:.1e}.")
    return {"agrees": difference <= SAME, "difference": difference, "runs": runs.as_data()}
