"""Shards: every metric in 1, 7 and 64 of them beside the whole, and runs that are killed and resumed."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import report
from bench import Bench
from contenders import job
from rows import Rows, share

IMAGES, SHARDS = 5_000, (1, 7, 64)
SAME, NEARLY_SAME = 1e-9, 1e-6
SINGLE_PRECISION = ("wembsim_c",)
KILLS, KILLED_ROWS = 20, 50_000


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return 2


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    images = IMAGES // share(bench)
    command = job("shards.py", _write(bench, images), bench.output, ",".join(map(str, SHARDS)))
    bench.progress.measure(f"{images:,} images in shards", command)
    found = json.loads(bench.output.read_bytes())
    aims = {name: NEARLY_SAME if name in SINGLE_PRECISION else SAME for name in found["differences"]}
    title = f"{images:,} images: largest difference of a score or a bound of its interval from the whole"
    report.shards(bench.console, title, SHARDS, found["differences"], aims)
    for name, reason in found["without"].items():
        bench.console.print(f"Without {name}: {reason}")
    killed = _killed(bench)
    said = "the same bytes" if killed["same"] else "OTHER BYTES"
    bench.console.print(f"{killed['kills']} runs killed at random moments and resumed: {said}.")
    close = all(max(values) <= aims[name] for name, values in found["differences"].items())
    return {"agrees": close and killed["same"] and killed["kills"] == KILLS, "killed": killed, **found}


def _write(bench: Bench, images: int) -> str:
    """Write rows whose ids are those of images, by which CHAIR knows their objects; with a number to be read back."""
    references: dict[int, list[str]] = {}
    for row in bench.captions.references:
        references.setdefault(row["image_id"], []).append(row["caption"])
    candidates = bench.captions.candidates[:images]
    ids = [row["image_id"] for row in candidates]
    columns = {
        "id": ids,
        "candidate": [row["caption"] for row in candidates],
        "references": [references[image] for image in ids],
        "number": [image % 97 / 97 for image in ids],
    }
    path = bench.folder / "images.parquet"
    pq.write_table(pa.table(columns), path)
    return str(path)


def _killed(bench: Bench) -> dict[str, Any]:
    path = Rows(bench).write(bench.folder / "killed.parquet", KILLED_ROWS)
    bench.progress.measure(f"{KILLS} kills", job("kill_and_resume.py", path, bench.output, KILLS))
    killed: dict[str, Any] = json.loads(bench.output.read_bytes())
    return killed
