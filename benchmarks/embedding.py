"""WMD and WEmbSim: pairs and captions a second, beside gensim and a loop over POT, and memory; WEmbSim-C."""

from __future__ import annotations

from statistics import median
from typing import Any

import report
from bench import SAME, Bench, Runs
from contenders import job
from report import MEGABYTE, Bar

IMAGES, OTHERS_IMAGES, ENCODED_IMAGES = 13_092, 2_000, 1_000
CAPLENS_RUNS, OTHERS_RUNS = 5, 2
CAPLENS = {"caplens, WMD": "wmd", "caplens, WEmbSim": "wembsim"}
ENCODER = {"caplens, WEmbSim-C": "wembsim_c"}
ENCODER_AIM = 1_500  # ten times what it did at e257782
OTHERS = {"gensim, wmdistance": "gensim", "POT, a loop over emd2": "pot"}


def steps(images: int) -> int:
    """Return the number of commands that are run."""
    return len(CAPLENS) * CAPLENS_RUNS + len(OTHERS | ENCODER) * OTHERS_RUNS


def run(bench: Bench) -> dict[str, Any]:
    """Run, print, return everything as plain data."""
    files = (bench.inputs.candidates, bench.inputs.references, bench.output)
    commands = {
        **{name: job("word_vectors.py", tool, *files, OTHERS_IMAGES) for name, tool in OTHERS.items()},
        **{name: job("word_vectors.py", tool, *files, IMAGES) for name, tool in CAPLENS.items()},
        **{name: job("word_vectors.py", tool, *files, ENCODED_IMAGES) for name, tool in ENCODER.items()},
    }
    often = {**dict.fromkeys(OTHERS | ENCODER, OTHERS_RUNS), **dict.fromkeys(CAPLENS, CAPLENS_RUNS)}
    runs = bench.in_turns("word vectors", commands, often)
    difference = _largest_difference(runs)
    pairs = {name: _speed(runs, name, "pairs") for name in (*OTHERS, "caplens, WMD")}
    given_words = _speed(runs, "caplens, WMD", "pairs", "given_words")
    bars = [
        *(
            Bar(f"WMD, pairs a second {begin} against {name}", speed / pairs[name], aim, "times as many")
            for begin, speed in (("from captions", pairs["caplens, WMD"]), ("from words", given_words))
            for name, aim in zip(OTHERS, (200, 100), strict=True)
        ),
        Bar("WEmbSim", _speed(runs, "caplens, WEmbSim", "captions"), 150_000, "captions a second"),
        *(Bar(name, _speed(runs, name, "captions"), ENCODER_AIM, "captions a second") for name in ENCODER),
        *(
            Bar(f"{name}: memory", report.peak(runs.measured[name]) / MEGABYTE, 600, "MB", most=True)
            for name in CAPLENS
        ),
    ]
    report.bars(bench.console, "WMD, WEmbSim", bars)
    bench.console.print(
        f"{IMAGES:,} images (gensim and POT: the first {OTHERS_IMAGES:,}; WEmbSim-C: {ENCODED_IMAGES:,}), five"
        " references each, vectors of the table `raw`; gensim and POT begin with words and their vectors. Largest"
        f" relative difference of a distance from gensim's or POT's: {difference:.1e}."
    )
    return {"agrees": difference <= SAME, "difference": difference, "pairs": pairs, "runs": runs.as_data()}


def _speed(runs: Runs, name: str, what: str, seconds: str = "seconds") -> float:
    """Return the median of pairs or captions a second; the start of the program does not count."""
    return median(output[what] / output[seconds] for output in runs.outputs[name])


def _largest_difference(runs: Runs) -> float:
    ours = runs.outputs["caplens, WMD"][0]["distances"]
    return max(
        abs(mine - theirs) / max(theirs, 1e-9)
        for name in OTHERS
        for mine, theirs in zip(ours, runs.outputs[name][0]["distances"], strict=True)
        if theirs != float("inf")
    )
