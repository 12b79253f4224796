"""All commands together."""

from __future__ import annotations

from caplens._version import __version__
from caplens.cli.framework import answer, group

app = group(
    "caplens",
    "Image-caption evaluation: the COCO metrics without Java, exact and fast, with an explanation for every score.",
    {
        "score": "caplens.cli.score:command",
        "merge": "caplens.cli.merge:command",
        "compare": "caplens.cli.compare:command",
        "explain": "caplens.cli.explain:command",
        "serve": "caplens.cli.serve:command",
        "meta": "caplens.cli.meta:command",
        "metrics": "caplens.cli.metrics:command",
        "cite": "caplens.cli.cite:command",
        "doctor": "caplens.cli.doctor:command",
        "example": "caplens.cli.example:command",
        "completion": "caplens.cli.completion:command",
        "df": "caplens.cli.df:group",
        "constants": "caplens.cli.constants:group",
        "packs": "caplens.cli.packs:group",
        "vectors": "caplens.cli.vectors:group",
        "cache": "caplens.cli.cache:group",
        "train": "caplens.cli.train:group",
        "critique": "caplens.cli.critique:group",
    },
    examples=(
        "caplens score captions.json -r annotations.json",
        "caplens compare ours.json theirs.json -r annotations.json",
        'caplens explain "a man rides a horse" --reference "a man on a horse" -m spice',
    ),
)
app.params.insert(0, answer(("--version",), "Show the version and exit.", lambda context: f"caplens {__version__}"))
