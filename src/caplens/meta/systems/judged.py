"""Captioning systems that people judged."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from caplens.arrays import Floats
from caplens.meta.outcome import LeftOut
from caplens.output.document import number
from caplens.readers.records import Record

HUMAN = "Human"
"""The entry whose captions people wrote."""


@dataclass(frozen=True, eq=False)
class JudgedSystems:
    """Systems by name and date, with people's judgments of each by measure."""

    names: list[str]
    dates: list[str]
    human: dict[str, Floats]
    left_out: tuple[LeftOut, ...] = ()

    def items(self) -> list[Record]:
        """Return the systems as rows of a file, for scores of the user's own."""
        return [
            {"id": name, **{measure: number(float(values[place])) for measure, values in self.human.items()}}
            for place, name in enumerate(self.names)
        ]

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
        why = f"the preset excludes {' and '.join(gone)}"
        return self.keep([name for name in self.names if name not in gone], [LeftOut("preset", why, gone)])


def rank_of(name: str, names: Sequence[str], scores: Floats) -> int | None:
    """Return the rank that a score gives a system, from 1; None where it is not among them.

    Examples
    --------
    >>> import numpy as np
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
    >>> import numpy as np
    >>> shared_best(["a", "b", "c", "Human"], np.array([3.0, 2, 1, 9]), np.array([1.0, 3, 2, 9]), number=2)
    1
    """
    machines = [place for place, name in enumerate(names) if name != HUMAN]
    if len(machines) < number:
        return None
    best = [set(sorted(machines, key=lambda place: -values[place])[:number]) for values in (scores, human)]
    return len(best[0] & best[1])
