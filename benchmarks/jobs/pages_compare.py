"""``caplens compare``, with a report or without: ``pages_compare.py OUT REFERENCES PAGE EXPLAIN SYSTEM...``.

PAGE is empty for no report, EXPLAIN for the default.
"""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path


def main(out: str, references: str, page: str, explain: str, *systems: str) -> None:
    """Compare as a user does; write what is printed, the corpus scores, to a file."""
    options = ["-o", page, *(["--explain", explain] if explain else [])] if page else []
    command = [sys.executable, "-m", "caplens", "compare", *systems, "-r", references, "--quiet", "--format", "csv"]
    done = subprocess.run([*command, *options], stdout=subprocess.PIPE, text=True, check=True)
    Path(out).write_text(json.dumps({"scores": done.stdout}))


if __name__ == "__main__":
    main(*sys.argv[1:])
