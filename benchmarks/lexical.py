"""BLEU, ROUGE-L and CIDEr: whole evaluations, how they grow, and CIDEr as a reward."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import report
from bench import PHASE_RUNS, WHOLE_STEPS, Bench
from contenders import LEXICAL, command_line
from measuring import Measurement

SIZES = (1_250, 2_500, 5_000, 10_000, 20_000, 40_000)
SCALING_RUNS = 3
JOBS = (1, 2)


def sizes(images: int) -> tuple[int, ...]:
    """Return the numbers of images that are tried."""
    return tuple(size for size in SIZES if size <= images)[-4:]


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return WHOLE_STEPS + PHASE_RUNS + len(JOBS) * SCALING_RUNS * len(sizes(images)) + 1


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    results = bench.side_by_side(LEXICAL)
    results["phases"] = bench.step_by_step(LEXICAL)
    results["scaling"] = _growing(bench)
    results["rewards"] = bench.reward_loop("cider", "CIDEr")
    results["agrees"] &= results["rewards"]["agrees"]
    return results


def _growing(bench: Bench) -> dict[str, Any]:
    """Run ``caplens score`` on more and more images, with one thread and with two."""
    inputs = [bench.captions.first(size, bench.folder) for size in sizes(bench.inputs.images)]
    runs: dict[int, dict[int, list[Measurement]]] = {part.images: {jobs: [] for jobs in JOBS} for part in inputs}
    for turn in range(SCALING_RUNS):
        for part in inputs:
            for jobs in JOBS:
                label = f"{part.images:,} images, --jobs {jobs}, run {turn + 1}"
                command = command_line(part, bench.output, LEXICAL, "--jobs", str(jobs))
                runs[part.images][jobs].append(bench.progress.measure(label, command))
    report.scaling(bench.console, runs)
    return {
        str(size): {str(jobs): [asdict(run) for run in measured] for jobs, measured in by_jobs.items()}
        for size, by_jobs in runs.items()
    }
