"""Run risky code in a process of its own: what it does to itself cannot hurt the tests."""

from __future__ import annotations

import os
import subprocess
import sys
import textwrap
from pathlib import Path

SOURCES = str(Path(__file__).resolve().parents[1] / "src")


def run_alone(code, *arguments, seconds=120, gigabytes=None, **environment):
    """Run Python code in a new interpreter, with so much memory at most; return the process that ended."""
    lines = [textwrap.dedent(code)]
    if gigabytes is not None:
        size = int(gigabytes * 2**30)
        lines.insert(0, f"import resource\nresource.setrlimit(resource.RLIMIT_AS, ({size}, {size}))")
    path = os.pathsep.join([SOURCES, *filter(None, [os.environ.get("PYTHONPATH")])])
    return subprocess.run(
        [sys.executable, "-c", "\n".join(lines), *map(str, arguments)],
        capture_output=True,
        text=True,
        timeout=seconds,
        check=False,
        env={**os.environ, "PYTHONPATH": path, **environment},
    )
