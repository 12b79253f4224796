"""Captioning systems that people judged."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import numpy.typing as npt

from caplens.meta.captions.judged import LeftOut

Floats = npt.NDArray[np.float64]

HUMAN = "Human"
"""The entry whose captions people wrote."""


@dataclass(frozen=True)
class SystemPreset:
    """How a paper correlates scores of systems with people.

    Attributes
    ----------
    name, source : str
        What it is called, and whose convention it is.
    coefficient : str
        The coefficient that the paper reports.
    measures : tuple of str
        The human judgments that it reports.
    without : tuple of str
        Entries that are left out.
    leaderboard : str or None
        The leaderboard that scores are read from; None where captions are scored.
    printed : mapping
        What the paper prints: by the key of the score, then by measure.
    note : str
        What else should be known.
    """

    name: str
    source: str
    coefficient: str
    measures: tuple[str, ...]
    without: tuple[str, ...]
    leaderboard: str | None
    printed: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        data = {**self.__dict__, "measures": list(self.measures), "without": list(self.without)}
        data["printed"] = {key: dict(values) for key, values in self.printed.items()}
        return data


@dataclass(frozen=True, eq=False)
class JudgedSystems:
    """Systems by name and date, with people's judgments of each by measure."""

    names: list[str]
    dates: list[str]
    human: dict[str, Floats]
    left_out: tuple[LeftOut, ...] = ()

    def keep(self, names: Sequence[str], left_out: Sequence[LeftOut] = ()) -> JudgedSystems:
        """Return some of the systems, in their order."""
        kept = [place for place, name in enumerate(self.names) if name in names]
        return JudgedSystems(
            [self.names[place] for place in kept],
            [self.dates[place] for place in kept],
            {measure: values[kept] for measure, values in self.human.items()},
            (*self.left_out, *left_out),
        )

    def without(self, names: Sequence[str]) -> JudgedSystems:
        """Return the systems without some, which are listed as left out."""
        gone = tuple(name for name in self.names if name in names)
        if not gone:
            return self
        why = f"the preset does without {' and '.join(gone)}"
        return self.keep([name for name in self.names if name not in gone], [LeftOut("preset", why, gone)])


def rank_of(name: str, names: Sequence[str], scores: Floats) -> int | None:
    """Return the rank that a score gives a system, from 1; None where it is not among them.

    Examples
    --------
    >>> rank_of("Human", ["a", "Human", "b"], np.array([0.3, 0.2, 0.1]))
    2
    """
    if name not in names:
        return None
    return 1 + int((scores > scores[list(names).index(name)]).sum())


def shared_best(names: Sequence[str], scores: Floats, human: Floats, number: int = 5) -> int | None:
    """Return how many of the best machine systems by people are among the best by score; None below that number.

    Examples
    --------
    >>> shared_best(["a", "b", "c", "Human"], np.array([3.0, 2, 1, 9]), np.array([1.0, 3, 2, 9]), number=2)
    1
    """
    machines = [place for place, name in enumerate(names) if name != HUMAN]
    if len(machines) < number:
        return None
    best = [set(sorted(machines, key=lambda place: -values[place])[:number]) for values in (scores, human)]
    return len(best[0] & best[1])
