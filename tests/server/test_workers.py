"""Threads for requests: a full queue, time, clients that leave, the end."""

from __future__ import annotations

import asyncio
import gc
import threading
import time
import weakref

import pytest

from caplens.files.threads import StoppedError, hear
from caplens.server.limits import Limits
from caplens.server.workers import BusyError, GoneError, TimeIsUpError, Workers


def listening(heard):
    """Work that goes on until it is told to stop, as a kernel would."""
    try:
        while True:
            time.sleep(0.005)
            hear()
    except StoppedError:
        heard.set()
        raise


def test_work_is_done_and_its_errors_are_raised():
    async def play():
        workers = Workers(Limits(workers=2))
        assert await workers.run(lambda: 7) == 7
        with pytest.raises(ZeroDivisionError):
            await workers.run(lambda: 1 // 0)
        workers.close()

    asyncio.run(play())


def test_a_full_queue_refuses():
    async def play():
        workers = Workers(Limits(workers=1, waiting=1))
        go = threading.Event()
        waiting = [asyncio.ensure_future(workers.run(lambda: go.wait(10))) for _ in range(2)]
        await asyncio.sleep(0.05)
        with pytest.raises(BusyError):
            await workers.run(lambda: 1)
        go.set()
        assert await asyncio.gather(*waiting) == [True, True]
        assert await workers.run(lambda: 1) == 1
        workers.close()

    asyncio.run(play())


def test_work_that_takes_too_long_is_stopped_and_frees_its_place():
    async def play():
        heard = threading.Event()
        workers = Workers(Limits(workers=1, waiting=0, seconds=0.05))
        with pytest.raises(TimeIsUpError):
            await workers.run(lambda: listening(heard))
        assert await asyncio.to_thread(heard.wait, 5)
        await asyncio.sleep(0.05)
        assert await workers.run(lambda: 1) == 1
        workers.close()

    asyncio.run(play())


def test_work_stops_when_the_client_leaves():
    async def play():
        heard = threading.Event()
        workers = Workers(Limits(workers=1))
        with pytest.raises(GoneError):
            await workers.run(lambda: listening(heard), asyncio.sleep(0.05))
        assert await asyncio.to_thread(heard.wait, 5)
        workers.close()

    asyncio.run(play())


def test_closing_stops_what_runs():
    async def play():
        heard = threading.Event()
        workers = Workers(Limits(workers=1))
        running = asyncio.ensure_future(workers.run(lambda: listening(heard)))
        await asyncio.sleep(0.05)
        await asyncio.to_thread(workers.close)
        assert heard.is_set()
        with pytest.raises(GoneError):
            await running

    asyncio.run(play())


class Asked:
    """Work that fails, or that goes on until it is told to stop."""

    def __init__(self, fails):
        self.fails = fails

    def __call__(self):
        if self.fails:
            raise ZeroDivisionError
        listening(threading.Event())


@pytest.mark.parametrize(
    ("fails", "gone", "error"),
    [
        (True, None, ZeroDivisionError),
        (True, 60, ZeroDivisionError),
        (False, None, TimeIsUpError),
        (False, 0.01, GoneError),
    ],
)
def test_what_failed_is_forgotten_at_once(fails, gone, error):
    """An error that keeps itself keeps its whole request, until somebody looks for cycles."""

    async def play():
        workers = Workers(Limits(workers=1, seconds=0.5))
        asked = Asked(fails)
        known = weakref.ref(asked)
        with pytest.raises(error):
            await workers.run(asked, asyncio.sleep(gone) if gone else None)
        await asyncio.to_thread(workers.close)  # the thread has let go of it, too
        await asyncio.sleep(0.01)
        del asked
        return known()

    gc.collect()
    gc.disable()
    try:
        assert asyncio.run(play()) is None
    finally:
        gc.enable()
