"""Talking to a person at a terminal: progress and warnings on stderr, results on stdout."""

from __future__ import annotations

import sys
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from caplens.errors import Notice
from caplens.files.progress import reporting_to

if TYPE_CHECKING:
    from rich.console import RenderableType
    from rich.progress import Progress


class _RichReporter:
    """Progress bars; a step that is over disappears."""

    def __init__(self, progress: Progress) -> None:
        self._progress = progress

    def start(self, label: str, total: int) -> object:
        return self._progress.add_task(label, total=total)

    def advance(self, step: object, amount: int) -> None:
        self._progress.advance(step, amount)  # type: ignore[arg-type]

    def finish(self, step: object) -> None:
        self._progress.remove_task(step)  # type: ignore[arg-type]


@contextmanager
def progress(quiet: bool) -> Iterator[None]:
    """Show progress inside the block, if stderr is a terminal and nobody asked for quiet."""
    if quiet or not sys.stderr.isatty():
        yield
        return
    from rich.console import Console
    from rich.progress import Progress

    with Progress(console=Console(stderr=True), transient=True) as bars, reporting_to(_RichReporter(bars)):
        yield


def show(view: RenderableType) -> None:
    """Print a view to stdout; what is not a terminal gets the full width and no colour."""
    from rich.console import Console

    from caplens.output.terminal import WIDTH

    console = Console(highlight=False, width=None if sys.stdout.isatty() else WIDTH)
    console.print(view)


def show_line(text: str) -> None:
    """Print one line that must stay one, to be copied (a signature), whatever the width."""
    from rich.console import Console

    Console(highlight=False).print(text, style="dim", soft_wrap=True, markup=False)


def warn(notices: Iterable[Notice], quiet: bool) -> None:
    """Print notices to stderr."""
    if not quiet:
        for notice in notices:
            sys.stderr.write(f"warning: {notice}\n")
