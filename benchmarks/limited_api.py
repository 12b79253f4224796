"""What Python's limited API costs: CPU time of kernels built for it, relative to kernels built for one Python.

    python benchmarks/limited_api.py FOLDER_A FOLDER_B [--data ../shared/data] [--rounds 3]

The folders are two `src` (or site-packages) with caplens: A without, B with the limited API. The two take turns, each
in a process of its own; the least time of each job counts, since other work on the machine can only add to it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

IMAGES = 1500
REPEATS = 3
SECONDS = 1.0  # a job that is shorter is repeated for so long
# Every kernel is in one of them; `tokens` is what reading, tokenising and counting cost before any metric.
METRICS = {
    "bleu": "bleu",
    "rouge": "rouge",
    "cider": "cider(df=coco-val2014)",
    "meteor": "meteor",
    "spice, every caption parsed": "spice(known=false)",
    "spice, references known": "spice",
    "wmd": "wmd",
    "wembsim": "wembsim",
    "greedy_matching": "greedy_matching",
    "vector_extrema": "vector_extrema",
    "critique": "critique",
}


def captions(data: Path) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the captions of a system for the first images of COCO val2014, and their references."""
    folder = data / "coco_val2014"
    rows = json.loads(gzip.decompress((folder / "systems" / "showandtell.json.gz").read_bytes()))[:IMAGES]
    candidates = {str(row["image_id"]): row["caption"] for row in rows}
    references: dict[str, list[str]] = {name: [] for name in candidates}
    for row in json.loads(gzip.decompress((folder / "captions_val2014.json.gz").read_bytes()))["annotations"]:
        if str(row["image_id"]) in references:
            references[str(row["image_id"])].append(row["caption"])
    return candidates, references


def jobs(data: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Name the jobs that are timed."""
    import numpy as np

    import caplens
    from caplens.stats import _resampling

    candidates, references = captions(data)
    for name, request in METRICS.items():
        metric = caplens.metric(request)

        def whole(metric: caplens.Metric = metric) -> object:
            return caplens.Evaluator(metric, references, jobs=1).score(candidates)

        yield name, whole
    cider = caplens.metric("cider(df=coco-val2014)")
    prepared = cider.prepare(references)
    ids = list(candidates)
    batch = [ids[start : start + 50] for start in range(0, len(ids), 50)]
    texts = [[candidates[name] for name in chosen] for chosen in batch]
    yield (
        "cider as a reward, batches of 50",
        lambda: [cider(words, prepared, ids=chosen) for words, chosen in zip(texts, batch, strict=True)],
    )
    keys = np.arange(5000, dtype=np.uint64)
    weights = np.empty((200, 5000))
    yield "bootstrap weights", lambda: _resampling.bootstrap_weights(12345, 0, keys, weights)
    yield "exchange weights", lambda: _resampling.exchange_weights(12345, 0, keys, weights)


def measure(data: Path) -> dict[str, float]:
    """Return the least CPU time of each job."""
    times = {}
    for name, job in jobs(data):
        job()
        least = float("inf")
        started, repeats = time.process_time(), 0
        while repeats < REPEATS or time.process_time() - started < SECONDS:
            repeats += 1
            begin = time.process_time()
            job()
            least = min(least, time.process_time() - begin)
        times[name] = least
    return times


def compare(folders: list[Path], data: Path, rounds: int) -> dict[str, list[float]]:
    """Let the builds take turns; return the least times of each job, one per build."""
    least: dict[str, list[float]] = {}
    for _ in range(rounds):
        for number, folder in enumerate(folders):
            environment = {**os.environ, "PYTHONPATH": str(folder.resolve()), "OMP_NUM_THREADS": "1"}
            command = [sys.executable, __file__, "--measure", "--data", str(data)]
            printed = subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout
            for name, seconds in json.loads(printed).items():
                times = least.setdefault(name, [float("inf")] * len(folders))
                times[number] = min(times[number], seconds)
    return least


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--rounds", type=int, default=3)
    parser.add_argument("--measure", action="store_true", help="time this build only, print JSON")
    given = parser.parse_args()
    if given.measure:
        print(json.dumps(measure(given.data)))
        return
    if len(given.folders) != 2:
        parser.error("name the two folders to compare")
    print("| job | seconds without | seconds with | cost |\n| --- | ---: | ---: | ---: |")
    for name, (without, limited) in compare(given.folders, given.data, given.rounds).items():
        print(f"| {name} | {without:.3f} | {limited:.3f} | {100 * (limited / without - 1):+.1f} % |")


if __name__ == "__main__":
    main()
