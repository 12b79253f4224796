"""What Python's limited API costs: kernels built for it, relative to kernels built for one Python.

    python benchmarks/limited_api.py FOLDER_A FOLDER_B [--data ../shared/data] [--seconds] [--rounds 3]

The folders are two `src` (or site-packages) with caplens: A without, B with the limited API. The instructions of each
job are counted with valgrind, which does not depend on what else the machine does. With --seconds CPU times are
measured instead: the two take turns, each in a process of its own, and the least time of each job counts, since other
work on the machine can only add to it.
"""

from __future__ import annotations

import argparse
import gzip
import json
import os
import re
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from pathlib import Path

IMAGES = 1500
COUNTED_IMAGES = 60  # under valgrind everything takes fifty times as long
MARK = "getppid"  # a function of the C library that nothing else calls: valgrind writes its counts down there
REPEATS = 3
SECONDS = 1.0  # a job that is shorter is repeated for so long
# Every kernel is in one of them; `tokens` is what reading, tokenising and counting cost before any metric.
METRICS = {
    "bleu": "bleu",
    "rouge": "rouge",
    "cider": "cider(df=coco-val2014)",
    "meteor": "meteor",
    "wmd": "wmd",
    "wembsim": "wembsim",
    "greedy_matching": "greedy_matching",
    "vector_extrema": "vector_extrema",
    "critique": "critique",
    "spice, references known": "spice",
    "spice, every caption parsed": "spice(known=false)",
}


def captions(data: Path, images: int) -> tuple[dict[str, str], dict[str, list[str]]]:
    """Return the captions of a system for the first images of COCO val2014, and their references."""
    folder = data / "coco_val2014"
    rows = json.loads(gzip.decompress((folder / "systems" / "showandtell.json.gz").read_bytes()))[:images]
    candidates = {str(row["image_id"]): row["caption"] for row in rows}
    references: dict[str, list[str]] = {name: [] for name in candidates}
    for row in json.loads(gzip.decompress((folder / "captions_val2014.json.gz").read_bytes()))["annotations"]:
        if str(row["image_id"]) in references:
            references[str(row["image_id"])].append(row["caption"])
    return candidates, references


def jobs(file: Path) -> Iterator[tuple[str, Callable[[], object]]]:
    """Name the jobs that are measured on the captions in a file."""
    import numpy as np

    import caplens
    from caplens.stats import _resampling

    candidates, references = json.loads(file.read_bytes())
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


def count(file: Path) -> list[str]:
    """Run each job once to warm up and once between two marks; return their names."""
    names = []
    for name, job in jobs(file):
        names.append(name)
        job()
        os.getppid()
        job()
        os.getppid()
    return names


def measure(file: Path) -> dict[str, float]:
    """Return the least CPU time of each job."""
    times = {}
    for name, job in jobs(file):
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


def run(folder: Path, mode: str, file: Path, before: tuple[str, ...] = ()) -> str:
    """Run this file with the caplens of a folder; return what it prints."""
    environment = {**os.environ, "PYTHONPATH": str(folder.resolve()), "OMP_NUM_THREADS": "1"}
    command = [*before, sys.executable, __file__, mode, str(file)]
    return subprocess.run(command, env=environment, check=True, capture_output=True, text=True).stdout


def instructions(folder: Path, file: Path) -> dict[str, float]:
    """Return how many instructions each job takes, in millions."""
    with tempfile.TemporaryDirectory() as place:
        out = Path(place, "counts")
        valgrind = ("valgrind", "--tool=callgrind", f"--dump-before={MARK}", f"--callgrind-out-file={out}", "--quiet")
        names = json.loads(run(folder, "--count", file, valgrind))
        # Counts start anew at each mark, so every second file is that of a job.
        totals = [
            int(re.search(r"^(?:totals|summary): (\d+)", Path(f"{out}.{number}").read_text(), re.MULTILINE)[1])
            for number in range(1, 2 * len(names) + 1)
        ]
    return {name: totals[2 * place + 1] / 1e6 for place, name in enumerate(names)}


def compare(folders: list[Path], file: Path, rounds: int) -> dict[str, list[float]]:
    """Let the builds take turns; return the least times of each job, one per build."""
    least: dict[str, list[float]] = {}
    for _ in range(rounds):
        for number, folder in enumerate(folders):
            for name, seconds in json.loads(run(folder, "--measure", file)).items():
                times = least.setdefault(name, [float("inf")] * len(folders))
                times[number] = min(times[number], seconds)
    return least


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folders", nargs="*", type=Path)
    parser.add_argument("--data", type=Path, default=Path("../shared/data"))
    parser.add_argument("--seconds", action="store_true", help="measure CPU times instead of counting instructions")
    parser.add_argument("--rounds", type=int, default=3, help="how often the builds take turns with --seconds")
    parser.add_argument("--measure", type=Path, help="time this build only on the captions in a file, print JSON")
    parser.add_argument("--count", type=Path, help="run this build's jobs between marks, print their names")
    given = parser.parse_args()
    if given.measure or given.count:
        print(json.dumps(measure(given.measure) if given.measure else count(given.count)))
        return
    if len(given.folders) != 2:
        parser.error("name the two folders to compare")
    unit = "seconds" if given.seconds else "million instructions"
    with tempfile.TemporaryDirectory() as place:
        file = Path(place, "captions.json")
        file.write_text(json.dumps(captions(given.data, IMAGES if given.seconds else COUNTED_IMAGES)))
        if given.seconds:
            found = compare(given.folders, file, given.rounds)
        else:
            one, other = (instructions(folder, file) for folder in given.folders)
            found = {name: [one[name], other[name]] for name in one}
    print(f"| job | {unit} without | {unit} with | cost |\n| --- | ---: | ---: | ---: |")
    for name, (without, limited) in found.items():
        print(f"| {name} | {without:,.3f} | {limited:,.3f} | {100 * (limited / without - 1):+.1f} % |")


if __name__ == "__main__":
    main()
