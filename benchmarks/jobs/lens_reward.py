"""Lens as the reward of a training loop: ``lens_reward.py CANDIDATES REFERENCES OUT BATCH``.

The references are prepared once; then all captions are scored in batches, twice. The second time is measured.
"""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path

import numpy as np

import caplens


def main(candidates: str, references: str, output: str, batch: str) -> None:
    """Score batches and write how long they took."""
    table = caplens.load_candidates(candidates)
    ids, texts = list(table.ids), list(table.captions)
    people = caplens.load_references(references)
    metric = caplens.metric("lens")
    prepared = metric.prepare(people)
    size = int(batch)
    rewards = np.zeros(len(ids))
    seconds = 0.0
    for _ in range(2):
        start = time.perf_counter()
        for first in range(0, len(ids), size):
            part = slice(first, first + size)
            rewards[part] = metric(texts[part], prepared, ids=ids[part])["Lens"].item_scores
        seconds = time.perf_counter() - start
    whole = caplens.score(table, people, "lens")["Lens"].item_scores
    difference = float(np.abs(np.sort(rewards) - np.sort(whole)).max())
    Path(output).write_text(json.dumps({"captions": len(ids), "seconds": seconds, "difference": difference}))


if __name__ == "__main__":
    main(*sys.argv[1:])
