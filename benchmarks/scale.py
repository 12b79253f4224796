"""Streaming and shards: memory as rows grow tenfold, speed beside one piece, killed runs, and Ray."""

from __future__ import annotations

import json
import shutil
import sys
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import report
from bench import Bench
from contenders import job
from measuring import Measurement
from report import Bar

ROWS, MANY_ROWS, RAY_ROWS = 1_000_000, 10_000_000, 2_000_000
QUICK_SHARE = 50  # of the rows, where only some images are used
RAY_FILES = 8
KILLS = 20
METRICS = {"lexical": "bleu, rouge, cider(df=coco-val2014)", "METEOR": "meteor"}


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return 3 * len(METRICS) + 2 + 1


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    share = 1 if bench.inputs.images > 5_000 else QUICK_SHARE
    rows, many, on_ray = (number // share for number in (ROWS, MANY_ROWS, RAY_ROWS))
    captions = _captions(bench)
    some, more = (_write(captions, bench.folder / f"rows_{number}.parquet", number) for number in (rows, many))
    bars, results = [], {}
    for name, metrics in METRICS.items():
        whole = bench.progress.measure(f"{name}: one piece", _score(some, metrics, "-o", bench.output))
        first = _stream(bench, name, some, metrics)
        second = _stream(bench, name, more, metrics)
        growth = 100 * (second.peak_bytes / first.peak_bytes - 1)
        speed = 100 * whole.cpu_seconds / first.cpu_seconds
        bars += [
            Bar(f"{name}: memory at {many:,} rows beyond that at {rows:,}", growth, 10, "%", most=True),
            Bar(f"{name}: captions per CPU second, of those of one piece", speed, 85, "%"),
        ]
        results[name] = {"growth": growth, "speed": speed, "rate": rows / first.cpu_seconds, "bytes": first.peak_bytes}
    parts = bench.folder / "parts"
    parts.mkdir()
    for number in range(RAY_FILES):
        _write(captions, parts / f"part-{number:04}.parquet", on_ray // RAY_FILES, number * on_ray)
    files = _stream(bench, "files", parts, METRICS["lexical"])
    ray = _stream(bench, "Ray", parts, METRICS["lexical"], "--engine", "ray")
    results["ray"] = 100 * files.seconds / ray.seconds
    bars.append(Bar("Ray: captions a second, of those of the file protocol on one process", results["ray"], 70, "%"))
    bench.progress.measure(f"{KILLS} kills", job("kill_and_resume.py", _first(some, bench.folder), bench.output, KILLS))
    killed = json.loads(bench.output.read_bytes())
    report.bars(bench.console, "Scale", bars)
    bench.console.print(
        f"{killed['kills']} runs killed at random moments and resumed: "
        f"{'the same bytes' if killed['same'] else 'OTHER BYTES'}."
    )
    return {"agrees": killed["same"] and killed["kills"] == KILLS, "killed": killed, **results}


def _captions(bench: Bench) -> pa.Table:
    """Return candidates with their references."""
    references: dict[int, list[str]] = {}
    for row in bench.captions.references:
        references.setdefault(row["image_id"], []).append(row["caption"])
    candidates = bench.captions.candidates[: bench.inputs.images]
    return pa.table(
        {
            "candidate": [row["caption"] for row in candidates],
            "references": [references[row["image_id"]] for row in candidates],
        }
    )


def _write(captions: pa.Table, path: Path, rows: int, first: int = 0) -> Path:
    """Repeat captions, with new ids."""
    writer = None
    for start in range(0, rows, len(captions)):
        table = captions.slice(0, min(len(captions), rows - start))
        ids = pa.array([f"row {first + start + place}" for place in range(len(table))])
        table = table.append_column("id", ids)
        writer = writer or pq.ParquetWriter(path, table.schema, compression="zstd")
        writer.write_table(table)
    if writer is not None:
        writer.close()
    return path


def _first(path: Path, folder: Path, rows: int = 20_000) -> Path:
    """Write the first rows to a file of their own."""
    few = folder / "few.parquet"
    pq.write_table(pa.Table.from_batches([next(pq.ParquetFile(path).iter_batches(rows))]), few)
    return few


def _score(path: Path, metrics: str, *options: object) -> list[str]:
    command = "from caplens.cli import main; main()"
    return [sys.executable, "-c", command, "score", str(path), "-m", metrics, "-q", *map(str, options)]


def _stream(bench: Bench, name: str, path: Path, metrics: str, *options: str) -> Measurement:
    folder = bench.folder / "shards"
    shutil.rmtree(folder, ignore_errors=True)
    command = _score(path, metrics, "--stream", "-o", folder, *options)
    return bench.progress.measure(f"{name}: {path.name}", command)
