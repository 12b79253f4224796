"""Threads that compute what requests ask for: a bounded number of them, a bounded queue, and a time limit."""

from __future__ import annotations

import asyncio
import threading
from collections.abc import Awaitable, Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any, TypeVar

from caplens.files.progress import Nobody, reporting_to
from caplens.files.telling import silently
from caplens.files.threads import StoppedError, attentive
from caplens.server.limits import Limits

Answer = TypeVar("Answer")


class BusyError(Exception):
    """Too many requests wait already."""


class TimeIsUpError(Exception):
    """A request took too long."""


class GoneError(Exception):
    """Nobody waits for the answer any more."""


class Workers:
    """Threads for requests.

    Work hears that nobody waits for it where kernels listen for an interrupt, as they do for Ctrl-C; until then it
    keeps its thread, and its place counts.

    Parameters
    ----------
    limits : Limits
        How many threads, how many requests may wait, and how long one may take.
    """

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._pool = ThreadPoolExecutor(limits.workers, "caplens")
        self._places = threading.BoundedSemaphore(limits.workers + limits.waiting)
        self._running: set[threading.Event] = set()
        self._lock = threading.Lock()

    async def run(
        self, work: Callable[[], Answer], gone: Awaitable[object] | None = None, patience: float = 1.0
    ) -> Answer:
        """Do the work in a thread and return what it returns.

        ``gone`` is done when nobody waits any more; ``patience`` is how many times the limit the work may take.
        """
        if not self._places.acquire(blocking=False):
            raise BusyError
        stop = threading.Event()
        with self._lock:
            self._running.add(stop)
        submitted = self._pool.submit(self._do, work, stop)
        submitted.add_done_callback(lambda future: self._finish(future, stop))
        computed = asyncio.wrap_future(submitted)
        computed.add_done_callback(_heard)
        leaving = asyncio.ensure_future(gone) if gone is not None else None
        waited_for: set[asyncio.Future[Any]] = {computed} if leaving is None else {computed, leaving}
        try:
            await asyncio.wait(waited_for, timeout=patience * self._limits.seconds, return_when=asyncio.FIRST_COMPLETED)
            if computed.done():
                return computed.result()
            raise GoneError if leaving is not None and leaving.done() else TimeIsUpError
        except StoppedError:
            raise GoneError from None
        finally:
            if leaving is not None:
                leaving.cancel()
            if not computed.done():
                stop.set()
            # An error keeps this frame, and would keep itself through the future that holds it: the whole request
            # would stay in memory until somebody looks for cycles.
            del computed, submitted, waited_for, leaving

    def close(self) -> None:
        """Stop what runs and wait until it has."""
        with self._lock:
            for stop in self._running:
                stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _finish(self, future: Future[Answer], stop: threading.Event) -> None:
        with self._lock:
            self._running.discard(stop)
        self._places.release()

    @staticmethod
    def _do(work: Callable[[], Answer], stop: threading.Event) -> Answer:
        with attentive(stop), silently(), reporting_to(Nobody()):
            return work()


def _heard(computed: asyncio.Future[Answer]) -> None:
    """Look at the outcome of work that nobody waits for, which asyncio would otherwise complain about."""
    if not computed.cancelled():
        computed.exception()
