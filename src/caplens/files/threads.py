"""Row blocks on several threads; the kernels release the GIL."""

from __future__ import annotations

import os
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import TypeVar

from caplens.files.progress import blocks

BLOCK_ROWS = 2048

Result = TypeVar("Result")


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

    Between blocks progress is shown and an interrupt is heard, so rows that take long want a smaller ``size``.

    Examples
    --------
    >>> map_blocks(lambda first, last: last - first, 10_000, jobs=2, label="counting")
    [2048, 2048, 2048, 2048, 1808]
    """
    if jobs <= 1 or rows <= size:
        return [work(first, last) for first, last in blocks(label, rows, size)]
    with ThreadPoolExecutor(jobs) as pool:
        pending = [pool.submit(work, first, min(first + size, rows)) for first in range(0, rows, size)]
        try:
            return [future.result() for future, _ in zip(pending, blocks(label, rows, size), strict=True)]
        except BaseException:
            for future in pending:
                future.cancel()
            raise
