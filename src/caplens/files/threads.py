"""Row blocks on several threads; the kernels release the GIL."""

from __future__ import annotations

import os
import sys
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, contextmanager
from contextvars import copy_context
from typing import TYPE_CHECKING, Any, Generic, TypeVar

from caplens.files.progress import blocks

if TYPE_CHECKING:
    from concurrent.futures import Future, ThreadPoolExecutor

BLOCK_ROWS = 2048
_BLAS_THREADS = ("OPENBLAS_NUM_THREADS", "GOTO_NUM_THREADS", "OMP_NUM_THREADS")

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


@contextmanager
def attentive(stop: threading.Event) -> Iterator[None]:
    """Let the work of this thread end, by `StoppedError`, at the next `hear` after somebody sets ``stop``.

    Examples
    --------
    >>> nobody_waits = threading.Event()
    >>> nobody_waits.set()
    >>> with attentive(nobody_waits):
    ...     hear()
    Traceback (most recent call last):
    caplens.files.threads.StoppedError
    """
    before = getattr(_current, "stop", None)
    _current.stop = stop
    try:
        hear()
        yield
    finally:
        _current.stop = before


def available_cpus() -> int:
    """Return how many CPUs this process may use."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def load_numpy_alone() -> None:
    """Load NumPy without threads of its linear algebra, unless something was set for them: commands have their own.

    OpenBLAS starts one for each further CPU, and each keeps its CPU busy for a twentieth of a second, while the files
    could be read there. Other processes that are started later see nothing of this.
    """
    if "numpy" in sys.modules or not os.environ.keys().isdisjoint(_BLAS_THREADS):
        return
    os.environ[_BLAS_THREADS[0]] = "1"
    try:
        import numpy as np  # noqa: F401 (its library reads the variable now)
    finally:
        del os.environ[_BLAS_THREADS[0]]


class Ahead(Generic[Result]):
    """What a thread computes while the program does something else, such as loading modules.

    Examples
    --------
    >>> Ahead(lambda: "two dogs").result()
    'two dogs'
    """

    def __init__(self, work: Callable[[], Result]) -> None:
        self._work = work
        self._found: list[Result] = []
        self._error: Exception | None = None
        # It sees the settings of the block in which it was started, such as which files a command reads.
        self._thread = threading.Thread(target=copy_context().run, args=(self._run,), daemon=True)
        self._thread.start()

    def _run(self) -> None:
        try:
            self._found.append(self._work())
        except Exception as error:  # raised again for who asks for the result
            self._error = error

    def result(self) -> Result:
        """Wait for it; what was raised there is raised here. It is given away, once: captions take much memory."""
        self._thread.join()
        if self._error is not None:
            raise self._error
        return self._found.pop()


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


def side_by_side(tasks: Sequence[Callable[[], Result]], jobs: int) -> list[Result]:
    """Call functions on ``jobs`` threads, each once, in their order; return the results in that order.

    Put those first that take longest: the others then share the remaining threads.

    Examples
    --------
    >>> side_by_side([lambda: "two", lambda: "dogs"], jobs=2)
    ['two', 'dogs']
    """
    if jobs <= 1 or len(tasks) < 2:
        return [task() for task in tasks]
    with attentive_pool(jobs) as submit:
        return [future.result() for future in [submit(task) for task in tasks]]


def take_through(
    steps: Sequence[Callable[[int, int, Any], Any]], rows: int, jobs: int, label: str, size: int = BLOCK_ROWS
) -> None:
    """Take blocks of rows through steps, one after the other; different steps work on different blocks at a time.

    Parameters
    ----------
    steps : sequence of callables
        Each is called with the first and last row of a block and what the step before returned for it (None at first).
        A step meets the blocks in their order, one at a time, so it may build on what it did before.
    rows, jobs, label, size
        As for `map_blocks`.

    Examples
    --------
    >>> found = []
    >>> take_through([lambda first, last, _: last - first, lambda *block: found.append(block)], 5, 2, "counting", 2)
    >>> found
    [(0, 2, 2), (2, 4, 2), (4, 5, 1)]
    """
    if jobs <= 1 or rows <= size:
        for first, last in blocks(label, rows, size):
            value = None
            for step in steps:
                value = step(first, last, value)
        return
    starts = range(0, rows, size)
    values: dict[int, Any] = dict.fromkeys(range(len(starts)))
    done: dict[tuple[int, int], Future[None]] = {}

    def advance(block: int, number: int) -> None:
        # What is waited for was submitted before, so some thread works on it.
        for needed in ((block, number - 1), (block - 1, number)):
            if needed in done:
                done[needed].result()
        first = starts[block]
        values[block] = steps[number](first, min(first + size, rows), values[block])

    with attentive_pool(jobs) as submit:
        # In diagonals, which are free of dependencies; the last steps first, for which others wait already.
        for diagonal in range(len(starts) + len(steps) - 1):
            for number in reversed(range(len(steps))):
                block = diagonal - number
                if 0 <= block < len(starts):
                    done[block, number] = submit(advance, block, number)
        for block, _ in enumerate(blocks(label, rows, size)):
            done[block, len(steps) - 1].result()
            del values[block]


@contextmanager
def attentive_pool(jobs: int) -> Iterator[Callable[..., Future[Any]]]:
    """Yield the ``submit`` of a pool of ``jobs`` threads, which hear when what waits for them is interrupted.

    Threads are started when they are needed; with no ``jobs`` there must be nothing to submit.

    Examples
    --------
    >>> with attentive_pool(1) as submit:
    ...     submit(max, 1, 2).result()
    2
    """
    stop = threading.Event()
    pending: list[Future[Any]] = []
    pool: ThreadPoolExecutor | None = None

    def attentive(work: Callable[..., Any], *arguments: object) -> Any:  # noqa: ANN401 (what the work returns)
        _current.stop = stop
        return work(*arguments)

    with ExitStack() as stack:

        def submit(work: Callable[..., Any], *arguments: object) -> Future[Any]:
            nonlocal pool
            if pool is None:  # its module takes as long to load as a few captions to score
                from concurrent.futures import ThreadPoolExecutor

                pool = stack.enter_context(ThreadPoolExecutor(max(jobs, 1)))
            pending.append(pool.submit(attentive, work, *arguments))
            return pending[-1]

        try:
            yield submit
        except BaseException:
            stop.set()
            for future in pending:
                future.cancel()
            raise
