"""Coverage, a metric of one's own: the share of the words of its references that a caption has.

After ``pip install examples/own_metric`` it works wherever caplens' own metrics do: ``caplens score ... -m coverage``.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

import caplens


@dataclass(frozen=True)
class DistinctWords(caplens.Requirement[list[set[str]]]):
    """The words of each caption: computed once, whatever number of metrics and systems need it."""

    longest: int

    def compute(self, side):
        return [set(caption.lower().split()[: self.longest]) for caption in side.captions]


@dataclass(frozen=True)
class Coverage(caplens.Metric):
    """Words that a caption shares with its references, divided by the words of the references."""

    name: ClassVar[str] = "coverage"
    idea: ClassVar[str] = "words of the references that the caption has"

    # An option, written coverage(longest=10); it shows in signatures.
    longest: int = caplens.option(50, "words of each caption that count")

    @property
    def keys(self) -> tuple[str, ...]:
        return ("Coverage",)

    def requires(self):
        return (DistinctWords(self.longest),)

    def statistics(self, prepared, state: caplens.State, inputs: Sequence[caplens.Statistics] = ()):
        """Count for each row; corpus scores, intervals and tests follow from sums of these rows."""
        candidates = prepared.candidates.get(DistinctWords(self.longest))
        references = prepared.references.get(DistinctWords(self.longest))
        starts, rows = prepared.references.offsets, []
        for words, number in zip(candidates, prepared.reference_set, strict=True):
            wanted = set().union(*references[starts[number] : starts[number + 1]])
            rows.append((len(words & wanted), len(wanted)))
        return caplens.Statistics(("shared", "wanted"), np.array(rows, dtype=float))

    def aggregate(self, sums, rows):
        return (sums[..., 0] / np.maximum(sums[..., 1], 1))[..., np.newaxis]
