"""caplens and the original COCO tools side by side: ``python benchmarks/run.py [--data DIR] [--quick] [-o FILE]``."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
from dataclasses import asdict
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

import report
from contenders import CAPLENS, DROP_IN, METRICS, ORIGINAL, ORIGINAL_TOOL, command_line, job
from inputs import Captions, missing_files
from measuring import CommandFailedError, Measurement, Progress

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
QUICK_IMAGES = 5_000
SIZES = (5_000, 10_000, 20_000, 40_000)
QUICK_SIZES = (1_250, 2_500, 5_000)
ORIGINAL_RUNS, CAPLENS_RUNS, PHASE_RUNS, SCALING_RUNS, REWARD_ROUNDS = 2, 5, 3, 3, 12
SAME = 1e-9  # relative; the drop-in gets the same tokens
NEARLY_SAME = 1e-4  # relative; a handful of references are cut differently, see report.agreement


def main() -> int:
    """Run everything and print the tables; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with coco_val2014 (default: %(default)s)")
    parser.add_argument("--quick", action="store_true", help=f"the first {QUICK_IMAGES:,} images instead of all")
    parser.add_argument("-o", "--output", type=Path, help="write everything measured to this JSON file")
    options = parser.parse_args()
    obstacle = find_obstacle(options.data)
    if obstacle:
        print(obstacle, file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="caplens-bench-") as folder:
            results = Bench(options.data, Path(folder), options.quick).run()
    except CommandFailedError as error:
        print(error, file=sys.stderr)
        return 1
    if options.output:
        options.output.write_text(json.dumps(results, indent=1))
    if not results["agrees"]:
        print("The scores do not agree: see the tables.", file=sys.stderr)
        return 1
    return 0


def find_obstacle(data: Path) -> str | None:
    """Say in one sentence what is missing, if anything is."""
    if shutil.which("java") is None:
        return "There is no java on the path: the original tool cannot run without it (apt install default-jre)."
    if importlib.util.find_spec(ORIGINAL) is None:
        return "pycocoevalcap is not installed: pip install 'caplens[meteor]' brings it."
    missing = missing_files(data)
    if missing:
        return f"There is no file {missing[0]}: name the folder that has coco_val2014 in it with --data."
    return None


class Bench:
    """All runs on one set of captions."""

    def __init__(self, data: Path, folder: Path, quick: bool) -> None:
        self.folder = folder
        self.output = folder / "out.json"
        self.sizes = QUICK_SIZES if quick else SIZES
        steps = ORIGINAL_RUNS + len(CAPLENS) * CAPLENS_RUNS + PHASE_RUNS + 1 + 2 * SCALING_RUNS * len(self.sizes)
        self.progress = Progress(steps)
        print("reading the captions ...", file=sys.stderr, flush=True)
        self.captions = Captions(data)
        self.inputs = self.captions.first(QUICK_IMAGES, folder) if quick else self.captions.all
        self.console = Console(width=None if sys.stdout.isatty() else 140)

    def run(self) -> dict[str, Any]:
        """Run, print, return everything as plain data."""
        results: dict[str, Any] = {"machine": _machine(), "images": self.inputs.images}
        results |= self.side_by_side()
        results["phases"] = self.step_by_step()
        results["scaling"] = self.growing()
        results["rewards"] = self.reward_loop()
        results["agrees"] &= results["rewards"]["difference_from_whole_corpus"] <= SAME
        return results

    def side_by_side(self) -> dict[str, Any]:
        """Run whole evaluations in turns and compare their scores."""
        contenders = (ORIGINAL_TOOL, *CAPLENS)
        runs: dict[str, list[Measurement]] = {contender.name: [] for contender in contenders}
        outputs: dict[str, list[dict[str, Any]]] = {contender.name: [] for contender in contenders}
        for turn in range(max(ORIGINAL_RUNS, CAPLENS_RUNS)):
            for contender in contenders:
                if turn < (ORIGINAL_RUNS if contender is ORIGINAL_TOOL else CAPLENS_RUNS):
                    label = f"{contender.name}, run {turn + 1}"
                    runs[contender.name].append(
                        self.progress.measure(label, contender.command(self.inputs, self.output))
                    )
                    outputs[contender.name].append(json.loads(self.output.read_bytes()))
        report.whole_runs(self.console, runs, self.inputs.images)
        original, drop_in = outputs[ORIGINAL_TOOL.name], outputs[DROP_IN]
        parts = [
            {part: median(run["seconds"][part] for run in found) for part in found[0]["seconds"]}
            for found in (original, drop_in)
        ]
        report.parts(self.console, *parts)
        differences = {
            contender.name: _largest_difference(original[0]["scores"], _scores(outputs[contender.name][0]))
            for contender in CAPLENS
        }
        image_difference = max(
            abs(ours - theirs)
            for key, values in original[0]["images"].items()
            for ours, theirs in zip(drop_in[0]["images"][key], values, strict=True)
        )
        report.agreement(self.console, differences, image_difference)
        agrees = all(
            difference <= (SAME if name == DROP_IN else NEARLY_SAME) for name, difference in differences.items()
        )
        return {
            "agrees": agrees,
            "differences": differences,
            "scores": original[0]["scores"],
            "runs": {name: [asdict(run) for run in measured] for name, measured in runs.items()},
            "parts": {"original": parts[0], "drop_in": parts[1]},
        }

    def step_by_step(self) -> list[dict[str, float]]:
        """Run caplens with a stopwatch."""
        found = []
        command = job("phases.py", self.inputs.candidates, self.inputs.references, self.output, METRICS)
        for turn in range(PHASE_RUNS):
            self.progress.measure(f"step by step, run {turn + 1}", command)
            found.append(json.loads(self.output.read_bytes()))
        report.phases(self.console, found)
        return found

    def growing(self) -> dict[str, Any]:
        """Run ``caplens score`` on more and more images, with one thread and with two."""
        inputs = [self.captions.first(size, self.folder) for size in self.sizes]
        runs: dict[int, dict[int, list[Measurement]]] = {size: {1: [], 2: []} for size in self.sizes}
        for turn in range(SCALING_RUNS):
            for part in inputs:
                for jobs in (1, 2):
                    label = f"{part.images:,} images, --jobs {jobs}, run {turn + 1}"
                    command = command_line(part, self.output, "--jobs", str(jobs))
                    runs[part.images][jobs].append(self.progress.measure(label, command))
        report.scaling(self.console, runs)
        return {
            str(size): {str(jobs): [asdict(run) for run in measured] for jobs, measured in by_jobs.items()}
            for size, by_jobs in runs.items()
        }

    def reward_loop(self) -> dict[str, Any]:
        """Score batches as a training loop does."""
        command = job("rewards.py", self.inputs.candidates, self.inputs.references, self.output, REWARD_ROUNDS)
        self.progress.measure("rewards of a training loop", command)
        found: dict[str, Any] = json.loads(self.output.read_bytes())
        report.rewards(self.console, found)
        return found


def _scores(output: dict[str, Any]) -> dict[str, float]:
    """Return the corpus scores of an output file of any contender."""
    if "scores" in output:
        return dict(output["scores"])
    return {key: entry["score"] for key, entry in output["metrics"].items()}


def _largest_difference(theirs: dict[str, float], ours: dict[str, float]) -> float:
    return max(abs(ours[key] - score) / abs(score) for key, score in theirs.items())


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        **{name: importlib.metadata.version(name) for name in ("caplens", "numpy", ORIGINAL)},
    }


if __name__ == "__main__":
    sys.exit(main())
