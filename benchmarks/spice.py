"""SPICE: captions a second against the Java reference, whose speed is carried over from another machine.

The reference cannot be installed here (its models come from the network), so its speed stands in a file, with that of a
yardstick on the same machine: METEOR's Java tool. The same yardstick runs here in turns with caplens.
"""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from statistics import mean, median
from typing import Any

import report
from bench import Bench
from contenders import ORIGINAL, job
from report import MEGABYTE, Bar

FACTS = ("spice", "timing.json")
GOLDEN = ("spice", "golden", "coco2000_knn.json.gz")
TIMED_IMAGES = 500
"""The images of the golden set that the reference was timed on."""
MORE_IMAGES = 5_000
"""Of COCO val2014: enough for the start of Python not to matter."""
YARDSTICK_RUNS, RUNS = 2, 5
YARDSTICK, SAME_INPUT, MORE = "yardstick", "the input of the reference", "more images"
PARSED, KEPT = "more images, without packs", "more images, without packs, parses kept"
UNKNOWN = "spice(known=false)"
LENGTHS = (10, 30, 100, 300, 1000)


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return YARDSTICK_RUNS + 4 * RUNS + 1


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    facts = json.loads(bench.captions.data.joinpath(*FACTS).read_text())
    golden = bench.captions.data.joinpath(*GOLDEN)
    more = bench.captions.first(MORE_IMAGES, bench.folder)
    commands = {
        YARDSTICK: job("spice_yardstick.py", ORIGINAL, golden, bench.output),
        SAME_INPUT: job("spice_captions.py", bench.output, "spice", "-", _timed_rows(golden, bench.folder)),
        MORE: job("spice_captions.py", bench.output, "spice", "-", more.candidates, more.references),
        PARSED: job("spice_captions.py", bench.output, UNKNOWN, "-", more.candidates, more.references),
        KEPT: job(
            "spice_captions.py", bench.output, UNKNOWN, bench.folder / "parses", more.candidates, more.references
        ),
    }
    often = {**dict.fromkeys(commands, RUNS), YARDSTICK: YARDSTICK_RUNS}
    runs = bench.in_turns("SPICE", commands, often)
    yardstick = median(run["seconds"] for run in runs.outputs[YARDSTICK])
    java = facts["captions_per_second_total"] * mean(facts["yardstick"]["seconds"]) / yardstick
    speeds = {
        name: _speeds(runs.outputs[name], report.usual(runs.measured[name])) for name in commands if name != YARDSTICK
    }
    report.captions_per_second(bench.console, speeds, java, yardstick)
    memory = max(report.peak(runs.measured[name]) for name in speeds)
    report.bars(
        bench.console,
        "SPICE",
        [
            Bar(f"{SAME_INPUT}, whole process", speeds[SAME_INPUT]["all, whole process"] / java, 90, "times more"),
            Bar(f"{MORE}, whole process", speeds[MORE]["all, whole process"] / java, 150, "times more"),
            Bar(f"{PARSED}, whole process", speeds[PARSED]["all, whole process"] / java, 100, "times more"),
            Bar("memory", memory / MEGABYTE, 300, "MB", most=True),
        ],
    )
    lengths = _lengths(bench)
    return {
        "agrees": len({json.dumps(run["scores"]) for name in (PARSED, KEPT) for run in runs.outputs[name]}) == 1,
        "java_captions_per_second": java,
        "speeds": speeds,
        "runs": runs.as_data(),
        "milliseconds": lengths,
    }


def _timed_rows(golden: Path, folder: Path) -> Path:
    """Write the rows that the reference was timed on, in a format that caplens reads."""
    items = json.loads(gzip.decompress(golden.read_bytes()))["items"][:TIMED_IMAGES]
    path = folder / "timed.jsonl"
    path.write_text(
        "".join(json.dumps({key: item[key] for key in ("id", "candidate", "references")}) + "\n" for item in items)
    )
    return path


def _speeds(outputs: list[dict[str, Any]], whole: float) -> dict[str, float]:
    """Return captions a second, counted in three ways; the reference's own figure counts all captions and its start."""
    inside = median(output["seconds"] for output in outputs[1:])
    captions, distinct = outputs[0]["captions"], outputs[0]["distinct_captions"]
    return {
        "all, whole process": captions / whole,
        "distinct, whole process": distinct / whole,
        "distinct, after the start of Python": distinct / inside,
    }


def _lengths(bench: Bench) -> dict[str, float]:
    """Score longer and longer captions."""
    path = bench.folder / "lengths.json"
    path.write_text(json.dumps({words: bench.captions.long_pairs(words, 3) for words in LENGTHS}))
    bench.progress.measure("SPICE of long captions", job("spice_lengths.py", path, bench.output))
    found: dict[str, float] = json.loads(bench.output.read_bytes())
    report.lengths(bench.console, found, "SPICE of one caption and one reference of as many words")
    return found
