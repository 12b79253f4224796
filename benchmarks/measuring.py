"""Wall time and memory of a command with everything it starts."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import threading
import time
from contextlib import suppress
from dataclasses import dataclass

import psutil

SAMPLE_SECONDS = 0.02


@dataclass(frozen=True)
class Measurement:
    """What a command took.

    Attributes
    ----------
    seconds : float
        From its start to its end.
    cpu_seconds : float
        CPU time of its process tree: what other programs do to the machine shows less here.
    peak_bytes : int
        The largest sum of resident memory over its process tree.
    stopped : bool
        Whether it took longer than it was allowed to, and was ended.
    """

    seconds: float
    cpu_seconds: float
    peak_bytes: int
    stopped: bool = False


class CommandFailedError(RuntimeError):
    """A command that was to be measured did not end well."""


def measure(command: list[str], limit: float | None = None) -> Measurement:
    """Run a command to its end, or for as many seconds as it is allowed."""
    with tempfile.TemporaryFile() as said:
        start, cpu_before = time.perf_counter(), _cpu_of_children()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=said, env=_installed())
        sampler = _MemorySampler(process.pid)
        sampler.start()
        stopped = False
        try:
            code = process.wait(limit)
        except subprocess.TimeoutExpired:
            _kill_tree(process)
            code, stopped = 0, True
        except BaseException:
            _kill_tree(process)
            raise
        seconds = time.perf_counter() - start
        sampler.stop()
        if code:
            said.seek(0)
            tail = said.read().decode(errors="replace")[-2000:]
            raise CommandFailedError(f"{' '.join(command)} ended with code {code}:\n{tail}")
    return Measurement(seconds, _cpu_of_children() - cpu_before, sampler.peak, stopped)


def _installed() -> dict[str, str]:
    """Return an environment in which Python keeps the modules that it compiled, as pip does when it installs them."""
    return {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}


def _kill_tree(process: subprocess.Popen[bytes]) -> None:
    """End a process and what it started: a Java process outlives the Python that waits for it."""
    family = psutil.Process(process.pid).children(recursive=True)
    process.kill()
    for member in family:
        with suppress(psutil.NoSuchProcess):
            member.kill()
    process.wait()


def _cpu_of_children() -> float:
    """Return the CPU time of all processes that were started here, or by those, and have ended."""
    times = os.times()
    return times.children_user + times.children_system


class _MemorySampler(threading.Thread):
    def __init__(self, pid: int) -> None:
        super().__init__(daemon=True)
        self.peak = 0
        self._process = psutil.Process(pid)
        self._over = threading.Event()

    def run(self) -> None:
        while not self._over.wait(SAMPLE_SECONDS):
            self.peak = max(self.peak, self._resident())

    def stop(self) -> None:
        self._over.set()
        self.join()

    def _resident(self) -> int:
        total = 0
        try:
            tree = [self._process, *self._process.children(recursive=True)]
        except psutil.Error:
            return 0
        for process in tree:
            try:
                total += process.memory_info().rss
            except psutil.Error:  # it ended meanwhile
                continue
        return total


class Progress:
    """Says on stderr which step is running and how long it took."""

    def __init__(self, steps: int) -> None:
        self._steps = steps
        self._done = 0

    def measure(self, label: str, command: list[str], limit: float | None = None) -> Measurement:
        """Measure one step."""
        self._done += 1
        print(f"[{self._done:2}/{self._steps}] {label} ...", end=" ", file=sys.stderr, flush=True)
        measured = measure(command, limit)
        print(f"{measured.seconds:.1f} s{' (stopped)' if measured.stopped else ''}", file=sys.stderr, flush=True)
        return measured
