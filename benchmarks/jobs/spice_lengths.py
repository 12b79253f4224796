"""SPICE of prepared pairs by the number of their words: ``spice_lengths.py PAIRS OUT``, in milliseconds a pair."""

from __future__ import annotations

import json
import sys
import time
from pathlib import Path
from statistics import median

import caplens

ROUNDS = 3


def main(pairs: str, output: str) -> None:
    """Score and write."""
    caplens.score(["a dog"], [["a dog"]], metrics="spice")  # loads the parser
    found = {}
    for words, cases in json.loads(Path(pairs).read_text()).items():
        candidates, references = [case[0] for case in cases], [case[1] for case in cases]
        seconds = []
        for _ in range(ROUNDS):
            start = time.perf_counter()
            caplens.score(candidates, references, metrics="spice(tokenizer=none)", jobs=1)
            seconds.append(time.perf_counter() - start)
        found[words] = median(seconds) / len(cases) * 1000
    Path(output).write_text(json.dumps(found))


if __name__ == "__main__":
    main(*sys.argv[1:])
