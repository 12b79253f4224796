"""Build METEOR's index in an empty cache: ``build_index.py OUT``; OUT holds its size in bytes and the seconds."""

from __future__ import annotations

import json
import os
import sys
import tempfile
import time
from pathlib import Path

from caplens.files.cache import VARIABLE
from caplens.text.meteor import resources


def main(output: str) -> None:
    """Build and write."""
    with tempfile.TemporaryDirectory(prefix="caplens-bench-cache-") as folder:
        os.environ[VARIABLE] = folder
        start = time.perf_counter()
        resources.load()
        seconds = time.perf_counter() - start
        size = sum(path.stat().st_size for path in Path(folder).rglob("*"))
    Path(output).write_text(json.dumps({"bytes": size, "seconds": seconds}))


if __name__ == "__main__":
    main(*sys.argv[1:])
