"""Metrics that exist only in tests: registered nowhere, passed as objects."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from typing import ClassVar

import numpy as np

from caplens.core.metric import Metric, State, Statistics, option
from caplens.core.requirement import Requirement
from caplens.output.explanation import Explanation

calls: Counter[str] = Counter()


@dataclass(frozen=True)
class Lengths(Requirement):
    """Characters of each caption."""

    def compute(self, side):
        calls[f"lengths of {'candidates' if side.base else 'references'}"] += 1
        return np.diff(side.captions.offsets)


class Toy(Metric):
    title: ClassVar[str] = "toy"
    origin: ClassVar[str] = "tests"
    idea: ClassVar[str] = "none"

    def requires(self):
        return (Lengths(),)

    def fit(self, references, documents, inputs=()):
        calls[f"fit {self.name}"] += 1
        return State()

    def aggregate(self, sums, rows):
        with np.errstate(invalid="ignore"):
            return sums[..., :1] / np.asarray(rows)[..., np.newaxis]

    def explain(self, prepared, state, row):
        return Explanation(self.name, "", (), {}, {}, ())


@dataclass(frozen=True)
class Characters(Toy):
    """The number of characters; an empty caption has none to count: NaN."""

    name: ClassVar[str] = "characters"
    times: int = option(1, "factor")

    @property
    def keys(self):
        return ("Characters",)

    def statistics(self, prepared, state, inputs=()):
        calls[f"statistics {self.name}({self.times})"] += 1
        lengths = prepared.candidates.get(Lengths()).astype(float) * self.times
        return Statistics(("characters",), np.where(lengths > 0, lengths, np.nan)[:, np.newaxis])


@dataclass(frozen=True)
class Sum(Toy):
    """The sum of other metrics' first columns."""

    name: ClassVar[str] = "sum"
    parts: tuple[Metric, ...] = option((), "what is added")

    @property
    def keys(self):
        return ("Sum",)

    @property
    def inputs(self):
        return self.parts

    def statistics(self, prepared, state, inputs=()):
        calls["statistics sum"] += 1
        assert len(inputs) == len(self.parts)
        return Statistics(("sum",), sum(part.table[:, :1] for part in inputs))
