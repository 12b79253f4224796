"""METEOR of prepared cases, each timed by itself: ``token_pairs.py PACKAGE CASES OUT ROUNDS``.

PACKAGE is pycocoevalcap or its drop-in. CASES is a JSON file: the pairs ``[candidate, [reference, ...]]`` of each case,
all tokens, scored in one call. OUT holds seconds and scores; it is written after every case, so that what was measured
stays if the process is stopped because the next case takes too long.
"""

from __future__ import annotations

import json
import sys
import time
from importlib import import_module
from pathlib import Path
from typing import Any


def main(package: str, cases: str, output: str, rounds: str) -> None:
    """Score and write."""
    scorer = import_module(f"{package}.meteor.meteor").Meteor()
    scorer.compute_score({0: ["a dog"]}, {0: ["two dogs"]})  # reads its tables
    found: dict[str, Any] = {}
    for name, pairs in json.loads(Path(cases).read_bytes()).items():
        res = {place: [candidate] for place, (candidate, _) in enumerate(pairs)}
        gts = {place: references for place, (_, references) in enumerate(pairs)}
        seconds = []
        for _ in range(int(rounds)):
            start = time.perf_counter()
            score, scores = scorer.compute_score(gts, res)
            seconds.append(time.perf_counter() - start)
        found[name] = {"seconds": seconds, "scores": [score, *scores]}
        Path(output).write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
