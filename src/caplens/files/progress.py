"""Progress of slow loops: whoever waits at a terminal installs a reporter, everybody else pays nothing."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Protocol


class Reporter(Protocol):
    """Shows the progress of named steps."""

    def start(self, label: str, total: int) -> object:
        """Begin a step of ``total`` units; the return value names it in later calls."""

    def advance(self, step: object, amount: int) -> None:
        """Note that ``amount`` more units are done."""

    def finish(self, step: object) -> None:
        """End a step."""


class Nobody:
    """Shows nothing, inside blocks for which somebody said so."""

    def start(self, label: str, total: int) -> object:
        """Begin nothing."""
        return None

    def advance(self, step: object, amount: int) -> None:
        """Show nothing."""

    def finish(self, step: object) -> None:
        """End nothing."""


_reporter: ContextVar[Reporter | None] = ContextVar("caplens_progress", default=None)


@contextmanager
def reporting_to(reporter: Reporter | None) -> Iterator[None]:
    """Send the progress of everything inside the block to ``reporter``."""
    token = _reporter.set(reporter)
    try:
        yield
    finally:
        _reporter.reset(token)


def is_reported() -> bool:
    """Tell whether it was decided further out who shows progress, or that nobody does."""
    return _reporter.get() is not None


def blocks(label: str, total: int, size: int) -> Iterator[tuple[int, int]]:
    """Cut ``range(total)`` into blocks, reporting each as done when the next one is asked for.

    Examples
    --------
    >>> list(blocks("counting", 5, 2))
    [(0, 2), (2, 4), (4, 5)]
    """
    reporter = _reporter.get()
    step = reporter.start(label, total) if reporter else None
    try:
        for first in range(0, total, size):
            last = min(first + size, total)
            yield first, last
            if reporter:
                reporter.advance(step, last - first)
    finally:
        if reporter:
            reporter.finish(step)


@contextmanager
def step(label: str) -> Iterator[None]:
    """Report the block as one step of unknown length, such as waiting for somebody else.

    Examples
    --------
    >>> with step("waiting"):
    ...     pass
    """
    reporter = _reporter.get()
    started = reporter.start(label, 1) if reporter else None
    try:
        yield
        if reporter:
            reporter.advance(started, 1)
    finally:
        if reporter:
            reporter.finish(started)
