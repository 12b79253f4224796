"""How scores are shown: which of them, under which names, with how many digits."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any


@dataclass(frozen=True)
class Style:
    """How scores are named and written.

    Attributes
    ----------
    digits : int
        Behind the decimal point.
    factor : float
        What scores are multiplied by, other than those that are percentages already.
    names : mapping of str to str
        Other names of scores, by key.
    left_out : frozenset of str
        Scores that are not shown, unless all are asked for.
    """

    digits: int = 4
    factor: float = 1.0
    names: Mapping[str, str] = field(default_factory=dict)
    left_out: frozenset[str] = frozenset()

    def name(self, key: str) -> str:
        """Return what a score is called."""
        return self.names.get(key, key)

    def of(self, entry: Mapping[str, Any]) -> Style:
        """Return the style of one score, given as plain data.

        Examples
        --------
        >>> coco = STYLES["coco"]
        >>> coco.of({"score": 0.5}).number(0.5), coco.of({"score": 50.0, "percent": True}).number(50.0)
        ('50.0', '50.0')
        """
        return replace(self, factor=1.0) if entry.get("percent") else self

    def scaled(self, value: float | None) -> float | None:
        """Return a number in the units of the style."""
        return None if value is None else value * self.factor

    def number(self, value: float | None, form: str = "") -> str:
        """Write a number, or a dash for one that does not exist."""
        if value is None or math.isnan(value):
            return "-"
        return format(value * self.factor, f"{form}.{self.digits}f")


STYLES = {
    "plain": Style(),
    # As tables of captioning papers have them.
    "coco": Style(
        digits=1,
        factor=100.0,
        names={
            **{f"Bleu_{order}": f"B@{order}" for order in range(1, 5)},
            "METEOR": "M",
            "ROUGE_L": "R",
            "CIDEr": "C",
            "SPICE": "S",
        },
        left_out=frozenset({"Bleu_1", "Bleu_2", "Bleu_3"}),
    ),
}


@dataclass(frozen=True)
class Presentation:
    """What a user wants to see: the style by name, the details of scores too, the intervals too."""

    style_name: str = "plain"
    all_scores: bool = False
    intervals: bool = True

    @property
    def style(self) -> Style:
        """The style."""
        return STYLES[self.style_name]

    def keys(self, metrics: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
        """Return the scores to show; all of them where nothing else would be left."""
        chosen = tuple(
            key for key, entry in metrics.items() if "detail_of" not in entry and key not in self.style.left_out
        )
        return tuple(metrics) if self.all_scores or not chosen else chosen


SEVERAL = {
    "each": "Several candidates per image: each is an item, and intervals resample images.",
    "mean": "Several candidates per image: statistics are averaged over the candidates of each image.",
    "best": "Several candidates per image: for each metric, only the best candidate of each image counts.",
}
"""What tables say where images have several candidates."""


def several_note(metrics: Mapping[str, Mapping[str, Any]]) -> tuple[str, ...]:
    """Return what a table of these scores must say about several candidates; nothing if there are none."""
    found = dict.fromkeys(entry["several"] for entry in metrics.values() if "several" in entry)
    return tuple(SEVERAL[several] for several in found)
