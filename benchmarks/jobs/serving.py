"""The server beside the same call in Python, many clients at once, and thirty thousand requests.

``serving.py CANDIDATES REFERENCES OUT [REQUESTS]``

The server is a process of its own; latencies are those that clients see, over connections that are kept open.
"""

from __future__ import annotations

import gzip
import http.client
import json
import random
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from statistics import linear_regression, mean, median, quantiles
from typing import Any

import psutil

from caplens.api.explaining import explain_by_all
from caplens.api.inputs import corpus_of

METRICS = "spice, meteor"
CAPTIONS, CLIENTS, HOSTILE_SHARE = 300, 16, 0.1
ENOUGH = 200
PARTS = 30  # of the load; the memory is read after each
Pair = tuple[str, list[str]]

# What is sent, and the status that must come back.
HOSTILE: list[tuple[str, dict[str, str], bytes, int]] = [
    ("/api/explain", {}, b"{", 400),
    ("/api/explain", {}, b'{"candidate": 7}', 400),
    ("/api/explain", {}, b"\xff\xfe", 400),
    ("/api/explain", {}, b'{"candidate": "a", "references": ["a"], "metrics": "cider(df=/etc/passwd)"}', 400),
    ("/api/explain", {}, b'{"candidate": "a", "references": ["a"], "metrics": "spice(parser=os:abort)"}', 400),
    ("/api/score", {}, b'{"candidates": ["a"], "references": [["a"]], "metrics": "given(file=/etc/passwd)"}', 400),
    ("/api/score", {}, b'{"candidates": ["a"], "references": [["a"]], "metrics": "composite(weights=/tmp)"}', 400),
    ("/api/score", {}, b'{"candidates": ["a", "b"], "references": [["a"]], "metrics": "rouge"}', 400),
    (
        "/api/explain",
        {},
        json.dumps({"candidate": "mean(" * 400, "references": [], "metrics": "mean(" * 300}).encode(),
        400,
    ),
    ("/api/explain", {"Host": "evil.example"}, b"{}", 403),
    ("/api/explain", {"Origin": "http://evil.example"}, b"{}", 403),
    ("/api/explain", {"Content-Type": "text/plain"}, b"{}", 415),
    ("/../../etc/passwd", {}, b"{}", 404),
    (
        "/api/explain",
        {},
        json.dumps({"candidate": "<script>" * 50, "references": ["\u202e" * 500], "metrics": "rouge"}).encode(),
        200,
    ),
    (
        "/api/explain",
        {},
        json.dumps({"candidate": "x " * 5_000, "references": ["y"], "metrics": "rouge"}).encode(),
        200,
    ),
]


def main(candidates: str, references: str, out: str, requests: int = 30_000) -> None:
    """Measure and write everything to a file."""
    pairs = read(candidates, references)
    expected = [in_process(pair) for pair in pairs]
    server, port = start()
    try:
        found: dict[str, Any] = {"warm": alternate(port, pairs), "clients": at_once(port, pairs)}
        found["load"] = load(port, pairs, expected, requests, psutil.Process(server.pid))
    finally:
        server.send_signal(signal.SIGINT)
        server.wait(60)
    found["exit"] = server.returncode
    Path(out).write_text(json.dumps(found))


def read(candidates: str, references: str) -> list[Pair]:
    """Return captions with their references."""
    rows = json.loads(gzip.decompress(Path(candidates).read_bytes()))[:CAPTIONS]
    wanted: dict[Any, list[str]] = {row["image_id"]: [] for row in rows}
    for row in json.loads(gzip.decompress(Path(references).read_bytes()))["annotations"]:
        if row["image_id"] in wanted:
            wanted[row["image_id"]].append(row["caption"])
    return [(row["caption"], wanted[row["image_id"]]) for row in rows]


def in_process(pair: Pair) -> dict[str, float | None]:
    """Explain a caption in this process; return its scores."""
    found = explain_by_all(corpus_of([pair[0]], [pair[1]]), "0", METRICS, max_words=500)
    return {key: value for each in found for key, value in each.to_dict()["scores"].items()}


def start() -> tuple[subprocess.Popen[str], int]:
    """Start a server; return it and its port when it is warm."""
    command = [sys.executable, "-m", "caplens", "serve", "--port", "0"]
    server = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    assert server.stdout is not None
    found = re.search(r":(\d+)/", server.stdout.readline())
    assert found is not None
    port = int(found[1])
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    while True:
        connection.request("GET", "/health")
        if json.loads(connection.getresponse().read())["warm"]:
            return server, port
        time.sleep(0.2)


def ask(connection: http.client.HTTPConnection, pair: Pair) -> tuple[float, dict[str, float | None]]:
    """Explain a caption by the server; return the seconds it took, and the scores."""
    body = json.dumps({"candidate": pair[0], "references": pair[1], "metrics": METRICS})
    begun = time.perf_counter()
    connection.request("POST", "/api/explain", body, {"Content-Type": "application/json"})
    answer = connection.getresponse()
    content = answer.read()
    taken = time.perf_counter() - begun
    if answer.status != 200:
        raise RuntimeError(f"{answer.status}: {content[:200]!r}")
    scores = {key: value for each in json.loads(content)["explanations"] for key, value in each["scores"].items()}
    return taken, scores


def alternate(port: int, pairs: list[Pair]) -> dict[str, float]:
    """One client and the same call in this process, in turns, so that a busy machine slows both."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    inside, served = [], []
    for pair in pairs[:ENOUGH]:
        begun = time.perf_counter()
        in_process(pair)
        inside.append(time.perf_counter() - begun)
        served.append(ask(connection, pair)[0])
    return {"in process": median(inside), "served": median(served), "ratio": median(served) / median(inside)}


def at_once(port: int, pairs: list[Pair]) -> dict[str, float]:
    """Many clients, each with a connection of its own."""

    def client(number: int) -> list[float]:
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        own = pairs[number::CLIENTS] * 5
        return [ask(connection, pair)[0] for pair in own]

    begun = time.perf_counter()
    with ThreadPoolExecutor(CLIENTS) as pool:
        taken = [each for found in pool.map(client, range(CLIENTS)) for each in found]
    seconds = time.perf_counter() - begun
    return {"median": median(taken), "p99": quantiles(taken, n=100)[98], "a second": len(taken) / seconds}


def load(
    port: int, pairs: list[Pair], expected: list[dict[str, float | None]], requests: int, server: psutil.Process
) -> dict[str, Any]:
    """Many requests, some of them hostile: count what is not as it must be, and look at the memory."""
    memory: list[float] = []
    failures: list[str] = []
    wrong = hostile = 0
    each_client = -(-requests // (PARTS * CLIENTS))

    def client(seed: int) -> tuple[int, int, list[str]]:
        draw = random.Random(seed)
        connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        wrong, hostile, failures = 0, 0, []
        for _ in range(each_client):
            if draw.random() < HOSTILE_SHARE:
                hostile += 1
                failures += attack(connection, *draw.choice(HOSTILE))
                continue
            place = draw.randrange(len(pairs))
            try:
                wrong += ask(connection, pairs[place])[1] != expected[place]
            except (RuntimeError, OSError, http.client.HTTPException) as error:
                failures.append(repr(error))
                connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
        return wrong, hostile, failures

    for part in range(PARTS):
        with ThreadPoolExecutor(CLIENTS) as pool:
            for found in pool.map(client, range(part * CLIENTS, (part + 1) * CLIENTS)):
                wrong, hostile, failures = wrong + found[0], hostile + found[1], failures + found[2]
        memory.append(private_memory(server))
    return {
        "requests": each_client * CLIENTS * PARTS,
        "hostile": hostile,
        "wrong": wrong,
        "failures": failures[:20],
        "memory": memory,
        "drift": drift(memory, each_client * CLIENTS),
    }


def private_memory(server: psutil.Process) -> float:
    """Return the megabytes that belong to a process alone: pages of mapped files come and go as the machine likes."""
    found = server.memory_info()
    return float(found.rss - getattr(found, "shared", 0)) / 1e6


def drift(memory: list[float], apart: int) -> dict[str, float]:
    """Tell whether memory is flat: the line through the second half of what was read every so many requests.

    Caches fill and the allocator finds its size in the first half; whatever leaks goes on in the second.
    """
    later = memory[len(memory) // 2 :]
    slope = linear_regression(range(len(later)), later).slope
    return {"MB per thousand": 1e3 * slope / apart, "growth": slope * (len(later) - 1) / mean(later)}


def attack(
    connection: http.client.HTTPConnection, path: str, headers: dict[str, str], body: bytes, status: int
) -> list[str]:
    """Send something hostile; return what was wrong with the answer."""
    connection.request("POST", path, body, {"Content-Type": "application/json", **headers})
    answer = connection.getresponse()
    content = answer.read()
    if answer.status == status and (status == 200 or set(json.loads(content)) == {"error"}):
        return []
    return [f"{body[:60]!r}: {answer.status} {content[:100]!r}"]


if __name__ == "__main__":
    main(*sys.argv[1:4], *map(int, sys.argv[4:]))
