"""The composite metrics that ship: what each reads, and what the files of their weights say."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.core.metric import Metric
from caplens.metrics.composite.trained import describe_weights
from caplens.train.composite.recipes import LETTERS, recipe_of

DATA_USE = {
    "fitted_on": "ratings of Flickr8k-Expert; human captions and spoiled ones, COCO val2014 without Karpathy splits, "
    "FOIL and THumB",
    "chosen_on": "Flickr8k-Expert (features, preference, word vectors)",
    "reported_on": "Flickr8k-Expert in folds that share no image and no caption; ABSTRACT-50S, THumB, FOIL",
}


@dataclass(frozen=True)
class Variant:
    """One of them.

    Attributes
    ----------
    title, origin, idea : str
        The key of its score, whose it is, and what it is, for people.
    inputs : tuple of Metric
        The metrics that features are read off.
    features : tuple of str
        ``KEY`` or ``KEY.part``.
    """

    title: str
    origin: str
    idea: str
    inputs: tuple[Metric, ...]
    features: tuple[str, ...]

    def describe(self, facts: dict[str, dict[str, str]]) -> dict[str, str]:
        """Return what the file of weights says about itself; ``facts`` are those of the inputs."""
        said = describe_weights(self.title, facts, self.features, missing="zero", origin=self.origin, idea=self.idea)
        return {**said, **DATA_USE}


def sibling(name: str) -> Variant:
    """Return a composite of Sharif et al. (2018), which reads parts of METEOR and SPICE, fitted to ratings."""
    recipe = recipe_of(name, parts=True)
    *others, last = (str(metric.main_key) for metric in recipe.inputs)
    idea = f"fitted to experts' ratings: {', '.join(others)} and {last}"
    return Variant(recipe.title, "after Sharif et al. 2018", idea, recipe.inputs, tuple(recipe.features))


VARIANTS = tuple(map(sibling, LETTERS))
