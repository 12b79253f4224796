"""``python -m caplens.compat [--aimagelab] [--aac-metrics] SCRIPT ...``: run a script with the drop-ins installed."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from caplens.compat import install

USAGE = (
    "usage: python -m caplens.compat [--aimagelab] [--aac-metrics] SCRIPT.py [ARGUMENT ...] | -m MODULE [ARGUMENT ...]"
)


def main(arguments: list[str]) -> int:
    """Install the drop-ins, then run what follows as if it had been started itself."""
    flags = {"--aimagelab": False, "--aac-metrics": False}
    rest = list(arguments)
    while rest and rest[0] in flags:
        flags[rest.pop(0)] = True
    if not rest or rest[0] in ("-h", "--help") or rest == ["-m"]:
        sys.stderr.write(USAGE + "\n")
        return 0 if rest and rest[0] != "-m" else 2
    install(aimagelab=flags["--aimagelab"], aac_metrics=flags["--aac-metrics"])
    if rest[0] == "-m":
        sys.argv = rest[1:]
        sys.path[0] = ""
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
        return 0
    script = Path(rest[0])
    if not script.exists():
        sys.stderr.write(f"There is no file {script}: check the path.\n")
        return 2
    sys.argv = rest
    sys.path[0] = str(script.resolve().parent)
    runpy.run_path(str(script), run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
