"""Throw inputs at caplens that nobody would write: files, captions, metric strings, models.

    python -m tests.fuzz --inputs 100000 --seed 0 --jobs 2

Input ``n`` of a seed is always the same, so ``--first n --inputs 1`` brings a finding back. Only a `CaplensError` may
come out; a traceback, a score that is no number, ten seconds without an end or the death of a process is a finding.
"""

from __future__ import annotations

import argparse
import faulthandler
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
import traceback
import warnings
from collections import Counter
from pathlib import Path

from caplens.errors import CaplensError, CaplensWarning
from tests.fuzz import captions, files, metric_strings, models

SECONDS = 10
TARGETS = {
    "files": files.run,
    "captions": captions.run,
    "metric strings": metric_strings.run,
    "models": models.run,
}


class HangError(Exception):
    """An input took too long."""


def ring(*_):
    raise HangError(f"more than {SECONDS} seconds")


def main():
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description="Fuzz caplens.")
    parser.add_argument("--inputs", type=int, default=20_000)
    parser.add_argument("--first", type=int, default=0)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--jobs", type=int, default=1)
    parser.add_argument("--seconds", type=float, default=float("inf"), help="stop after so long, whatever is left")
    given = parser.parse_args()
    if given.jobs > 1:
        return in_processes(given)
    return in_this_process(given)


def in_processes(given):
    """Share the inputs between processes; a process that dies is a finding."""
    share = -(-given.inputs // given.jobs)
    began = [given.first + share * job for job in range(given.jobs)]
    running = []
    for first in began:
        given_on = {"--seed": given.seed, "--first": first, "--seconds": given.seconds}
        given_on["--inputs"] = min(share, given.first + given.inputs - first)
        options = [str(part) for option in given_on.items() for part in option]
        running.append(subprocess.Popen([sys.executable, "-m", "tests.fuzz", *options]))
    codes = [process.wait() for process in running]
    for code, first in zip(codes, began, strict=True):
        if code not in (0, 1):
            print(f"FINDING the process of the inputs from {first} on died with {code}", flush=True)
    return int(any(codes))


def in_this_process(given):
    """Try inputs one after the other."""
    faulthandler.enable()
    warnings.simplefilter("error")
    # What caplens says of odd input is no finding.
    warnings.simplefilter("ignore", CaplensWarning)
    signal.signal(signal.SIGPROF, ring)
    signal.signal(signal.SIGALRM, ring)
    counts, findings, began = Counter(), 0, time.monotonic()
    names = list(TARGETS)
    with tempfile.TemporaryDirectory() as folder:
        os.environ["CAPLENS_VECTORS"] = f"{folder}/vectors"
        for number in range(given.first, given.first + given.inputs):
            if time.monotonic() - began > given.seconds:
                break
            # Strings seeds are hashed by Python's generator itself, not by the process.
            source = random.Random(f"{given.seed} {number}")
            name = names[number % len(names)]
            # Ten seconds of work; a machine that is busy with other things gets more to wait.
            signal.setitimer(signal.ITIMER_PROF, SECONDS)
            signal.alarm(20 * SECONDS)
            try:
                outcome = TARGETS[name](source, Path(folder))
            except CaplensError as error:
                outcome = "refused" if is_sentence(str(error)) else "no sentence"
                if outcome == "no sentence":
                    findings += 1
                    print(f"FINDING seed {given.seed} input {number} ({name}): no sentence: {str(error)!r}", flush=True)
            except Exception:
                outcome = "finding"
                findings += 1
                print(f"FINDING seed {given.seed} input {number} ({name})\n{traceback.format_exc()}", flush=True)
            finally:
                signal.setitimer(signal.ITIMER_PROF, 0)
                signal.alarm(0)
            counts[name, outcome] += 1
    took = time.monotonic() - began
    listed = ", ".join(f"{name} {outcome}: {count:,}" for (name, outcome), count in sorted(counts.items()))
    print(f"{sum(counts.values()):,} inputs in {took:.0f} s, {findings} findings ({listed})", flush=True)
    return int(findings > 0)


def is_sentence(text):
    return bool(text.strip()) and "\n" not in text and "Traceback" not in text


if __name__ == "__main__":
    sys.exit(main())
