"""Ctrl-C is heard in the middle of a row, on one thread and on several."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time

import pytest
from tests.alone import SOURCES

from caplens.files.threads import StoppedError, hear, map_blocks

# Each kernel with one row that takes minutes.
KERNELS = {
    "rouge": """
from caplens.metrics.rouge import _rouge
size = 600_000
words = numpy.random.default_rng(0).integers(0, 9, 2 * size).astype(numpy.int32)
ours, theirs = numpy.array([0, size]), numpy.array([size, 2 * size])
run = lambda: _rouge.precision_recall(
    ours, words, theirs, words, numpy.array([0, 1]), numpy.array([0]), numpy.zeros((1, 2)), 0, 1)
""",
    "wmd": """
from caplens.metrics.wmd import _wmd
size = 4000
vectors = numpy.random.default_rng(0).normal(size=(2 * size, 8)).astype(numpy.float32)
bags = [_wmd.Bags(numpy.array([0, size]), numpy.arange(first, first + size, dtype=numpy.int32),
    numpy.ones(size, numpy.int32), numpy.array([size]), size) for first in (0, size)]
distances = _wmd.Distances(vectors, vectors[:0], numpy.zeros(0))
run = lambda: _wmd.every(*bags, distances, numpy.array([0]), numpy.array([0]), numpy.zeros(1), 0, 1)
""",
    "sorting n-grams": """
from caplens.text import _ngrams
size = 4_000_000
words = numpy.random.default_rng(0).integers(0, 2**31 - 1, size, dtype=numpy.int32)
def run():
    while True:
        _ngrams.count(words, numpy.array([0, size]), 1, numpy.zeros(2, numpy.int64), numpy.empty(size, numpy.int32),
            numpy.empty(size, numpy.int32), 0, 1)
""",
    "looking n-grams up": """
from caplens.text import _ngrams
from caplens.text._tables import PairTable
size = 3_000_000
words = numpy.random.default_rng(0).integers(0, 2**20, size, dtype=numpy.int32)
def run():
    while True:
        _ngrams.extend(PairTable(None), words, words, numpy.array([0, size]), 2, 0, 1)
""",
    "greedy": """
from caplens.metrics.embedding import _words
size = 100_000
vectors = numpy.random.default_rng(0).normal(size=(100, 100)).astype(numpy.float32)
words, offsets = (numpy.arange(size) % 100).astype(numpy.int32), numpy.array([0, size])
run = lambda: _words.greedy_matches(offsets, words, offsets, words, vectors, vectors[:0],
    numpy.array([0, 1]), numpy.array([0]), numpy.zeros((1, 3)), 0, 1)
""",
    "meteor": """
from caplens.metrics.meteor._aligner import Aligner
size = 1500
matches = [(start, 1, position, 1, 0) for position in range(size) for start in range(0, size, 3)]
run = lambda: Aligner(1000).choose(matches, size, size)
""",
}
SCRIPT = """
import sys
import numpy
from caplens.files.threads import map_blocks
{kernel}
print("ready", flush=True)
try:
    map_blocks(lambda first, last: run(), 2, {jobs}, "working", 1)
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


@pytest.mark.skipif(os.name == "nt", reason="signals are those of POSIX")
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("name", KERNELS)
def test_a_long_row_is_interrupted(name, jobs):
    script = SCRIPT.format(kernel=KERNELS[name], jobs=jobs)
    environment = {**os.environ, "PYTHONPATH": SOURCES}
    with subprocess.Popen(
        [sys.executable, "-c", script], stdout=subprocess.PIPE, text=True, env=environment
    ) as process:
        try:
            assert process.stdout.readline() == "ready\n"
            time.sleep(1)
            assert process.poll() is None, "the row was too short"
            process.send_signal(signal.SIGINT)
            began = time.monotonic()
            assert process.stdout.readline() == "interrupted\n"
            assert time.monotonic() - began < 10  # a tenth of a second, unless the machine is busy
            assert process.wait(30) == 0
        finally:
            process.kill()


def test_threads_hear_that_nobody_waits_for_them():
    started, stopped = threading.Event(), []

    def work(first, last):
        if first == 0:
            started.wait(30)
            raise RuntimeError("the first block failed")
        started.set()
        try:
            while True:
                hear()
                time.sleep(0.01)
        except StoppedError:
            stopped.append(first)
            raise

    with pytest.raises(RuntimeError, match="the first block failed"):
        map_blocks(work, 20, 2, "working", 10)
    assert stopped == [10]
    hear()  # nobody has told this thread to stop
