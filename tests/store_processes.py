"""Processes that write to a store at once or are killed while they do.

Run as a script, this file is one of those processes: see `ROLES` at the end.
"""

from __future__ import annotations

import hashlib
import json
import os
import signal
import subprocess
import sys
from pathlib import Path

from caplens.files.store import Store

PATIENCE = 60
"""Seconds after which a process that hangs is killed, so that its test fails."""

BATCH = 50


def key(name):
    return hashlib.blake2b(str(name).encode(), digest_size=16).digest()


def value(name):
    return f"value of {name} ".encode() * 20


def entries(*names):
    return {key(name): value(name) for name in names}


def batch(writer, number):
    return entries(*(f"{writer}-{number}-{place}" for place in range(BATCH)))


def start(role, *arguments):
    return subprocess.Popen(
        [sys.executable, __file__, role, *map(str, arguments)], stdout=subprocess.PIPE, stdin=subprocess.PIPE, text=True
    )


# What the processes do.


def say(text):
    sys.stdout.write(f"{text}\n")
    sys.stdout.flush()


def write_batches(path, writer, count):
    """Store one batch after the other and say the number of each when it is stored."""
    store = Store(path)
    say("ready")
    assert sys.stdin.readline() == "go\n"
    for number in range(int(count)):
        store.put(batch(writer, number))
        say("damaged" if store.notices else number)


def write_and_die(path, writer, limit):
    """Store a batch; the kernel kills whoever writes past the limit, here in the middle of it."""
    import resource

    store = Store(path)
    store.get([b"so that everything is loaded"])
    resource.setrlimit(resource.RLIMIT_CORE, (0, 0))
    resource.setrlimit(resource.RLIMIT_FSIZE, (int(limit), resource.RLIM_INFINITY))
    signal.signal(signal.SIGXFSZ, signal.SIG_DFL)
    store.put(batch(writer, 0))


def use_as_nobody(path):
    import sqlite3

    import filelock

    assert filelock
    assert sqlite3  # loaded while we may read them
    os.setgroups([])
    os.setgid(65534)
    os.setuid(65534)
    store = Store(path)
    found = store.get(list(batch("a", 0)))
    store.put(entries("new"))
    say(json.dumps({"found": len(found), "notices": [str(notice) for notice in store.notices]}))


ROLES = {"batches": write_batches, "die": write_and_die, "nobody": use_as_nobody}

if __name__ == "__main__":
    ROLES[sys.argv[1]](Path(sys.argv[2]), *sys.argv[3:])
