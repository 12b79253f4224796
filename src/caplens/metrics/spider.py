"""SPIDEr: the mean of SPICE and CIDEr."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from caplens.metrics.base import Floats, Metric, State, Statistics, option
from caplens.metrics.cider import Cider
from caplens.metrics.explanation import Explanation
from caplens.metrics.grammar import Request
from caplens.metrics.spice import Spice
from caplens.prepared import Prepared, PreparedReferences, Usage
from caplens.scenegraph.parsers import OWN


@dataclass(frozen=True, eq=False)
class SpiderState(State):
    """What SPICE and CIDEr learned, in this order."""

    parts: tuple[State, ...] = ()


@dataclass(frozen=True)
class Spider(Metric):
    r"""SPIDEr: half SPICE, which sees what is said, half CIDEr-D, which sees how it is said.

    .. math:: \mathrm{SPIDEr} = \frac{\mathrm{SPICE} + \mathrm{CIDEr\text{-}D}}{2}

    An item has none where it has no SPICE. The corpus score is the mean of the two corpus scores. The maximum, 5.5, is
    reached where both are at theirs.

    References
    ----------
    S. Liu, Z. Zhu, N. Ye, S. Guadarrama, K. Murphy: Improved image captioning via policy gradient optimization of
    SPIDEr, ICCV 2017.

    Examples
    --------
    >>> Spider().inputs[1] == Cider()
    True
    """

    name: ClassVar[str] = "spider"
    title: ClassVar[str] = "SPIDEr"
    origin: ClassVar[str] = "Liu et al. 2017"
    idea: ClassVar[str] = "the mean of SPICE and CIDEr"
    learns_from_corpus: ClassVar[bool] = True

    df: str = option("corpus", "document frequencies of CIDEr: from the scored rows, or a file (`caplens df build`)")
    df_documents: Literal["rows", "images"] = option("rows", "what counts as a document in the corpus")
    parser: str = option(OWN, "of SPICE: `caplens`, a registered parser, or module:attribute")
    tokenizer: str = option("ptb", "how captions are cut into words")

    @classmethod
    def obstacle(cls) -> str | None:
        """Return what SPICE lacks."""
        return Spice.obstacle()

    def missing_data(self) -> str | None:
        """Return what SPICE lacks with this parser."""
        return self.spice.missing_data()

    @property
    def spice(self) -> Spice:
        """The SPICE in it."""
        return Spice(parser=self.parser, tokenizer=self.tokenizer)

    @property
    def cider(self) -> Cider:
        """The CIDEr in it."""
        return Cider(df=self.df, df_documents=self.df_documents, tokenizer=self.tokenizer)

    @property
    def inputs(self) -> tuple[Metric, ...]:
        """SPICE and CIDEr."""
        return (self.spice, self.cider)

    @property
    def keys(self) -> tuple[str, ...]:
        """``SPIDEr``."""
        return ("SPIDEr",)

    def request(self) -> Request:
        """Return the metric in the grammar; what it combines follows from its options."""
        return replace(super().request(), inputs=())

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> SpiderState:
        """Remember what both learned."""
        states = tuple(inputs)

        def describe() -> dict[str, str]:
            return {name: value for state in states for name, value in state.facts.items()}

        return SpiderState(tuple(notice for state in states for notice in state.notices), describe, states)

    def statistics(self, prepared: Prepared, state: State, inputs: Sequence[Statistics] = ()) -> Statistics:
        """Return SPICE, whether it counts, and CIDEr."""
        spice, cider = inputs
        columns = [spice["all_f"], spice["all_counts"], self.cider.item_scores(cider)[:, 0]]
        return Statistics(("spice", "counts", "cider"), np.column_stack(columns))

    def aggregate(self, sums: Floats, rows: Floats) -> Floats:
        """Return half of the mean SPICE of the images that count and half of the mean CIDEr."""
        with np.errstate(invalid="ignore"):
            scores: Floats = (sums[..., 0] / sums[..., 1] + sums[..., 2] / rows) / 2
        return scores[..., np.newaxis]

    def explain(self, prepared: Prepared, state: State, row: int) -> Explanation:
        """Show the explanations of SPICE and of CIDEr, one after the other."""
        if not isinstance(state, SpiderState) or len(state.parts) != len(self.inputs):
            raise TypeError("SPIDEr needs the state that its own fit returned")
        spice, cider = (
            metric.explain(prepared, part, row) for metric, part in zip(self.inputs, state.parts, strict=True)
        )
        scores = {"SPICE": spice.scores["SPICE"], "CIDEr": cider.scores["CIDEr"]}
        return Explanation(
            metric=str(self.request()),
            candidate=spice.candidate,
            references=spice.references,
            scores={self.result_keys[0]: sum(scores.values()) / 2},
            facts={**scores},
            sections=tuple(
                replace(section, title=f"{name}: {section.title}")
                for name, part in (("SPICE", spice), ("CIDEr", cider))
                for section in part.sections
            ),
            notes=(*spice.notes, *cider.notes),
        )
