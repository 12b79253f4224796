"""The playground's server: what it adds to a call in Python, many clients at once, thirty thousand requests."""

from __future__ import annotations

from typing import Any

import report
from bench import Bench
from contenders import job
from report import Bar

REQUESTS, FEWER = 30_000, 3_000
"""The load of all images, and that of ``--quick``."""


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return 1


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    files = (bench.captions.all.candidates, bench.captions.all.references, bench.output)
    requests = REQUESTS if bench.inputs is bench.captions.all else FEWER
    runs = bench.in_turns("serve", {"serve": job("serving.py", *files, requests)}, {"serve": 1})
    (found,) = runs.outputs["serve"]
    warm, clients, load = found["warm"], found["clients"], found["load"]
    bars = [
        Bar("SPICE + METEOR explained, beside the call in Python", warm["ratio"], 5, "times as long", most=True),
        Bar("wrong scores", load["wrong"], 1, f"of {load['requests']:,} requests", most=True),
        Bar("failures", len(load["failures"]), 1, f"of which {load['hostile']:,} hostile", most=True),
        Bar("private memory, growth in the second half", 100 * load["drift"]["growth"], 1, "%", most=True),
    ]
    report.bars(bench.console, "Playground", bars)
    bench.console.print(
        f"One client: median {1e3 * warm['served']:.1f} ms (in Python {1e3 * warm['in process']:.1f} ms). 16 clients: "
        f"median {1e3 * clients['median']:.1f} ms, 99th percentile {1e3 * clients['p99']:.1f} ms, "
        f"{clients['a second']:.0f} requests a second. "
        f"Private memory: {', '.join(f'{each:.0f}' for each in load['memory'])} MB; in the second half "
        f"{load['drift']['MB per thousand']:+.2f} MB per thousand requests."
    )
    agrees = load["wrong"] == 0 and not load["failures"] and found["exit"] == 0
    return {"agrees": agrees, "found": found, "runs": runs.as_data()}
