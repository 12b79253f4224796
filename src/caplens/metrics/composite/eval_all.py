"""Eval_All: the best composite of what caplens computes for a caption, with weights that people can read."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.core.metric import Floats, Metric, Statistics, option
from caplens.metrics.combination.base import InputScore
from caplens.metrics.combination.normalizing import FOLDER
from caplens.metrics.composite.metric import SHIPPED, SUFFIX, LearnedCombination
from caplens.metrics.embedding.contextual import WEmbSimC
from caplens.metrics.embedding.wembsim import SceneSim
from caplens.metrics.meteor.metric import Meteor
from caplens.metrics.spice.metric import Spice
from caplens.scenegraph.parser.registry import OWN


@dataclass(frozen=True)
class Feature:
    """A number that is read off the statistics of an input; a higher one never lowers the score.

    Attributes
    ----------
    source : str
        The name of the metric that gives it.
    name : str
        What it is, for people.
    read : callable
        Makes it from the metric and its statistics, one number a row; where it does not exist, it is 0.
    """

    source: str
    name: str
    read: Callable[[Metric, Statistics], Floats]


def column(name: str) -> Callable[[Metric, Statistics], Floats]:
    """Return a function that reads a column of the statistics."""
    return lambda metric, statistics: statistics[name]


def meteor_precision(metric: Metric, statistics: Statistics) -> Floats:
    """Return the weighted share of the candidate's words that the best reference matches."""
    return _meteor(metric).parts(statistics.table)["precision"]


def meteor_order(metric: Metric, statistics: Statistics) -> Floats:
    """Return how little the matched words are torn apart: 1 less the fragmentation, 0 where nothing matches."""
    parts = _meteor(metric).parts(statistics.table)
    return np.where(parts["precision"] > 0, 1 - parts["fragmentation"], 0.0)


def _meteor(metric: Metric) -> Meteor:
    if not isinstance(metric, Meteor):
        raise TypeError(f"these are statistics of {metric.name}, not of METEOR")
    return metric


TEXT_FEATURES = (
    Feature("scenesim", "SceneSim, mean over references", column("mean")),
    Feature("scenesim", "SceneSim, best reference", column("max")),
    Feature("spice", "SPICE, precision of objects", column("object_precision")),
    Feature("meteor", "METEOR, precision", meteor_precision),
    Feature("meteor", "METEOR, order of matched words", meteor_order),
)


@dataclass(frozen=True)
class EvalAll(LearnedCombination):
    r"""Eval_All: what experts would say of a caption, by SceneSim, SPICE and METEOR.

    .. math:: \mathrm{Eval\_All}(c) = \sigma\Big(b + \sum_i w_i \frac{x_i(c) - \mu_i}{s_i}\Big),\qquad w_i \ge 0

    The features are the mean and the best SceneSim over references, SPICE's precision of objects, METEOR's precision
    and the order of its matched words. The weights are fitted to the ratings of Flickr8k-Expert (0 stands for a rating
    of 1, 1 for a rating of 4) and, with a tenth of the weight, to the demand that a person's caption be better than
    itself with words permuted or replaced, and than one of another image. A network with a hidden layer was not better.
    A feature that does not exist counts as 0. The maximum, 1, is a limit that no score reaches.

    Examples
    --------
    >>> [metric.title for metric in EvalAll().inputs]
    ['SceneSim', 'SPICE', 'METEOR']
    """

    name: ClassVar[str] = "eval_all"
    title: ClassVar[str] = "Eval_All"
    origin: ClassVar[str] = "caplens"
    idea: ClassVar[str] = "fitted to experts' ratings: SceneSim, SPICE and METEOR"
    needs: ClassVar[str] = Meteor.needs
    recipe: ClassVar[str] = "training/composite/eval_all.py"
    features: ClassVar[tuple[Feature, ...]] = TEXT_FEATURES

    weights: str = option(SHIPPED, "`shipped`, or a file or folder that `training/composite/eval_all.py` wrote")
    parser: str = option(OWN, "of SPICE: must be the one of the training")
    vectors: str = option("scene", "word vectors of SceneSim: must be those of the training")
    tokenizer: str = option("ptb", "how captions are cut into words: must be the one of the training")

    @classmethod
    def shipped_path(cls) -> Path:
        """Return the weights that ship with caplens."""
        return FOLDER / f"{cls.title}{SUFFIX}"

    @property
    def keys(self) -> tuple[str, ...]:
        """``Eval_All``."""
        return (self.title,)

    @property
    def inputs(self) -> tuple[Metric, ...]:
        """The metrics that features are read off."""
        return (
            SceneSim(vectors=self.vectors, tokenizer=self.tokenizer),
            Spice(parser=self.parser, tokenizer=self.tokenizer),
            Meteor(tokenizer=self.tokenizer),
        )

    @property
    def input_scores(self) -> tuple[InputScore, ...]:
        """The features, each with the input that it is read off."""
        names = [metric.name for metric in self.inputs]
        return tuple(InputScore(names.index(feature.source), 0, feature.name) for feature in self.features)

    def gather(self, inputs: Sequence[Statistics]) -> Floats:
        """Return the features, shape (rows, features)."""
        metrics = self.inputs
        columns = [
            feature.read(metrics[score.metric], inputs[score.metric])
            for feature, score in zip(self.features, self.input_scores, strict=True)
        ]
        return np.column_stack(columns)


@dataclass(frozen=True)
class EvalAllH(EvalAll):
    """Eval_All_H: as `EvalAll`, fitted to the question whether a person or a captioning system wrote the caption.

    No human judgment is fitted to, though ratings chose what `EvalAll` reads. What only systems' style betrays (they
    write shorter captions of frequent n-grams) cannot be learned, because no feature may lower the score.

    Examples
    --------
    >>> EvalAllH().inputs == EvalAll().inputs
    True
    """

    name: ClassVar[str] = "eval_all_h"
    title: ClassVar[str] = "Eval_All_H"
    idea: ClassVar[str] = "human or machine, by what Eval_All reads"


@dataclass(frozen=True)
class EvalAllC(EvalAll):
    """Eval_All_C: as `EvalAll`, with the vectors of a sentence encoder (WEmbSim-C) besides.

    Examples
    --------
    >>> EvalAllC.features[-1].name
    'WEmbSim-C'
    """

    name: ClassVar[str] = "eval_all_c"
    title: ClassVar[str] = "Eval_All_C"
    idea: ClassVar[str] = "Eval_All with the vectors of a sentence encoder"
    needs: ClassVar[str] = f"{Meteor.needs}; {WEmbSimC.needs}"
    features: ClassVar[tuple[Feature, ...]] = (
        *TEXT_FEATURES,
        Feature("wembsim_c", "WEmbSim-C", column("similarity")),
    )

    @property
    def inputs(self) -> tuple[Metric, ...]:
        """The metrics that features are read off."""
        return (*super().inputs, WEmbSimC(remove_stop_words=False, signed=True, tokenizer=self.tokenizer))


VARIANTS: tuple[type[EvalAll], ...] = (EvalAll, EvalAllH, EvalAllC)
