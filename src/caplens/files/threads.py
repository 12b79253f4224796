"""Row blocks on several threads; the kernels release the GIL."""

from __future__ import annotations

import os
import threading
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager
from typing import Any, TypeVar

from caplens.files.progress import blocks

BLOCK_ROWS = 2048

Result = TypeVar("Result")

_current = threading.local()  # `stop`: the event that ends the work of this thread


class StoppedError(Exception):
    """Work that nobody waits for any more."""


def hear() -> None:
    """Raise what interrupts the work of this thread; kernels call this in the middle of long rows.

    On the main thread Ctrl-C becomes a `KeyboardInterrupt` here, as at every function of Python; on the others an
    event tells that `map_blocks` was interrupted.
    """
    stop = getattr(_current, "stop", None)
    if stop is not None and stop.is_set():
        raise StoppedError


def available_cpus() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def for_each_block(
    work: Callable[[int, int], object], rows: int, jobs: int, label: str, size: int = BLOCK_ROWS
) -> None:
    """Call ``work(first, last)`` for consecutive blocks of rows, on ``jobs`` threads."""
    map_blocks(work, rows, jobs, label, size)


def map_blocks(
    work: Callable[[int, int], Result], rows: int, jobs: int, label: str, size: int = BLOCK_ROWS
) -> list[Result]:
    """Call ``work(first, last)`` for consecutive blocks of rows, on ``jobs`` threads; return the results in order.

    Between blocks progress is shown; an interrupt is heard there and wherever kernels call `hear`.

    Examples
    --------
    >>> map_blocks(lambda first, last: last - first, 10_000, jobs=2, label="counting")
    [2048, 2048, 2048, 2048, 1808]
    """
    if jobs <= 1 or rows <= size:
        return [work(first, last) for first, last in blocks(label, rows, size)]
    with attentive_pool(jobs) as submit:
        pending = [submit(work, first, min(first + size, rows)) for first in range(0, rows, size)]
        return [future.result() for future, _ in zip(pending, blocks(label, rows, size), strict=True)]


@contextmanager
def attentive_pool(jobs: int) -> Iterator[Callable[..., Future[Any]]]:
    """Yield the ``submit`` of a pool of ``jobs`` threads, which hear when what waits for them is interrupted.

    Examples
    --------
    >>> with attentive_pool(1) as submit:
    ...     submit(max, 1, 2).result()
    2
    """
    stop = threading.Event()
    pending: list[Future[Any]] = []

    def attentive(work: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401 (what the work returns)
        _current.stop = stop
        return work(*arguments)

    with ThreadPoolExecutor(jobs) as pool:

        def submit(work: Callable[..., Any], *arguments: object) -> Future[Any]:
            pending.append(pool.submit(attentive, work, *arguments))
            return pending[-1]

        try:
            yield submit
        except BaseException:
            stop.set()
            for future in pending:
                future.cancel()
            raise
