"""Composite metrics that are about to be trained: their titles, inputs and features."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.core.metric import Metric
from caplens.errors import UsageError
from caplens.metrics.cider.metric import Cider
from caplens.metrics.composite.trained import describe_weights
from caplens.metrics.meteor.metric import Meteor
from caplens.metrics.spice.metric import Spice
from caplens.metrics.wmd.metric import WordMoversDistance

LETTERS = {f"eval_{letters.lower()}": letters for letters in ("MS", "CS", "MCS", "WCS", "MWS", "MWCS")}
"""The composite metrics of Sharif et al. (2018) by name: M, W, C and S are METEOR, WMD, CIDEr and SPICE."""


@dataclass(frozen=True)
class CompositeRecipe:
    """What is trained: the key that its score shall have, and the metrics whose main scores it reads."""

    title: str
    inputs: tuple[Metric, ...]

    @property
    def features(self) -> list[str]:
        """The scores that it reads."""
        return [str(metric.main_key) for metric in self.inputs]

    def describe(self, facts: dict[str, dict[str, str]]) -> dict[str, str]:
        """Return what the file of weights says about itself; ``facts`` are those of the inputs."""
        *others, last = self.features
        idea = f"probability that a person wrote the caption, by {', '.join(others)} and {last}"
        return describe_weights(self.title, facts, self.features, origin="Sharif et al. 2018", idea=idea)


def recipe_of(name: str, *, vectors: str = "captions", df: str = "coco-val2014") -> CompositeRecipe:
    """Return a composite metric by name, with word vectors and document frequencies for its inputs.

    Examples
    --------
    >>> recipe_of("eval_wcs").features
    ['WMD', 'CIDEr', 'SPICE']
    """
    if name not in LETTERS:
        raise UsageError(f"{name!r} is no composite metric that can be trained: choose from {', '.join(LETTERS)}.")
    inputs: dict[str, Metric] = {
        "M": Meteor(),
        "W": WordMoversDistance(vectors=vectors),
        "C": Cider(df=df),
        "S": Spice(known=False),
    }
    return CompositeRecipe(f"Eval_{LETTERS[name]}", tuple(inputs[letter] for letter in LETTERS[name]))
