"""The commands that are run side by side."""

from __future__ import annotations

import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from inputs import Inputs

JOBS = Path(__file__).parent / "jobs"
ORIGINAL = "pycocoevalcap"
DROP_IN = "caplens.compat.pycocoevalcap"
ORIGINAL_NAME = "pycocoevalcap 1.2"
COMMAND_LINE = "caplens score (intervals, JSON)"
SCORES_ONLY = "caplens.score (scores only)"


@dataclass(frozen=True)
class Metrics:
    """Metrics that are measured together.

    Attributes
    ----------
    title : str
        In tables.
    request : str
        In caplens' grammar; the jobs that run the original read the same names.
    """

    title: str
    request: str


LEXICAL = Metrics("BLEU, ROUGE-L, CIDEr", "bleu,rouge,cider")
METEOR = Metrics("METEOR", "meteor")


@dataclass(frozen=True)
class Contender:
    """A way to get the scores.

    Attributes
    ----------
    name : str
        In tables.
    command : callable
        Makes the command for inputs, an output file and metrics.
    """

    name: str
    command: Callable[[Inputs, Path, Metrics], list[str]]


def job(name: str, *arguments: object) -> list[str]:
    """Return the command that runs a file of `jobs`."""
    return [sys.executable, str(JOBS / name), *(str(argument) for argument in arguments)]


def command_line(inputs: Inputs, output: Path, metrics: Metrics, *options: str) -> list[str]:
    """Return ``caplens score`` as a user types it."""
    program = Path(sys.executable).with_name("caplens")
    start = [str(program)] if program.exists() else [sys.executable, "-c", "from caplens.cli import main; main()"]
    files = [str(inputs.candidates), "-r", str(inputs.references), "-o", str(output)]
    return [*start, "score", *files, "-m", metrics.request, *options]


def _coco_tools(package: str) -> Callable[[Inputs, Path, Metrics], list[str]]:
    return lambda inputs, output, metrics: job(
        "coco_tools.py", package, inputs.candidates, inputs.references, output, metrics.request
    )


def _python_api(inputs: Inputs, output: Path, metrics: Metrics) -> list[str]:
    return job("python_api.py", inputs.candidates, inputs.references, output, metrics.request)


ORIGINAL_TOOL = Contender(ORIGINAL_NAME, _coco_tools(ORIGINAL))
CAPLENS = (
    Contender(COMMAND_LINE, command_line),
    Contender(SCORES_ONLY, _python_api),
    Contender(DROP_IN, _coco_tools(DROP_IN)),
)
