"""METEOR by the original on a golden set of SPICE, timed with its start: ``spice_yardstick.py PACKAGE GOLDEN OUT``."""

from __future__ import annotations

import gzip
import json
import sys
import time
from importlib import import_module
from pathlib import Path


def main(package: str, golden: str, output: str) -> None:
    """Score and write the seconds."""
    items = json.loads(gzip.decompress(Path(golden).read_bytes()))["items"]
    references = {item["id"]: item["references_ptb"] for item in items}
    candidates = {item["id"]: [item["candidate_ptb"]] for item in items}
    scorer = import_module(f"{package}.meteor.meteor").Meteor
    start = time.perf_counter()
    score, _ = scorer().compute_score(references, candidates)
    Path(output).write_text(json.dumps({"seconds": time.perf_counter() - start, "scores": {"METEOR": score}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
