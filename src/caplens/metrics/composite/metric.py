"""Composite metrics: a trained function turns the scores of other metrics into one."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.core.grammar import Request
from caplens.core.metric import Floats, Metric, State, Statistics, option
from caplens.core.prepared import PreparedReferences, Usage
from caplens.core.state import differing_fact
from caplens.errors import CaplensError, MissingDataError, UsageError
from caplens.files.paths import is_file
from caplens.metrics.combination.base import Combination, InputScore
from caplens.metrics.combination.state import CombinedState, lasting_facts
from caplens.metrics.composite import trained
from caplens.metrics.composite.trained import COMPOSITE, SHIPPED, TrainedComposite, find_weights

REINSTALL = "pip install --force-reinstall caplens"
TRAIN = "caplens train composite"


@dataclass(frozen=True, eq=False)
class CompositeState(CombinedState):
    """What the inputs learned, a hash of the weights, and how the inputs cut captions into words."""

    weights: str = ""
    tokenizers: tuple[str, ...] = ()

    @property
    def facts(self) -> dict[str, str]:
        """The facts of all inputs, and those of the weights."""
        return {"tokenizer": "+".join(self.tokenizers), **super().facts, "weights": self.weights}


@dataclass(frozen=True)
class Composite(Combination):
    r"""A trained function of the scores of other metrics, all of which its weights file specifies.

    .. math:: \mathrm{Composite}(c) = \frac{1}{k} \sum_k P_k(x_1(c), \dots, x_n(c))

    where the features :math:`x_i` are scores (``METEOR``) or parts of scores (``METEOR.precision``) and :math:`P_k` are
    small networks, trained from several seeds. The weights file determines everything: the metrics, their options
    (including the tokenizer) and the key of the result. It also records the hashes of word vectors, parser and
    document frequencies; if those in use differ, the weights are rejected. The maximum, 1, is approached but never
    reached.

    Some weights ship with caplens and have short names: ``eval_ms`` is ``composite(weights=Eval_MS)``. They are
    logistic functions fitted to expert ratings of captions (Flickr8k-Expert) in which no feature can lower the score;
    an undefined feature counts as 0. They use WMD (W), CIDEr (C) and parts of METEOR (M) and SPICE (S).
    ``caplens train composite`` trains networks that distinguish human from machine captions, as in the paper; none
    ships, because they were no better than their controls (docs/composite.md).

    References
    ----------
    N. Sharif, L. White, M. Bennamoun, S. A. A. Shah: Learning-based composite metrics for improved caption evaluation,
    ACL Student Research Workshop 2018. The shipped weights differ from the paper's: see docs/composite.md.

    Examples
    --------
    >>> import caplens
    >>> [metric.title for metric in caplens.metric("eval_ms").inputs]
    ['METEOR', 'SPICE']
    >>> [score.name for score in caplens.metric("eval_wcs").input_scores][:4]
    ['WMD', 'CIDEr', 'SPICE.precision', 'SPICE.recall']
    """

    name: ClassVar[str] = COMPOSITE
    title: ClassVar[str] = "composite metric"
    english_because: ClassVar[str] = "it was trained on scores of English captions"
    origin: ClassVar[str] = "Sharif et al. 2018"
    idea: ClassVar[str] = "trained function of the scores of other metrics"
    needs: ClassVar[str] = f"weights: {TRAIN}"

    weights: str = option(
        "", f"weights: the title of shipped weights, or a file or folder written by `{TRAIN}`", names=lambda: SHIPPED
    )

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.weights and is_file(self.path):
            try:
                _ = self.trained
            except CaplensError as error:
                if self.weights not in SHIPPED:
                    raise
                why = str(error).rstrip(".")
                message = f"The weights that ship with caplens cannot be used ({why}): {REINSTALL}."
                raise MissingDataError(message) from error

    @property
    def path(self) -> Path:
        """The file of the weights."""
        return find_weights(self.weights)

    @property
    def trained(self) -> TrainedComposite:
        """What the file of the weights says."""
        try:
            return trained.load(self.path)
        except OSError as error:
            raise MissingDataError(f"{self.request().name} cannot run here: {self.missing_data()}") from error

    def missing_data(self) -> str | None:
        """Return what the weights or the inputs lack."""
        if not self.weights:
            return f"it needs weights: composite(weights=FILE), which {TRAIN} writes."
        if not is_file(self.path):
            remedy = REINSTALL if self.weights in SHIPPED else f"train them with {TRAIN}"
            return f"there are no weights at {self.path}: {remedy}."
        return super().missing_data()

    def about(self) -> tuple[str, str, str]:
        """Return the origin and the idea that the weights tell, and what the inputs need."""
        if not self.weights or not is_file(self.path):
            return super().about()
        needs = [metric.needs for metric in self.inputs if metric.needs != Metric.needs]
        found = self.trained
        return found.origin or self.origin, found.idea or self.idea, "; ".join(dict.fromkeys(needs)) or Metric.needs

    @property
    def keys(self) -> tuple[str, ...]:
        """The title of the weights."""
        if not self.weights or not is_file(self.path):
            return (Path(self.weights).stem or "Composite",)
        return (self.trained.title,)

    @property
    def range(self) -> dict[str, tuple[float, float]]:
        """From 0 to 1: it is a probability."""
        return dict.fromkeys(self.keys, (0.0, 1.0))

    @property
    def inputs(self) -> tuple[Metric, ...]:
        """The metrics that features are read off."""
        return self.trained.inputs

    @property
    def input_scores(self) -> tuple[InputScore, ...]:
        """The features."""
        return self.trained.features

    @property
    def baseline(self) -> Floats:
        """The mean features of the captions that it was trained on."""
        return self.trained.network.mean

    @property
    def baseline_name(self) -> str:
        """What the baseline is."""
        return "the mean scores of its training captions"

    def request(self) -> Request:
        """Return the metric in the grammar: weights that ship have a name of their own."""
        request = super().request()
        if self.weights not in SHIPPED:
            return request
        return replace(
            request, name=self.weights.lower(), options=tuple(pair for pair in request.options if pair[0] != "weights")
        )

    def gather(self, inputs: Sequence[Statistics]) -> Floats:
        """Return the features, shape (rows, features)."""
        features = super().gather(inputs)
        return np.nan_to_num(features) if self.trained.missing == "zero" else features

    def combine(self, scores: Floats) -> Floats:
        """Return the probabilities."""
        return self.trained.network(scores)

    def fit(self, references: PreparedReferences, usage: Usage, inputs: Sequence[State] = ()) -> CombinedState:
        """Remember what the inputs learned, and refuse data (vectors, parser, frequencies) of another kind."""
        state = super().fit(references, usage, inputs)
        for metric, part, recorded in zip(self.inputs, state.parts, self.trained.facts, strict=True):
            found = lasting_facts(metric, part)
            fact = differing_fact(recorded, found)
            if fact is not None:
                here, then = found.get(fact, "unknown"), recorded.get(fact, "unknown")
                raise UsageError(
                    f"{self.keys[0]} was trained with a {metric.title} whose {fact} is {then}, but here it is {here}: "
                    f"train again with yours ({TRAIN}), or install the caplens that the weights belong to."
                )
        tokenizers = dict.fromkeys(getattr(metric, "tokenizer", "") for metric in self.inputs)
        return CompositeState(
            state.notices, state.parts, state.names, self.trained.network.fingerprint, tuple(filter(None, tokenizers))
        )
