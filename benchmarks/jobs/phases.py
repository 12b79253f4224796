"""Evaluate step by step: ``phases.py CANDIDATES REFERENCES OUT METRICS``; OUT holds the seconds of every step."""

from __future__ import annotations

import json
import sys
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import psutil

from caplens.api.loading import load_candidates, load_references
from caplens.core.plan import Run
from caplens.core.prepared import Usage, prepare
from caplens.core.result import Result
from caplens.core.selection import select
from caplens.corpus import pair

# What a requirement makes, by the name of its class.
STEPS = {
    "WordIds": "words",
    "NgramCounts": "n-grams",
    "MeteorWords": "words, normalised",
    "Stems": "stems",
    "Entries": "synsets",
    "KnownPhrases": "known phrases",
}


class Stopwatch:
    """Adds up the seconds of named steps."""

    def __init__(self) -> None:
        self.seconds: dict[str, float] = {}

    @contextmanager
    def __call__(self, step: str) -> Iterator[None]:
        """Time the block as a step."""
        start = time.perf_counter()
        yield
        self.seconds[step] = self.seconds.get(step, 0) + time.perf_counter() - start


def main(candidates: str, references: str, output: str, metrics: str) -> None:
    """Do what ``caplens score`` does, with a stopwatch."""
    watch = Stopwatch()
    watch.seconds["start Python, import"] = time.time() - psutil.Process().create_time()
    selection = select(metrics)
    with watch("read"):
        ours, theirs = load_candidates(candidates), load_references(references)
    with watch("match, validate"):
        corpus = pair(ours, theirs)
    prepared = prepare(corpus)
    requirements = dict.fromkeys(need for metric in selection.metrics for need in metric.requires())
    for need in requirements:
        step = STEPS.get(type(need).__name__, type(need).__name__)
        for side in (prepared.references, prepared.candidates):
            with watch(f"{step} of {'references' if side is prepared.references else 'candidates'}"):
                side.get(need)
    usage = Usage.of(corpus)
    runs = []
    for metric in selection.metrics:
        with watch(metric.title):
            state = metric.fit(prepared.references, usage)
            runs.append(Run(metric, state, metric.statistics(prepared, state)))
    with watch("item scores"):
        result = Result(corpus, runs)
    with watch("intervals"):
        _ = [score.interval for score in result.values()]
    with watch("signatures"):
        _ = [score.signature for score in result.values()]
    with watch("write JSON"), tempfile.TemporaryDirectory() as folder:
        result.write(Path(folder) / "scores.json")
    Path(output).write_text(json.dumps(watch.seconds))


if __name__ == "__main__":
    main(*sys.argv[1:])
