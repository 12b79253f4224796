"""What every part of the benchmark does: whole evaluations in turns, step by step, rewards of a training loop."""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from statistics import median
from typing import Any

from rich.console import Console

import report
from contenders import CAPLENS, DROP_IN, ORIGINAL_NAME, ORIGINAL_TOOL, Metrics, job
from inputs import Captions, Inputs
from measuring import Measurement, Progress

ORIGINAL_RUNS, CAPLENS_RUNS, PHASE_RUNS, REWARD_ROUNDS = 2, 5, 3, 12
SAME = 1e-9  # relative; the drop-in gets the same tokens
NEARLY_SAME = 1e-4  # relative; a handful of references are cut differently, see report.agreement
WHOLE_STEPS = ORIGINAL_RUNS + len(CAPLENS) * CAPLENS_RUNS


@dataclass(frozen=True)
class Runs:
    """What commands took, and what they wrote, by the name of the contender."""

    measured: dict[str, list[Measurement]]
    outputs: dict[str, list[dict[str, Any]]]

    def as_data(self) -> dict[str, Any]:
        """Return the measurements as plain data."""
        return {name: [asdict(run) for run in runs] for name, runs in self.measured.items()}


@dataclass(frozen=True)
class Bench:
    """The captions, a folder for files, and where to say what is going on."""

    captions: Captions
    inputs: Inputs
    folder: Path
    progress: Progress
    console: Console

    @property
    def output(self) -> Path:
        """The file that jobs write to."""
        return self.folder / "out.json"

    def in_turns(self, what: str, commands: dict[str, list[str]], often: dict[str, int]) -> Runs:
        """Run each command as often as asked for, in turns, so that a busy machine slows all of them."""
        runs = Runs({name: [] for name in commands}, {name: [] for name in commands})
        for turn in range(max(often.values())):
            for name, command in commands.items():
                if turn < often[name]:
                    runs.measured[name].append(self.progress.measure(f"{what}: {name}, run {turn + 1}", command))
                    runs.outputs[name].append(json.loads(self.output.read_bytes()))
        return runs

    def side_by_side(self, metrics: Metrics) -> dict[str, Any]:
        """Run whole evaluations and compare their scores."""
        commands = {
            contender.name: contender.command(self.inputs, self.output, metrics)
            for contender in (ORIGINAL_TOOL, *CAPLENS)
        }
        often = {**dict.fromkeys(commands, CAPLENS_RUNS), ORIGINAL_NAME: ORIGINAL_RUNS}
        runs = self.in_turns(metrics.title, commands, often)
        report.whole_runs(self.console, runs.measured, f"{self.inputs.images:,} images: {metrics.title}")
        original, drop_in = runs.outputs[ORIGINAL_NAME], runs.outputs[DROP_IN]
        parts = [
            {part: median(run["seconds"][part] for run in found) for part in found[0]["seconds"]}
            for found in (original, drop_in)
        ]
        report.parts(self.console, *parts)
        differences = {
            contender.name: _largest_difference(original[0]["scores"], _scores(runs.outputs[contender.name][0]))
            for contender in CAPLENS
        }
        image_difference = max(
            abs(ours - theirs)
            for key, values in original[0]["images"].items()
            for ours, theirs in zip(drop_in[0]["images"][key], values, strict=True)
        )
        report.agreement(self.console, differences, image_difference)
        agrees = image_difference <= SAME and all(
            difference <= (SAME if name == DROP_IN else NEARLY_SAME) for name, difference in differences.items()
        )
        return {
            "agrees": agrees,
            "differences": differences,
            "image_difference": image_difference,
            "scores": original[0]["scores"],
            "runs": runs.as_data(),
            "parts": {"original": parts[0], "drop_in": parts[1]},
        }

    def step_by_step(self, metrics: Metrics) -> list[dict[str, float]]:
        """Run caplens with a stopwatch."""
        found = []
        command = job("phases.py", self.inputs.candidates, self.inputs.references, self.output, metrics.request)
        for turn in range(PHASE_RUNS):
            self.progress.measure(f"{metrics.title} step by step, run {turn + 1}", command)
            found.append(json.loads(self.output.read_bytes()))
        report.phases(self.console, found, metrics.title)
        return found

    def reward_loop(self, metric: str, title: str) -> dict[str, Any]:
        """Score batches as a training loop does."""
        files = (self.inputs.candidates, self.inputs.references, self.output)
        self.progress.measure(f"{title} as a reward", job("rewards.py", metric, *files, REWARD_ROUNDS))
        found: dict[str, Any] = json.loads(self.output.read_bytes())
        found["agrees"] = found["difference_from_whole_corpus"] <= SAME
        report.rewards(self.console, found, title)
        return found


def _scores(output: dict[str, Any]) -> dict[str, float]:
    """Return the corpus scores of an output file of any contender."""
    if "scores" in output:
        return dict(output["scores"])
    return {key: entry["score"] for key, entry in output["metrics"].items()}


def _largest_difference(theirs: dict[str, float], ours: dict[str, float]) -> float:
    return max(abs(ours[key] - score) / abs(score) for key, score in theirs.items())
