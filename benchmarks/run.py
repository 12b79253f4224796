"""caplens and the original COCO tools side by side: ``python benchmarks/run.py [--only PART] [--quick] [-o FILE]``."""

from __future__ import annotations

import argparse
import importlib.metadata
import importlib.util
import json
import os
import platform
import shutil
import sys
import tempfile
from pathlib import Path
from types import ModuleType
from typing import Any

from rich.console import Console

import composite
import critique
import embedding
import lens
import lexical
import meta
import meteor
import on_ray
import pages
import scale
import serve
import shards
import spice
from bench import Bench
from contenders import ORIGINAL
from inputs import Captions, missing_files
from measuring import CommandFailedError, Progress

DATA = Path(__file__).resolve().parents[2] / "shared" / "data"
QUICK_IMAGES = 5_000
PARTS: dict[str, ModuleType] = {
    "lexical": lexical,
    "meteor": meteor,
    "spice": spice,
    "embedding": embedding,
    "meta": meta,
    "composite": composite,
    "critique": critique,
    "lens": lens,
    "scale": scale,
    "shards": shards,
    "ray": on_ray,
    "pages": pages,
    "serve": serve,
}
"""Each has ``steps``, how many commands it runs, and ``run``, which does it."""


def main() -> int:
    """Run everything and print the tables; return the exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--data", type=Path, default=DATA, help="folder with coco_val2014 (default: %(default)s)")
    parser.add_argument("--only", choices=PARTS, help="one part instead of all")
    quick = f"the first {QUICK_IMAGES:,} images instead of all, fewer runs of reports and requests to the server"
    parser.add_argument("--quick", action="store_true", help=quick)
    parser.add_argument("-o", "--output", type=Path, help="write everything measured to this JSON file")
    options = parser.parse_args()
    obstacle = find_obstacle(options.data)
    if obstacle:
        print(obstacle, file=sys.stderr)
        return 2
    try:
        with tempfile.TemporaryDirectory(prefix="caplens-bench-") as folder:
            results = run([options.only] if options.only else list(PARTS), options.data, Path(folder), options.quick)
    except CommandFailedError as error:
        print(error, file=sys.stderr)
        return 1
    if options.output:
        options.output.write_text(json.dumps(results, indent=1))
    if not all(results[part]["agrees"] for part in PARTS if part in results):
        print("The scores do not agree: see the tables.", file=sys.stderr)
        return 1
    return 0


def run(parts: list[str], data: Path, folder: Path, quick: bool) -> dict[str, Any]:
    """Run parts on one set of captions; return everything as plain data."""
    print("reading the captions ...", file=sys.stderr, flush=True)
    captions = Captions(data)
    inputs = captions.first(QUICK_IMAGES, folder) if quick else captions.all
    progress = Progress(sum(PARTS[part].steps(inputs.images) for part in parts))
    bench = Bench(captions, inputs, folder, progress, Console(width=None if sys.stdout.isatty() else 140))
    results: dict[str, Any] = {"machine": _machine(), "images": inputs.images}
    for part in parts:
        results[part] = PARTS[part].run(bench)
    return results


def find_obstacle(data: Path) -> str | None:
    """Say in one sentence what is missing, if anything is."""
    if shutil.which("java") is None:
        return "There is no java on the path: the original tool cannot run without it (apt install default-jre)."
    if importlib.util.find_spec(ORIGINAL) is None:
        return "pycocoevalcap is not installed: pip install 'caplens[meteor]' brings it."
    missing = missing_files(data)
    if missing:
        return f"There is no file {missing[0]}: name the folder that has coco_val2014 in it with --data."
    return None


def _machine() -> dict[str, Any]:
    return {
        "python": platform.python_version(),
        "system": platform.platform(),
        "cpus": os.cpu_count(),
        "load": os.getloadavg() if hasattr(os, "getloadavg") else None,
        **{name: importlib.metadata.version(name) for name in ("caplens", "numpy", ORIGINAL)},
    }


if __name__ == "__main__":
    sys.exit(main())
