"""``caplens example``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework
from caplens.cli.framework import argument


@dataclass(frozen=True)
class ExampleOptions:
    """What ``caplens example`` takes."""

    folder: str = argument("Folder to write to; it is created if needed.", ".", metavar="[FOLDER]")


def example(given: ExampleOptions) -> None:
    """Write the example captions of 250 COCO images to a folder.

    The files are human.json, degraded.json and references.json.
    """
    from caplens.api.examples import write_example
    from caplens.cli.console import show_line

    for path in write_example(given.folder):
        show_line(str(path))


command = framework.command(
    ExampleOptions,
    example,
    examples=["caplens example .", "caplens compare human.json degraded.json -r references.json"],
)
