"""Write again what the weights that ship say about themselves (title, features, idea), without training.

    python training/composite/describe.py

Weights, their inputs and the hashes of the inputs' data stay as they are.
"""

from __future__ import annotations

import json
from dataclasses import replace

from sources import say
from variants import VARIANTS, Variant

from caplens.learned.composite import feedforward
from caplens.metrics.combination.normalizing import FOLDER
from caplens.metrics.composite.trained import SUFFIX
from caplens.train.composite.recipes import LETTERS, CompositeRecipe, recipe_of


def main() -> None:
    """Go through all files."""
    recipes: list[CompositeRecipe | Variant] = [*(recipe_of(name) for name in LETTERS), *VARIANTS]
    for recipe in recipes:
        path = FOLDER / f"{recipe.title}{SUFFIX}"
        network = feedforward.load(path)
        said = dict(network.facts or {})
        known = {name: said[name] for name in ("training",) if name in said}
        replace(network, facts={**recipe.describe(json.loads(said["inputs"])), **known}).save(path)
        if feedforward.load(path).fingerprint != network.fingerprint:
            raise ValueError(f"{path} has changed")
        describe_figures(recipe)
        say(f"{recipe.title}: {network.fingerprint}, reads {', '.join(recipe.features)}")


def describe_figures(recipe: CompositeRecipe | Variant) -> None:
    """Name the title and the features in the file of figures, too."""
    path = FOLDER / f"{recipe.title}.json"
    data = json.loads(path.read_text(encoding="utf-8"))
    weights = data.pop("features", None)
    features = (
        recipe.features if not isinstance(weights, dict) else dict(zip(recipe.features, weights.values(), strict=True))
    )
    title = {"title": data.pop("metric", recipe.title)}
    named = {**title, **{name: value for name, value in data.items() if name != "title"}}
    ordered = list(named.items())
    place = 1 + next(place for place, (name, _) in enumerate(ordered) if name == "inputs")
    ordered.insert(place, ("features", features))
    path.write_text(json.dumps(dict(ordered), indent=1) + "\n", encoding="utf-8")


if __name__ == "__main__":
    main()
