"""The critique: captions scored a second, an epoch of training, compact bilinear pooling, and memory."""

from __future__ import annotations

from statistics import median
from typing import Any

import report
from bench import Bench
from contenders import job
from report import MEGABYTE, Bar

OFTEN = {"score": 5, "train": 1, "bilinear": 5}


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return sum(OFTEN.values())


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    files = (bench.inputs.candidates, bench.inputs.references, bench.output)
    runs = bench.in_turns("critique", {name: job("critique_speed.py", name, *files) for name in OFTEN}, OFTEN)
    scored, trained, pooled = (runs.outputs[name] for name in OFTEN)
    bars = [
        Bar("scoring", median(one["captions"] / one["seconds"] for one in scored), 3_000, "captions a second"),
        Bar("training, an epoch on 80,000 captions", trained[0]["seconds"] / 60, 5, "minutes", most=True),
        Bar("bilinear pooling by FFT", median(one["ratio"] for one in pooled), 10, "times as fast"),
        *(
            Bar(f"{name}: memory", report.peak(runs.measured[name]) / MEGABYTE, 2_000, "MB", most=True)
            for name in ("score", "train")
        ),
    ]
    report.bars(bench.console, "Critique", bars)
    difference = max(one["difference"] for one in pooled)
    bench.console.print(f"Largest difference of a pooled number from the explicit product's: {difference:.1e}.")
    return {"agrees": difference < 1e-2, "difference": difference, "runs": runs.as_data()}
