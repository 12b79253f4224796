"""SPIDEr: the mean of SPICE and CIDEr."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import ClassVar, Literal

import numpy as np

from caplens.core.metric import Floats, Metric, State, Statistics, any_text, option
from caplens.core.prepared import Prepared
from caplens.metrics.cider.metric import CORPUS, Cider, frequency_names
from caplens.metrics.combination.base import Combination
from caplens.metrics.spice.metric import Spice
from caplens.scenegraph.parser.registry import OWN, load_parser, parser_names


@dataclass(frozen=True)
class Spider(Combination):
    r"""SPIDEr: the mean of SPICE, which captures what is said, and CIDEr-D, which captures how it is said.

    .. math:: \mathrm{SPIDEr} = \frac{\mathrm{SPICE} + \mathrm{CIDEr\text{-}D}}{2}

    It is undefined for items without a SPICE score. The corpus score is the mean of the two corpus scores. If SPICE
    is 1 and CIDEr is at its maximum, it is 5.5.

    References
    ----------
    S. Liu, Z. Zhu, N. Ye, S. Guadarrama, K. Murphy: Improved image captioning via policy gradient optimization of
    SPIDEr, ICCV 2017.

    Examples
    --------
    >>> import caplens
    >>> [metric.name for metric in caplens.metric("spider").inputs]
    ['spice', 'cider']
    """

    name: ClassVar[str] = "spider"
    title: ClassVar[str] = "SPIDEr"
    origin: ClassVar[str] = "Liu et al. 2017"
    idea: ClassVar[str] = "mean of SPICE and CIDEr"

    df: str = option(
        CORPUS, "document frequencies for CIDEr: from the scored rows, `coco-val2014` or a file", names=frequency_names
    )
    df_documents: Literal["rows", "images"] = option("rows", "what counts as a document")
    parser: str = option(
        OWN,
        "parser for SPICE: `caplens`, a registered parser or module:attribute",
        load=load_parser,
        names=parser_names,
    )
    known: bool = option(True, "for SPICE, use the reference tool's scene graph for captions in a pack")
    tokenizer: str = option("ptb", "tokenizer for the captions", names=any_text)

    @property
    def spice(self) -> Spice:
        """The SPICE in it."""
        return Spice(parser=self.parser, known=self.known, tokenizer=self.tokenizer)

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

    def alone(self) -> tuple[Metric, str]:
        """Return a SPIDEr with the CIDEr that explains a single caption."""
        cider, note = self.cider.alone()
        return replace(self, df=cider.df), note

    def combine(self, scores: Floats) -> Floats:
        """Return the mean of the two."""
        means: Floats = scores.mean(axis=1)
        return means

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
