"""``caplens compare``, with a report or without: ``pages_compare.py OUT REFERENCES PAGE EXPLAIN SYSTEM...``.

PAGE is empty for no report, EXPLAIN for the default.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path

from caplens.cli import main as caplens


def main(out: str, references: str, page: str, explain: str, *systems: str) -> None:
    """Compare as the command does; write the corpus scores of each system to a file."""
    written = Path(out).with_name("compared.json")
    options = ["-o", page, *(["--explain", explain] if explain else [])] if page else []
    code = caplens(["compare", *systems, "-r", references, "-o", str(written), "--quiet", *options])
    if code:
        raise SystemExit(code)
    found = json.loads(written.read_bytes())["systems"]
    scores = {name: {key: entry["score"] for key, entry in system["metrics"].items()} for name, system in found.items()}
    Path(out).write_text(json.dumps({"scores": scores}))


if __name__ == "__main__":
    main(*sys.argv[1:])
