"""``python -m caplens.compat [OPTION ...] SCRIPT ...``: run a script with the drop-ins installed."""

from __future__ import annotations

import runpy
import sys
from pathlib import Path

from caplens.compat import children, install

OPTIONS = ("--aimagelab", "--aac-metrics", "--copies")
USAGE = (
    f"usage: python -m caplens.compat {' '.join(f'[{name}]' for name in OPTIONS)} "
    "SCRIPT.py [ARGUMENT ...] | -m MODULE [ARGUMENT ...]"
)


def main(arguments: list[str]) -> int:
    """Install the drop-ins, then run what follows as if it had been started itself."""
    flags: list[str] = []
    rest = list(arguments)
    while rest and rest[0] in OPTIONS:
        flags.append(rest.pop(0))
    if not rest or rest[0] in ("-h", "--help") or rest == ["-m"]:
        sys.stderr.write(USAGE + "\n")
        return 0 if rest and rest[0] != "-m" else 2
    if rest[0] != "-m" and not Path(rest[0]).exists():
        sys.stderr.write(f"There is no file {rest[0]}: check the path.\n")
        return 2
    options = {name.removeprefix("--").replace("-", "_"): True for name in flags}
    install(**options)
    if rest[0] == "-m":
        children.follow(options, module=rest[1])
        sys.argv = rest[1:]
        sys.path[0] = ""
        runpy.run_module(rest[1], run_name="__main__", alter_sys=True)
        return 0
    children.follow(options, script=rest[0])
    sys.argv = rest
    sys.path[0] = str(Path(rest[0]).resolve().parent)
    runpy.run_path(rest[0], run_name="__main__")
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
