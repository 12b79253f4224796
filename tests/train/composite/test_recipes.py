"""Composite metrics that are about to be trained."""

from __future__ import annotations

import json

import pytest

import caplens
from caplens.metrics.composite.metric import Composite
from caplens.train.composite.recipes import LETTERS, recipe_of


@pytest.mark.parametrize("name", LETTERS)
def test_a_recipe_names_what_the_weights_that_ship_name(name):
    shipped = Composite(weights=f"Eval_{LETTERS[name]}").trained
    recipe = recipe_of(name, parts=shipped.missing == "zero")
    assert recipe.inputs == shipped.inputs
    assert recipe.features == [feature.name for feature in shipped.features]
    said = recipe.describe({"rouge": {"table": "5f"}})
    assert (said["title"], said["missing"]) == (shipped.title, shipped.missing)
    assert said["idea"].startswith("probability that a person wrote the caption, by ")
    assert json.loads(said["inputs"]) == {"rouge": {"table": "5f"}}


def test_parts_of_scores_are_read_instead_of_scores():
    assert recipe_of("eval_cs").features == ["CIDEr", "SPICE"]
    assert recipe_of("eval_ms", parts=True).features[:4] == [
        "METEOR.precision", "METEOR.recall", "METEOR.order", "SPICE.precision",
    ]  # fmt: skip


def test_options_reach_the_inputs_that_have_them():
    inputs = recipe_of("eval_wcs", vectors="raw", df="mine.parquet").inputs
    assert [getattr(one, "vectors", getattr(one, "df", None)) for one in inputs] == ["raw", "mine.parquet", None]


def test_another_name_is_refused():
    with pytest.raises(caplens.UsageError, match="'lens_s' is not a composite metric that can be trained: choose from"):
        recipe_of("lens_s")
