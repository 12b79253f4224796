"""Composite metrics that are about to be trained: their titles, inputs and features."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.core.metric import Metric
from caplens.errors import UsageError
from caplens.metrics.cider.metric import Cider
from caplens.metrics.composite.trained import MISSING, describe_weights
from caplens.metrics.meteor.metric import Meteor
from caplens.metrics.spice.metric import Spice
from caplens.metrics.wmd.metric import WordMoversDistance

LETTERS = {f"eval_{letters.lower()}": letters for letters in ("MS", "CS", "MCS", "WCS", "MWS", "MWCS")}
"""The composite metrics of Sharif et al. (2018) by name: M, W, C and S are METEOR, WMD, CIDEr and SPICE."""


PARTS = {
    "METEOR": ("METEOR.precision", "METEOR.recall", "METEOR.order"),
    "SPICE": (
        *("SPICE.precision", "SPICE.recall", "SPICE_Object.precision", "SPICE_Object.recall"),
        *("SPICE_Attribute", "SPICE_Relation"),
    ),
}
"""What can be read off a metric besides its score: more features, as Sharif et al. (2018) suggest in the end."""


@dataclass(frozen=True)
class CompositeRecipe:
    """What is trained.

    Attributes
    ----------
    title : str
        The key that its score shall have.
    inputs : tuple of Metric
        The metrics that it reads.
    parts : bool
        Whether it reads parts of METEOR and SPICE instead of their scores.
    """

    title: str
    inputs: tuple[Metric, ...]
    parts: bool = False

    @property
    def features(self) -> list[str]:
        """The numbers that it reads."""
        keys = [str(metric.main_key) for metric in self.inputs]
        return [feature for key in keys for feature in (PARTS.get(key, (key,)) if self.parts else (key,))]

    def describe(self, facts: dict[str, dict[str, str]]) -> dict[str, str]:
        """Return what the file of weights says about itself; ``facts`` are those of the inputs."""
        *others, last = (str(metric.main_key) for metric in self.inputs)
        idea = f"probability that a person wrote the caption, by {', '.join(others)} and {last}"
        missing = MISSING["zero" if self.parts else "none"]
        return describe_weights(
            self.title, facts, self.features, missing=missing, origin="Sharif et al. 2018", idea=idea
        )


def recipe_of(
    name: str, *, vectors: str = "captions", df: str = "coco-train2014", parts: bool = False
) -> CompositeRecipe:
    """Return a composite metric by name, with word vectors and document frequencies for its inputs.

    Examples
    --------
    >>> recipe_of("eval_wcs").features
    ['WMD', 'CIDEr', 'SPICE']
    """
    if name not in LETTERS:
        raise UsageError(f"{name!r} is not a composite metric that can be trained: choose from {', '.join(LETTERS)}.")
    inputs: dict[str, Metric] = {
        "M": Meteor(),
        "W": WordMoversDistance(vectors=vectors),
        "C": Cider(df=df),
        "S": Spice(known=False),
    }
    return CompositeRecipe(f"Eval_{LETTERS[name]}", tuple(inputs[letter] for letter in LETTERS[name]), parts)
