"""Metric strings, spoilt: the grammar and the options of every metric."""

from __future__ import annotations

from caplens.core.grammar import parse
from caplens.core.registry import names
from caplens.core.selection import select

PARTS = [
    "(",
    ")",
    ",",
    "=",
    "|",
    '"',
    "'",
    "\\",
    " ",
    "\n",
    "\0",
    "n=4",
    "df=x.parquet",
    "n=-1",
    "n=999999999999",
    "label=",
]
PARTS += [
    "sigma=nan",
    "sigma=1e999",
    "variant=d",
    "é",
    "\u202e",
    "\ud800",
    "tokenizer=ptb",
    "vectors=raw",
    "mean(",
    "sum(",
    "x",
]
PARTS += [
    "combine=max",
    "stages=exact",
    "alpha=0.9",
    "weights=1",
    "beam=0",
    "model=/nowhere",
    "file=/nowhere",
    "coco",
    ":",
    "/",
]


def run(source, folder):
    """Read a string; build the metrics that it names."""
    parts = [source.choice([*PARTS, *names()]) for _ in range(source.randint(1, 14))]
    text = "".join(parts)
    if source.random() < 0.3:
        inner = ", ".join(f"{source.choice(names())}({source.choice(PARTS)})" for _ in range(source.randint(1, 3)))
        text = f"{source.choice(['mean', 'sum', ''])}({inner})"
    if source.random() < 0.02:
        text = "mean(" * source.choice([10, 100, 1000]) + "bleu" + ")" * source.choice([0, 10, 1000])
    parse(text)
    select(text)
    return "taken"
