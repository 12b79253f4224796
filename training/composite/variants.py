"""Eval_All and its variants: what each reads, and what the files of their weights say."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.core.metric import Metric
from caplens.metrics.composite.trained import describe_weights
from caplens.metrics.embedding.contextual import WEmbSimC
from caplens.metrics.embedding.wembsim import SceneSim
from caplens.metrics.meteor.metric import Meteor
from caplens.metrics.spice.metric import Spice

TEXT_FEATURES = ("SceneSim.mean", "SceneSim.max", "SPICE_Object.precision", "METEOR.precision", "METEOR.order")
ENCODER_FEATURE = "WEmbSim-C"


@dataclass(frozen=True)
class Variant:
    """One of them.

    Attributes
    ----------
    title, idea : str
        The key of its score, and what it is, for people.
    inputs : tuple of Metric
        The metrics that features are read off.
    features : tuple of str
        ``KEY`` or ``KEY.part``.
    """

    title: str
    idea: str
    inputs: tuple[Metric, ...]
    features: tuple[str, ...]

    def describe(self, facts: dict[str, dict[str, str]]) -> dict[str, str]:
        """Return what the file of weights says about itself; ``facts`` are those of the inputs."""
        return describe_weights(self.title, facts, self.features, missing="zero", origin="caplens", idea=self.idea)


_TEXT = (SceneSim(), Spice(), Meteor())
EVAL_ALL = Variant("Eval_All", "fitted to experts' ratings: SceneSim, SPICE and METEOR", _TEXT, TEXT_FEATURES)
EVAL_ALL_H = Variant("Eval_All_H", "human or machine, by what Eval_All reads", _TEXT, TEXT_FEATURES)
EVAL_ALL_C = Variant(
    "Eval_All_C",
    "Eval_All with the vectors of a sentence encoder",
    (*_TEXT, WEmbSimC(remove_stop_words=False, signed=True)),
    (*TEXT_FEATURES, ENCODER_FEATURE),
)
VARIANTS = (EVAL_ALL, EVAL_ALL_H, EVAL_ALL_C)
