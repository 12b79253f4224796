"""SPICE by caplens in a fresh process, with a stopwatch: ``spice_captions.py OUT METRIC PARSES CANDIDATES [REFS]``.

METRIC is a request such as ``spice(known=false)``; PARSES is a folder for parses, or ``-``.
"""

from __future__ import annotations

import time

START = time.perf_counter()

import json  # noqa: E402
import sys  # noqa: E402
from itertools import pairwise  # noqa: E402
from pathlib import Path  # noqa: E402

import caplens  # noqa: E402
from caplens.core.prepared import prepare  # noqa: E402
from caplens.core.requirement import WordIds  # noqa: E402


def main(output: str, metric: str, parses: str, candidates: str, references: str | None = None) -> None:
    """Score and write."""
    corpus = caplens.load_corpus(candidates, references)
    result = caplens.score(corpus, metrics=metric, parses=None if parses == "-" else parses)
    seconds = time.perf_counter() - START
    sides = prepare(corpus)
    found = [side.get(WordIds()) for side in (sides.references, sides.candidates)]
    distinct = {words.ids[start:end].tobytes() for words in found for start, end in pairwise(words.offsets.tolist())}
    Path(output).write_text(
        json.dumps(
            {
                "seconds": seconds,
                "captions": sum(len(words) for words in found),
                "distinct_captions": len(distinct),
                "scores": {key: score.score for key, score in result.items()},
            }
        )
    )


if __name__ == "__main__":
    main(*sys.argv[1:])
