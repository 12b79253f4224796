"""The critique's work: ``critique_speed.py WHAT CANDIDATES REFERENCES OUT``.

WHAT is score (captions as they are, five references each), train (one epoch on 80,000 human captions and as many
negatives, preset quick) or bilinear (compact bilinear pooling at 512 x 512 -> 8192 by Fourier transforms, beside the
explicit outer products). OUT holds seconds of the clock and of the processor; of bilinear, the processor's only.
"""

from __future__ import annotations

import json
import sys
import tempfile
import time
from pathlib import Path

import numpy as np

import caplens

ROWS = 64
WIDTH, SKETCH = 512, 8192
CAPTIONS = 80_000


def main(what: str, candidates: str, references: str, output: str) -> None:
    """Do the work and write."""
    found = {"score": score, "train": train, "bilinear": bilinear}[what](candidates, references)
    Path(output).write_text(json.dumps(found))


def score(candidates: str, references: str) -> dict[str, float]:
    """Score all candidates; what does not end on one caption (loading) is done before."""
    caplens.score(["a dog"], [["a dog runs"]], "critique")
    ours = caplens.load_candidates(candidates)
    start, processor = time.perf_counter(), time.process_time()
    caplens.score(ours, caplens.load_references(references), "critique")
    return {
        "captions": len(ours.captions),
        "seconds": time.perf_counter() - start,
        "processor": time.process_time() - processor,
    }


def train(candidates: str, references: str) -> dict[str, float]:
    """Train one epoch."""
    from caplens.learned.critique.config import QUICK
    from caplens.train.critique.request import TrainingInput, train_critique

    config = QUICK.changed({"training": {"epochs": 1, "captions": CAPTIONS}})
    with tempfile.TemporaryDirectory() as folder:
        start, processor = time.perf_counter(), time.process_time()
        train_critique(folder, config, TrainingInput([references], [candidates]), threads=1)
        seconds = time.perf_counter() - start
    return {"captions": CAPTIONS, "seconds": seconds, "processor": time.process_time() - processor}


def bilinear(candidates: str, references: str) -> dict[str, float]:
    """Pool random vectors both ways."""
    from caplens.learned.critique.bilinear import CountSketch, pool

    generator = np.random.default_rng(1)
    left, right = generator.normal(size=(2, ROWS, WIDTH)).astype(np.float32)
    sketches = [CountSketch.draw(WIDTH, SKETCH, generator) for _ in range(2)]
    places = ((sketches[0].places[:, np.newaxis] + sketches[1].places) % SKETCH).ravel()
    signs = np.multiply.outer(sketches[0].signs, sketches[1].signs).astype(np.float32).ravel()
    seconds: dict[str, float] = {}
    results = {}
    for name in ("fft", "explicit", "fft", "explicit"):
        start = time.process_time()
        if name == "fft":
            results[name] = pool(left, right, *sketches)
        else:
            results[name] = np.stack(
                [np.bincount(places, np.outer(x, y).ravel() * signs, SKETCH) for x, y in zip(left, right, strict=True)]
            )
        seconds[name] = time.process_time() - start
    difference = np.abs(results["fft"] - results["explicit"]).max()
    return {"ratio": seconds["explicit"] / seconds["fft"], "difference": float(difference), **seconds}


if __name__ == "__main__":
    main(*sys.argv[1:])
