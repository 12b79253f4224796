"""Correlations of metrics with people under the bootstrap, beside a loop over scipy's functions."""

from __future__ import annotations

from statistics import median
from typing import Any

import report
from bench import SAME, Bench
from contenders import job
from report import MEGABYTE, Bar

RESAMPLES, SCIPY_RESAMPLES = 1_000, 3
METRICS = 8
CAPLENS_RUNS, SCIPY_RUNS = 3, 2
CAPLENS, SCIPY = "caplens, bootstrap_coefficients", "scipy, a loop"


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return CAPLENS_RUNS + SCIPY_RUNS


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    crowd = bench.captions.data / "flickr8k"
    commands = {
        SCIPY: job("bootstrap.py", "scipy", crowd, METRICS, SCIPY_RESAMPLES, bench.output),
        CAPLENS: job("bootstrap.py", "caplens", crowd, METRICS, RESAMPLES, bench.output),
    }
    runs = bench.in_turns("bootstrap", commands, {SCIPY: SCIPY_RUNS, CAPLENS: CAPLENS_RUNS})
    seconds = {
        name: median(output["seconds"] for output in outputs) / runs.outputs[name][0]["resamples"]
        for name, outputs in runs.outputs.items()
    }
    difference = max(
        abs(ours - theirs)
        for ours, theirs in zip(runs.outputs[CAPLENS][0]["values"], runs.outputs[SCIPY][0]["values"], strict=True)
    )
    memory = report.peak(runs.measured[CAPLENS]) / MEGABYTE
    report.bars(
        bench.console,
        "Bootstrap of correlations",
        [
            Bar("a resample, wall time", seconds[SCIPY] / seconds[CAPLENS], 20, "times less"),
            Bar("memory", memory, 1000, "MB", most=True),
        ],
    )
    bench.console.print(
        f"{runs.outputs[CAPLENS][0]['rows']:,} judgments of Flickr8k's crowd, {METRICS} metrics, four coefficients: "
        f"{RESAMPLES:,} resamples in {seconds[CAPLENS] * RESAMPLES:.1f} s; scipy, timed on {SCIPY_RESAMPLES}, would "
        f"take {seconds[SCIPY] * RESAMPLES:.0f} s. Largest difference of a coefficient: {difference:.1e}."
    )
    return {"agrees": difference <= SAME, "difference": difference, "seconds": seconds, "runs": runs.as_data()}
