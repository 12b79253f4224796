"""Ray in its local mode beside the file protocol, and with a worker that is killed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import report
from bench import Bench
from contenders import job
from report import Bar
from rows import LEXICAL, Rows, share, stream

ROWS, FILES = 2_000_000, 8
KILLED_ROWS, KILLED_FILES = 60_000, 3


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return 3


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    rows = ROWS // share(bench)
    source = Rows(bench)
    parts = _write(source, bench.folder / "parts", rows, FILES)
    files = stream(bench, "files", parts, LEXICAL)
    ray = stream(bench, "Ray", parts, LEXICAL, "--engine", "ray")
    same = _survives_a_kill(bench, source)
    speed = 100 * files.seconds / ray.seconds
    name = f"Ray: captions a second, of those of the file protocol on one process, {rows:,} rows"
    report.bars(bench.console, "Ray", [Bar(name, speed, 70, "%")])
    bench.console.print(f"A worker killed during a run on Ray: {'the same bytes' if same else 'OTHER BYTES'}.")
    seconds = {"files": files.seconds, "ray": ray.seconds}
    cpu_seconds = {"files": files.cpu_seconds, "ray": ray.cpu_seconds}
    return {"agrees": same, "speed": speed, "seconds": seconds, "cpu_seconds": cpu_seconds}


def _write(source: Rows, folder: Path, rows: int, files: int) -> Path:
    folder.mkdir()
    for number in range(files):
        source.write(folder / f"part-{number:04}.parquet", rows // files, number * rows)
    return folder


def _survives_a_kill(bench: Bench, source: Rows) -> bool:
    """Tell whether a run whose worker is killed writes the bytes of one that is left alone."""
    parts = _write(source, bench.folder / "killed", KILLED_ROWS, KILLED_FILES)
    bench.progress.measure("Ray, a worker killed", job("kill_ray_worker.py", parts, bench.output))
    return bool(json.loads(bench.output.read_bytes())["same"])
