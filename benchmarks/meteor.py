"""METEOR: whole evaluations, the first caption, the index, long captions, many references, and as a reward."""

from __future__ import annotations

import json
from collections.abc import Callable
from statistics import median
from typing import Any

import report
from bench import PHASE_RUNS, SAME, WHOLE_STEPS, Bench
from contenders import COMMAND_LINE, DROP_IN, METEOR, ORIGINAL, ORIGINAL_NAME, SCORES_ONLY, job
from measuring import Measurement
from report import MEGABYTE, Bar

FIRST_RUNS, ORIGINAL_FIRST_RUNS, INDEX_RUNS = 7, 3, 2
LENGTHS = (10, 30, 100, 300, 1000)
PAIRS_OF_A_LENGTH = 6
MANY_REFERENCES = 5_000
CASE_ROUNDS = 3
CASES_LIMIT = 300.0
"""Seconds for all cases together, after which a tool is stopped."""
CAPLENS = "caplens"


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    first_caption = 1 + ORIGINAL_FIRST_RUNS + FIRST_RUNS
    return WHOLE_STEPS + PHASE_RUNS + first_caption + INDEX_RUNS + len((ORIGINAL, DROP_IN)) + 1


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    # The index is built before anything is timed: what follows are runs of people who have used METEOR before.
    bench.progress.measure("the index, if it is not there", job("first_caption.py", CAPLENS, bench.output))
    results = {
        **bench.side_by_side(METEOR),
        "phases": bench.step_by_step(METEOR),
        "first_caption": _first_caption(bench),
        "index": _index(bench),
        "cases": _cases(bench),
        "rewards": bench.reward_loop("meteor", "METEOR"),
    }
    results["agrees"] &= all(results[part]["agrees"] for part in ("first_caption", "cases", "rewards"))
    report.bars(bench.console, "METEOR", _bars(results))
    return results


def _first_caption(bench: Bench) -> dict[str, Any]:
    """Score one caption in fresh processes."""
    commands = {
        ORIGINAL_NAME: job("first_caption.py", ORIGINAL, bench.output),
        CAPLENS: job("first_caption.py", CAPLENS, bench.output),
    }
    often = {ORIGINAL_NAME: ORIGINAL_FIRST_RUNS, CAPLENS: FIRST_RUNS}
    runs = bench.in_turns("first caption", commands, often)
    report.whole_runs(bench.console, runs.measured, "METEOR of one caption, from the start of Python")
    theirs, ours = (runs.outputs[name][0]["scores"]["METEOR"] for name in commands)
    return {"agrees": abs(ours - theirs) <= SAME, "scores": [theirs, ours], "runs": runs.as_data()}


def _index(bench: Bench) -> dict[str, Any]:
    """Build the index of METEOR's paraphrases."""
    runs = bench.in_turns("index", {CAPLENS: job("build_index.py", bench.output)}, {CAPLENS: INDEX_RUNS})
    return {"bytes": runs.outputs[CAPLENS][0]["bytes"], "runs": runs.as_data()[CAPLENS]}


def _cases(bench: Bench) -> dict[str, Any]:
    """Score longer and longer captions, and one with very many references, with both tools."""
    path = bench.folder / "cases.json"
    cases = {f"{words:,} words": bench.captions.long_pairs(words, PAIRS_OF_A_LENGTH) for words in LENGTHS}
    cases[f"{MANY_REFERENCES:,} references"] = [bench.captions.many_references(MANY_REFERENCES)]
    path.write_text(json.dumps(cases))
    found = {}
    for package in (ORIGINAL, DROP_IN):
        bench.output.write_text("{}")
        command = job("token_pairs.py", package, path, bench.output, CASE_ROUNDS)
        bench.progress.measure(f"long captions, {package}", command, CASES_LIMIT)
        found[package] = json.loads(bench.output.read_bytes())
    theirs, ours = found[ORIGINAL], found[DROP_IN]
    differences = [
        abs(left - right)
        for name in theirs.keys() & ours.keys()
        for left, right in zip(theirs[name]["scores"], ours[name]["scores"], strict=True)
    ]
    difference = max(differences, default=0.0)
    milliseconds = {
        name: [median(tool[name]["seconds"]) / len(pairs) * 1000 if name in tool else None for tool in (theirs, ours)]
        for name, pairs in cases.items()
    }
    report.cases(bench.console, milliseconds, difference, CASES_LIMIT)
    return {"agrees": difference <= SAME, "difference": difference, "milliseconds": milliseconds}


def _bars(results: dict[str, Any]) -> list[Bar]:
    """Hold what was measured against what was set as the aim."""
    whole, first = _measurements(results["runs"]), _measurements(results["first_caption"]["runs"])
    index = [Measurement(**run) for run in results["index"]["runs"]]
    ours, rewards = (SCORES_ONLY, COMMAND_LINE), results["rewards"]

    def times(of: Callable[[list[Measurement]], float], runs: dict[str, list[Measurement]], name: str) -> float:
        return of(runs[ORIGINAL_NAME]) / of(runs[name])

    return [
        *(Bar(f"{name}: wall time", times(report.usual, whole, name), 40, "times less") for name in ours),
        *(Bar(f"{name}: CPU time", times(report.cpu, whole, name), 25, "times less") for name in ours),
        *(Bar(f"{name}: memory", report.peak(whole[name]) / MEGABYTE, 300, "MB", most=True) for name in ours),
        Bar("as a reward", median(rewards["caplens"]) / median(rewards["original"]), 20, "times as fast"),
        Bar("first caption, from the start of Python", times(report.usual, first, CAPLENS), 10, "times less"),
        Bar("index: time to build", max(run.seconds for run in index), 60, "s", most=True),
        Bar("index: size on disk", results["index"]["bytes"] / MEGABYTE, 400, "MB", most=True),
        Bar("index: memory while it is built", report.peak(index) / MEGABYTE, 500, "MB", most=True),
    ]


def _measurements(runs: dict[str, Any]) -> dict[str, list[Measurement]]:
    return {name: [Measurement(**run) for run in found] for name, found in runs.items()}
