"""A compiled file for the tests of the cache, and the processes that build it at once, wait for it or are killed.

Run as a script, this file is one of those processes: see `ROLES` at the end.
"""

from __future__ import annotations

import itertools
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
from pathlib import Path

import numpy as np

from caplens.files import atomic, cache
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.cache import inspect_compiled, open_compiled
from caplens.files.folders import cache_directory
from caplens.files.progress import reporting_to

NAME = "squares"
FACTS = {"version": "2", "source": "abc"}
OLD_FACTS = {"version": "1", "source": "abc"}
WAITING = f"waiting for another process to build {NAME}"
PATIENCE = 60
"""Seconds after which a process that hangs is killed, so that its test fails."""


def squares():
    return {"squares": np.arange(300) ** 2, "roots": np.sqrt(np.arange(50, dtype=np.float32))}


def is_right(arrays):
    return arrays.facts == FACTS and all(np.array_equal(arrays[name], array) for name, array in squares().items())


class Builds:
    """A build that counts."""

    def __init__(self, make=squares):
        self.count = 0
        self.make = make

    def __call__(self):
        self.count += 1
        return self.make()


def stored(opened, path):
    return is_right(opened.arrays) and opened.path == path and opened.notices == ()


def prepare(path, state):
    """Put a file into the cache, or none."""
    shutil.rmtree(path.parent, ignore_errors=True)
    if state != "absent":
        path.parent.mkdir(parents=True)
        write_arrays(path, {"old": np.arange(5)}, OLD_FACTS)
    if state == "damaged":
        os.truncate(path, path.stat().st_size - 1)


class Child:
    """A process that plays one of the `ROLES`, and the lines it says."""

    def __init__(self, role, folder, *arguments):
        self.process = subprocess.Popen(
            [sys.executable, __file__, role, *map(str, arguments)],
            env={**os.environ, "CAPLENS_CACHE": str(folder)},
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
        )
        self._patience = threading.Timer(PATIENCE, self.process.kill)
        self._patience.start()

    def hear(self):
        line = self.process.stdout.readline()
        assert line, f"the child ended with {self.process.wait()} instead of saying something"
        return line.strip()

    def tell(self, text):
        self.process.stdin.write(f"{text}\n")
        self.process.stdin.flush()

    def results(self):
        """Return all that is still to come, when it has come."""
        lines = [json.loads(line) for line in self.process.stdout]
        assert self.process.wait() == 0
        return lines

    def kill(self):
        self.process.kill()
        self.end()
        assert self.process.returncode == -signal.SIGKILL

    def end(self):
        self._patience.cancel()
        self.process.kill()
        self.process.wait()
        for stream in (self.process.stdin, self.process.stdout):
            stream.close()


# What the processes do.


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


class Speaker:
    """Says each step that it hears of."""

    def start(self, label, total):
        say(label)

    def advance(self, step, amount):
        pass

    def finish(self, step):
        pass


def told(opened):
    reason = str(opened.notices[0]).partition("(")[2].partition(")")[0] if opened.notices else None
    return {"right": is_right(opened.arrays), "path": opened.path and str(opened.path), "reason": reason}


def build_when_told(builds):
    signal.signal(signal.SIGINT, signal.default_int_handler)  # a shell's background jobs ignore it

    def build():
        with Path(builds).open("a") as file:
            file.write(f"{os.getpid()}\n")
        say("building")
        assert sys.stdin.readline() == "finish\n"
        return squares()

    say("ready")
    assert sys.stdin.readline() == "go\n"
    try:
        with reporting_to(Speaker()):
            say(json.dumps(told(open_compiled(NAME, FACTS, build))))
    except KeyboardInterrupt:
        say("interrupted")


def build_as_nobody():
    import filelock
    import platformdirs

    assert filelock
    assert platformdirs  # loaded while we may read them
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    builds = Builds()
    say(json.dumps({**told(open_compiled(NAME, FACTS, builds)), "builds": builds.count}))


def limit_files(size):
    import resource

    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(size), resource.RLIM_INFINITY))


def build_with_little_space(size):
    limit_files(size)  # Python gets an error for what exceeds it, as on a full disk
    builds = Builds()
    say(json.dumps({**told(open_compiled(NAME, FACTS, builds)), "builds": builds.count}))


def build_large(size):
    open_compiled(NAME, FACTS, lambda: {"large": np.arange(int(size) // 8)})


def killed_at_lines(before):
    open_compiled(NAME, FACTS, squares)  # so that everything is loaded
    """Die before one line after the other of all that changes something; what only reads can be killed anywhere."""
    watched = {cache.__file__, atomic.__file__}
    for moment in itertools.count(1):
        left = itertools.count(moment - 1, -1)

        def trace(frame, event, _, left=left):
            if frame.f_code.co_filename not in watched and frame.f_code is not write_arrays.__code__:
                return None
            if event == "line" and next(left) == 0:
                os.kill(os.getpid(), signal.SIGKILL)
            return trace

        result = next_run_after(before, lambda trace=trace: sys.settrace(trace))
        say(json.dumps(result))
        if not result["killed"]:
            return


def killed_at_bytes(before):
    def limited(limit):
        limit_files(limit)
        signal.signal(signal.SIGXFSZ, signal.SIG_DFL)  # the kernel kills whoever writes past the limit

    size = open_compiled(NAME, FACTS, squares).arrays.size
    for limit in (0, 1, 7, 8, 9, 63, 64, 200, 500, 1000, size // 2, size - 1):
        say(json.dumps({"limit": limit, **next_run_after(before, lambda limit=limit: limited(limit))}))


def next_run_after(before, arm):
    """Let a forked process build and die on the way, then see what it left and what the next one makes of it."""
    path = cache_directory() / f"{NAME}.safetensors"
    prepare(path, before)
    process = os.fork()
    if not process:
        arm()
        open_compiled(NAME, FACTS, squares)
        os._exit(0)
    killed = os.waitstatus_to_exitcode(os.waitpid(process, 0)[1])
    state = inspect_compiled(NAME, FACTS).state
    assert state in {before, "ready"}
    assert state != "outdated" or read_arrays(path)["old"].tolist() == [0, 1, 2, 3, 4]
    leftovers = [file.stat().st_size for file in path.parent.glob(".*")]
    builds = Builds()
    opened = open_compiled(NAME, FACTS, builds)
    return {
        "killed": -killed,
        "state": state,
        "leftovers": leftovers,
        "right": stored(opened, path),
        "builds": builds.count,
        "clean": {file.name for file in path.parent.iterdir()} == {path.name, f"{NAME}.lock"},
    }


ROLES = {
    "build": build_when_told,
    "nobody": build_as_nobody,
    "limited": build_with_little_space,
    "large": build_large,
    "killed_at_lines": killed_at_lines,
    "killed_at_bytes": killed_at_bytes,
}

if __name__ == "__main__":
    ROLES[sys.argv[1]](*sys.argv[2:])
