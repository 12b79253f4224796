"""METEOR of one caption in a fresh process: ``first_caption.py TOOL OUT``.

TOOL is caplens, or a package with the calls of pycocoevalcap.
"""

from __future__ import annotations

import json
import sys
from importlib import import_module
from pathlib import Path

CANDIDATE = "a man rides a horse on the beach"
REFERENCE = "a person is riding a brown horse along the shore"


def main(tool: str, output: str) -> None:
    """Score and write."""
    if tool == "caplens":
        import caplens

        score = caplens.score([CANDIDATE], [[REFERENCE]], metrics="meteor(tokenizer=none)")["METEOR"].score
    else:
        score, _ = import_module(f"{tool}.meteor.meteor").Meteor().compute_score({1: [REFERENCE]}, {1: [CANDIDATE]})
    Path(output).write_text(json.dumps({"scores": {"METEOR": score}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
