"""Streaming: memory as rows grow tenfold, speed beside one piece, and what captions cost."""

from __future__ import annotations

from typing import Any

import report
from bench import Bench
from contenders import ORIGINAL_NAME, ORIGINAL_TOOL, Metrics
from measuring import Measurement
from report import Bar
from rows import LEXICAL, Rows, score, share, stream

ROWS, MANY_ROWS = 1_000_000, 10_000_000
BATCH_ROWS = 20_000  # what the command line does; fewer in a quick run, so that there are several batches
METRICS = {"lexical": LEXICAL, "METEOR": "meteor"}
COSTS = {
    "WMD": ("wmd", 200_000),
    "WEmbSim": ("wembsim", 200_000),
    "Lens": ("lens", 100_000),
    "critique": ("critique", 40_000),
    "SPICE, every caption parsed": ("spice(known=false)", 4_000),
    "WEmbSim-C": ("wembsim_c", 1_000),
}
"""Metrics whose costs are measured on fewer rows; one thread, since the table says what a core does."""
ORIGINAL_IMAGES = 1_000
ORIGINAL = {"lexical": Metrics("BLEU, ROUGE-L, CIDEr", "bleu,rouge,cider"), "METEOR": Metrics("METEOR", "meteor")}


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return 6 * len(METRICS) + len(METRICS) + len(COSTS) + len(ORIGINAL)


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    rows, many = (number // share(bench) for number in (ROWS, MANY_ROWS))
    source = Rows(bench)
    some = source.write(bench.folder / "some.parquet", rows)
    alike = source.write(bench.folder / "alike.parquet", rows, shared=True)
    more = source.write(bench.folder / "more.parquet", many, shared=True)
    few = source.write(bench.folder / "few.parquet", 1_000)
    options = ("--batch-rows", BATCH_ROWS if share(bench) == 1 else BATCH_ROWS // 10)
    bars, results = [], {}
    for name, metrics in METRICS.items():
        stream(bench, f"{name}: what is kept", few, metrics)  # METEOR's index is made before the clock starts
        whole = bench.progress.measure(f"{name}: one piece", score(some, metrics, "-o", bench.output))
        shared = bench.progress.measure(f"{name}: one piece, alike", score(alike, metrics, "-o", bench.output))
        again = stream(bench, f"{name}: {rows:,} rows, alike", alike, metrics, *options)
        first = stream(bench, f"{name}: {rows:,} rows", some, metrics, *options)
        last = stream(bench, f"{name}: {many:,} rows, alike", more, metrics, *options)
        found = _figures(whole, shared, first, again, last)
        results[name] = found
        piece = f"{name}: captions per CPU second, of those of one piece"
        bars += [
            Bar(f"{name}: memory at {many:,} rows beyond that at {rows:,}", found["growth"], 10, "%", most=True),
            Bar(piece, found["speed"], 85, "%"),
            Bar(f"{piece}, rows with equal references", found["shared_speed"], 85, "%"),
        ]
    report.bars(bench.console, "Streaming", bars)
    return {"agrees": True, **results, "costs": _costs(bench, source)}


def _figures(
    whole: Measurement, shared: Measurement, first: Measurement, again: Measurement, last: Measurement
) -> dict[str, Any]:
    measured = (whole, shared, first, again, last)
    return {
        "growth": 100 * (last.peak_bytes / again.peak_bytes - 1),
        "speed": 100 * whole.cpu_seconds / first.cpu_seconds,
        "shared_speed": 100 * shared.cpu_seconds / again.cpu_seconds,
        "cpu_seconds": [each.cpu_seconds for each in measured],
        "bytes": [each.peak_bytes for each in measured],
    }


def _costs(bench: Bench, source: Rows) -> dict[str, float]:
    """Return captions per core-second, the start of the program included; beside them, those of the original."""
    costs = {}
    wanted = {**{name: (metrics, ROWS // 5) for name, metrics in METRICS.items()}, **COSTS}
    for name, (metrics, most) in wanted.items():
        rows = most // share(bench)
        path = source.write(bench.folder / "cost.parquet", rows)
        costs[name] = rows / stream(bench, f"{name}: one thread", path, metrics, "--jobs", 1).cpu_seconds
    inputs = bench.captions.first(ORIGINAL_IMAGES, bench.folder)
    for name, metrics in ORIGINAL.items():
        command = ORIGINAL_TOOL.command(inputs, bench.output, metrics)
        taken = bench.progress.measure(f"{name}: {ORIGINAL_NAME}", command).cpu_seconds
        costs[f"{name}, {ORIGINAL_NAME}"] = inputs.images / taken
    report.rates(bench.console, "captions with 5 to 7 references per core-second", costs)
    return costs
