"""Evaluate with the Python interface, scores only: ``python_api.py CANDIDATES REFERENCES OUT METRICS``."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import caplens


def main(candidates: str, references: str, output: str, metrics: str) -> None:
    """Score and write."""
    result = caplens.score(caplens.load_corpus(candidates, references), metrics=metrics)
    Path(output).write_text(json.dumps({"scores": {key: score.score for key, score in result.items()}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
