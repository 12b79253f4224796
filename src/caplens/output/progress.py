"""Progress as people see it: bars in a terminal, a bar in a notebook, nothing elsewhere."""

from __future__ import annotations

import sys
import time
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager, nullcontext
from dataclasses import dataclass
from typing import Any, Protocol

from caplens.files.progress import Nobody, is_reported, reporting_to
from caplens.output.safety import visible

DELAY = 0.5
"""Seconds of work before anything is shown: what is over sooner needs no bar."""

_BETWEEN = 0.1  # seconds between two drawings of a notebook's bar


class Bars(Protocol):
    """Something that draws tasks."""

    def add_task(self, description: str, *, total: float, completed: int) -> Any:  # noqa: ANN401 (its own name for it)
        """Show a task; what is returned names it in later calls."""

    def advance(self, task_id: Any, advance: float) -> None:  # noqa: ANN401
        """Show that more of a task is done."""

    def remove_task(self, task_id: Any) -> None:  # noqa: ANN401
        """Show a task no longer."""


@dataclass
class _Step:
    label: str
    total: int
    done: int = 0
    task: Any = None


class _Reporter:
    """Passes steps on to bars once the work has taken some time."""

    def __init__(self, begin: Callable[[], Bars], delay: float) -> None:
        self._begin = begin
        self._shown_from = time.monotonic() + delay
        self._bars: Bars | None = None

    def start(self, label: str, total: int) -> object:
        return _Step(visible(label), total)

    def advance(self, step: object, amount: int) -> None:
        if not isinstance(step, _Step):
            raise TypeError("not a step that was started here")
        step.done += amount
        if self._bars is None and time.monotonic() >= self._shown_from:
            self._bars = self._begin()
        if self._bars is None:
            return
        if step.task is None:
            step.task = self._bars.add_task(step.label, total=step.total, completed=step.done)
        else:
            self._bars.advance(step.task, amount)

    def finish(self, step: object) -> None:
        if self._bars is not None and isinstance(step, _Step) and step.task is not None:
            self._bars.remove_task(step.task)


def showing(progress: bool | None, *, delay: float = DELAY) -> AbstractContextManager[None]:
    """Show the progress of the block.

    Parameters
    ----------
    progress : bool or None
        None: if somebody sees it, in a terminal or a notebook. Inside another such block nothing changes.
    delay : float
        Seconds of work before anything is shown.

    Examples
    --------
    >>> with showing(False):
    ...     pass
    """
    if is_reported():
        return nullcontext()
    if progress is False:
        return reporting_to(Nobody())
    if in_notebook():
        return _in_notebook(delay)
    if progress or sys.stderr.isatty():
        return _in_terminal(delay)
    return nullcontext()


def in_notebook() -> bool:
    """Tell whether this is a notebook, which shows HTML."""
    kernel = sys.modules.get("ipykernel.zmqshell")  # a notebook has loaded it; nobody else has to
    shell = sys.modules.get("IPython")
    return kernel is not None and shell is not None and isinstance(shell.get_ipython(), kernel.ZMQInteractiveShell)


@contextmanager
def _in_terminal(delay: float) -> Iterator[None]:
    running: list[Any] = []

    def begin() -> Bars:
        from rich.console import Console
        from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeRemainingColumn

        # Labels are text: square brackets in the name of a file are no markup.
        label = TextColumn("{task.description}", markup=False)
        columns = (label, BarColumn(), TaskProgressColumn(), TimeRemainingColumn())
        bars = Progress(*columns, console=Console(stderr=True), transient=True)
        bars.start()
        running.append(bars)
        return bars

    try:
        with reporting_to(_Reporter(begin, delay)):
            yield
    finally:
        for bars in running:
            bars.stop()


@contextmanager
def _in_notebook(delay: float) -> Iterator[None]:
    running: list[_NotebookBar] = []

    def begin() -> Bars:
        running.append(_NotebookBar())
        return running[-1]

    try:
        with reporting_to(_Reporter(begin, delay)):
            yield
    finally:
        for bar in running:
            bar.clear()


class _NotebookBar:
    """The task that was advanced last, as HTML that is drawn again in its place."""

    def __init__(self) -> None:
        from IPython.display import HTML, display

        self._html = HTML
        self._handle = display(HTML(""), display_id=True)
        self._drawn = 0.0

    def add_task(self, description: str, *, total: float, completed: int) -> _Step:
        task = _Step(description, int(total), completed)
        self._draw(task)
        return task

    def advance(self, task_id: _Step, advance: float) -> None:
        task_id.done += int(advance)
        if time.monotonic() - self._drawn >= _BETWEEN:
            self._draw(task_id)

    def remove_task(self, task_id: _Step) -> None:
        """Leave the bar until the next task takes its place."""

    def clear(self) -> None:
        """Take the bar away."""
        self._handle.update(self._html(""))

    def _draw(self, task: _Step) -> None:
        from html import escape  # its table of entities would cost every command some milliseconds

        self._drawn = time.monotonic()
        bar = f"<progress value='{task.done}' max='{max(task.total, 1)}'></progress>"
        self._handle.update(self._html(f"{bar} {escape(task.label)} {task.done:,} / {task.total:,}"))
