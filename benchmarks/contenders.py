"""The commands that are run side by side."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inputs import Inputs

JOBS = Path(__file__).parent / "jobs"
METRICS = "bleu,rouge,cider"
ORIGINAL = "pycocoevalcap"
DROP_IN = "caplens.compat.pycocoevalcap"


@dataclass(frozen=True)
class Contender:
    """A way to get the scores.

    Attributes
    ----------
    name : str
        In tables.
    command : callable
        Makes the command for inputs and an output file.
    """

    name: str
    command: Callable[[Inputs, Path], list[str]]


def job(name: str, *arguments: object) -> list[str]:
    """Return the command that runs a file of `jobs`."""
    return [sys.executable, str(JOBS / name), *(str(argument) for argument in arguments)]


def command_line(inputs: Inputs, output: Path, *options: str) -> list[str]:
    """Return ``caplens score`` as a user types it."""
    program = Path(sys.executable).with_name("caplens")
    start = [str(program)] if program.exists() else [sys.executable, "-c", "from caplens.cli import main; main()"]
    files = [str(inputs.candidates), "-r", str(inputs.references), "-o", str(output)]
    return [*start, "score", *files, "-m", METRICS, *options]


def _coco_tools(package: str) -> Callable[[Inputs, Path], list[str]]:
    return lambda inputs, output: job("coco_tools.py", package, inputs.candidates, inputs.references, output)


def _python_api(inputs: Inputs, output: Path) -> list[str]:
    return job("python_api.py", inputs.candidates, inputs.references, output, METRICS)


ORIGINAL_TOOL = Contender("pycocoevalcap 1.2", _coco_tools(ORIGINAL))
CAPLENS = (
    Contender("caplens score (intervals, JSON)", command_line),
    Contender("caplens.score (scores only)", _python_api),
    Contender("caplens.compat.pycocoevalcap", _coco_tools(DROP_IN)),
)
