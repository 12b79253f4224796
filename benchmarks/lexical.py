"""BLEU, ROUGE-L and CIDEr: whole evaluations, how they grow, and CIDEr as a reward."""

from __future__ import annotations

import sys
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

import caplens
import report
from bench import PHASE_RUNS, WHOLE_STEPS, Bench
from contenders import (
    COMMAND_LINE,
    LEXICAL,
    ORIGINAL_NAME,
    ORIGINAL_TOOL,
    SCORES_ONLY,
    Metrics,
    command_line,
)
from inputs import Inputs
from measuring import Measurement
from report import MEGABYTE, Bar

FEWER_IMAGES, FEWER_RUNS = 10_000, 4
TINY_IMAGES, TINY_RUNS = 250, 5
TINY = Metrics("BLEU of 250 captions", "bleu")
SIZES = (1_250, 2_500, 5_000, 10_000, 20_000, 40_000)
SCALING_RUNS = 3
JOBS = (1, 2)


def sizes(images: int) -> tuple[int, ...]:
    """Return the numbers of images that are tried."""
    return tuple(size for size in SIZES if size <= images)[-4:]


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    growing = len(JOBS) * SCALING_RUNS * len(sizes(images))
    return WHOLE_STEPS + 1 + FEWER_RUNS + 2 * TINY_RUNS + PHASE_RUNS + growing + 1


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    results = bench.side_by_side(LEXICAL)
    results["phases"] = bench.step_by_step(LEXICAL)
    results["scaling"] = _growing(bench)
    results["rewards"] = bench.reward_loop("cider", "CIDEr")
    report.bars(bench.console, LEXICAL.title, _bars(bench, results))
    results["agrees"] &= results["rewards"]["agrees"]
    return results


def _bars(bench: Bench, results: dict[str, Any]) -> list[Bar]:
    """Run what start-up weighs on most, and hold everything against its aim."""
    whole = {name: [Measurement(**run) for run in runs] for name, runs in results["runs"].items()}
    rewards = results["rewards"]
    fewer, tiny = _fewer(bench), _tiny(bench)
    results["fewer"], results["tiny"] = fewer, tiny
    times = {
        name: report.usual(whole[ORIGINAL_NAME]) / report.usual(whole[name]) for name in (COMMAND_LINE, SCORES_ONLY)
    }
    return [
        Bar(f"{COMMAND_LINE}: wall time", times[COMMAND_LINE], 40, "times less"),
        Bar(f"{COMMAND_LINE}: wall time, {min(FEWER_IMAGES, bench.inputs.images):,} images", fewer, 25, "times less"),
        Bar(f"{SCORES_ONLY}: wall time", times[SCORES_ONLY], 50, "times less"),
        *(Bar(f"{name}: memory", report.peak(whole[name]) / MEGABYTE, 300, "MB", most=True) for name in times),
        Bar("CIDEr as a reward", median(rewards["caplens"]) / median(rewards["original"]), 50, "times as fast"),
        Bar(f"{TINY.title}: wall time", tiny, 4, "times import numpy", most=True),
    ]


def _fewer(bench: Bench) -> float:
    """Return how many times less wall time the command line takes on fewer images."""
    inputs = bench.captions.first(min(FEWER_IMAGES, bench.inputs.images), bench.folder)
    commands = {
        ORIGINAL_NAME: ORIGINAL_TOOL.command(inputs, bench.output, LEXICAL),
        COMMAND_LINE: command_line(inputs, bench.output, LEXICAL),
    }
    often = {ORIGINAL_NAME: 1, COMMAND_LINE: FEWER_RUNS}
    measured = bench.in_turns(f"{inputs.images:,} images", commands, often).measured
    return report.usual(measured[ORIGINAL_NAME]) / report.usual(measured[COMMAND_LINE])


def _tiny(bench: Bench) -> float:
    """Return the wall time of a tiny job by that of ``import numpy``, the best runs of both."""
    example = Path(caplens.__file__).parent / "data" / "example"
    inputs = Inputs(example / "human.json", example / "references.json", TINY_IMAGES)
    commands = {
        TINY.title: command_line(inputs, bench.output, TINY),
        "import numpy": [sys.executable, "-c", "import numpy"],
    }
    seconds = {
        name: min(bench.progress.measure(f"{name}, run {turn + 1}", command).seconds for turn in range(TINY_RUNS))
        for name, command in commands.items()
    }
    return seconds[TINY.title] / seconds["import numpy"]


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
