"""Statistics: what a metric measures of each row; all of its scores follow from their sums."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from caplens.arrays import Floats
from caplens.stats.sums import column_sums


class Share(NamedTuple):
    """How many of some captions there are, such as of those whose scene graphs are known.

    Examples
    --------
    >>> Share(1, 4).value, Share(0, 0).value
    (0.25, 0.0)
    """

    part: int
    whole: int

    @property
    def value(self) -> float:
        """Between 0 and 1; 0 of nothing."""
        return self.part / self.whole if self.whole else 0.0


@dataclass(frozen=True, eq=False)
class Statistics:
    """A table of numbers with one row per item, from which all scores of a metric are computed.

    Examples
    --------
    >>> first = Statistics(("matches", "words"), np.array([[3.0, 5.0]]))
    >>> Statistics.concatenate([first, first]).table.sum(axis=0).tolist()
    [6.0, 10.0]
    """

    columns: tuple[str, ...]
    table: Floats

    def __len__(self) -> int:
        return len(self.table)

    def __getitem__(self, column: str) -> Floats:
        return self.table[:, self.columns.index(column)]

    def sums(self) -> Floats:
        """Return the sum of each column, independent of the order of the rows."""
        return column_sums(self.table)

    @classmethod
    def concatenate(cls, parts: Sequence[Statistics]) -> Statistics:
        """Concatenate shards, in order."""
        if len({part.columns for part in parts}) != 1:
            raise ValueError("only statistics of the same metric can be combined")
        return cls(parts[0].columns, np.concatenate([part.table for part in parts]))
