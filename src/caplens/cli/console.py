"""Talking to a person at a terminal: progress and warnings on stderr, results on stdout."""

from __future__ import annotations

import os
import shutil
import sys
import textwrap
import threading
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from importlib import import_module
from typing import TYPE_CHECKING, Any

from caplens.errors import InputError, Notice, reason_of
from caplens.output.progress import showing
from caplens.output.safety import visible

if TYPE_CHECKING:
    from rich.console import RenderableType

    from caplens.output.presentation import Presentation

LINE_END = "\n"
_FOR_COLOURS = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")  # what rich looks at


@contextmanager
def progress(quiet: bool) -> Iterator[None]:
    """Show progress inside the block, if stderr is a terminal and nobody asked for quiet."""
    with showing(not quiet and sys.stderr.isatty(), delay=0):
        yield


def load_ahead(module: str) -> None:
    """Begin to load a module that will be needed later, on a thread: kernels that work meanwhile leave it the GIL.

    It never fails: whatever is wrong with the module is met again where it is imported.
    """

    def load() -> None:
        with suppress(Exception):
            import_module(module)

    threading.Thread(target=load, daemon=True).start()


def takes_plain_text() -> bool:
    """Tell whether stdout shows text as it is: a file or a pipe for which nobody asked for colours, of any alphabet."""
    asked = any(os.environ.get(name) for name in _FOR_COLOURS)
    encoding = getattr(sys.stdout, "encoding", None) or ""
    return not asked and not sys.stdout.isatty() and encoding.lower().startswith("utf")


def scores_view(
    metrics: Mapping[str, Mapping[str, Any]], wanted: Presentation, below: Sequence[RenderableType] = ()
) -> RenderableType:
    """Draw the scores of one system: plain text where that is enough, so that rich need not be loaded."""
    if not below and takes_plain_text():
        from caplens.output.plain import plain_scores

        plain = plain_scores(metrics, wanted, width())
        if plain is not None:
            return plain
    from rich.console import Group

    from caplens.output.terminal import score_table

    return Group(score_table(metrics, wanted), *below)


def show(view: RenderableType) -> None:
    """Print a view to stdout; what is not a terminal gets ``COLUMNS`` or the full width, and no colour."""
    if isinstance(view, str):
        show_text(view)
        return
    from rich.console import Console

    from caplens.output.terminal import Harmless

    with _printing():
        console = Console(highlight=False, width=None if sys.stdout.isatty() else width())
        console.print(Harmless(view))


def width() -> int:
    """Return how wide views are that are not shown in a terminal."""
    from caplens.output.plain import WIDTH

    columns = os.environ.get("COLUMNS", "")
    return int(columns) if columns.isdecimal() and int(columns) > 0 else WIDTH


def show_line(text: str) -> None:
    """Print one line that must stay one, to be copied (a signature), whatever the width."""
    if takes_plain_text():
        show_text(text)
        return
    from rich.console import Console
    from rich.text import Text

    with _printing():
        Console(highlight=False).print(Text(visible(text), style="dim"), soft_wrap=True)


def show_text(text: str) -> None:
    """Print lines as they are."""
    with _printing():
        sys.stdout.write(f"{visible(text, keep=LINE_END)}\n")


def show_content(content: bytes) -> None:
    """Print what a file would hold, as it is; for a terminal, characters that it would obey are made visible."""
    text = content.decode("utf-8")
    with _printing():
        sys.stdout.write(visible(text, keep=LINE_END) if sys.stdout.isatty() else text)
        if not text.endswith(LINE_END):
            sys.stdout.write(LINE_END)


def warn(notices: Iterable[Notice], quiet: bool) -> None:
    """Print notices to stderr."""
    if not quiet:
        for notice in notices:
            tell(f"{notice.level}: {notice}")


def tell(line: str) -> None:
    """Print a line to stderr, if anybody listens: a closed or full stderr must not cost a result."""
    with suppress(OSError):
        text = visible(line)
        if sys.stderr.isatty():  # a terminal would break lines within words
            text = textwrap.fill(
                text, shutil.get_terminal_size().columns, break_long_words=False, break_on_hyphens=False
            )
        sys.stderr.write(f"{text}\n")


@contextmanager
def _printing() -> Iterator[None]:
    """Say in one sentence why stdout cannot be written; a reader who left early is no error, see `main`."""
    try:
        yield
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"The result cannot be printed: {reason_of(error)}.") from error
