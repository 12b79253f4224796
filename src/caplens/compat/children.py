"""Child processes of a script that ``python -m caplens.compat`` runs: the drop-ins are installed in them as well.

Children that are forked have them anyway. Those that are spawned (macOS, Windows, Python 3.14) begin by running the
script again, whose imports must find the drop-ins: `multiprocessing` is told to begin with this module instead, which
installs them and then runs the script.
"""

from __future__ import annotations

import json
import os
import runpy
from importlib.util import find_spec
from multiprocessing import spawn
from pathlib import Path
from typing import Any

from caplens.compat import install

_VARIABLE = "CAPLENS_COMPAT_MAIN"
"""What children run: the options of `install`, and a script or a module."""
_IN_CHILD = "__mp_main__"
"""The name under which `multiprocessing` runs the main module in a child."""
_THIS = "caplens.compat.children"


def follow(options: dict[str, bool], *, script: str | None = None, module: str | None = None) -> None:
    """Let children that are spawned from now on install the drop-ins before they run a script or a module."""
    path = None if script is None else str(Path(script).resolve())
    os.environ[_VARIABLE] = json.dumps({"options": options, "script": path, "module": module})
    usual = spawn.get_preparation_data

    def prepared(name: str) -> dict[str, Any]:
        data = usual(name)
        data.pop("init_main_from_path", None)
        return {**data, "init_main_from_name": _THIS}

    spawn.get_preparation_data = prepared


def _run_main() -> dict[str, Any]:
    """Install the drop-ins and return the names of the script or module that the parent runs."""
    settings = json.loads(os.environ[_VARIABLE])
    install(**settings["options"])
    follow(settings["options"], script=settings["script"], module=settings["module"])
    if settings["script"] is not None:
        return runpy.run_path(settings["script"], run_name=_IN_CHILD)
    found = find_spec(settings["module"])
    if found is None or found.submodule_search_locations is not None:
        return {}  # multiprocessing does not run the __main__ of a package again
    return runpy.run_module(settings["module"], run_name=_IN_CHILD, alter_sys=True)


if __name__ == _IN_CHILD:
    globals().update(_run_main())
