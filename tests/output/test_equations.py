"""Equations in one line of text."""

from __future__ import annotations

from inspect import cleandoc

import pytest

from caplens.core.registry import metric_class, names
from caplens.output.equations import readable


@pytest.mark.parametrize(
    ("latex", "text"),
    [
        (r"\frac{1}{2}", "1 / 2"),
        (r"\frac{\frac{a + b}{2}}{c}", "((a + b) / 2) / c"),
        (r"\lVert w \rVert_2^{n+1}", "‖ w ‖_2^(n+1)"),
        (r"\mathrm{CIDEr\text{-}D}", "CIDEr-D"),
        (r"F \left(1 - \gamma\right)^\beta", "F (1 - γ)^β"),
    ],
)
def test_signs(latex, text):
    assert readable(latex) == text


@pytest.mark.parametrize("name", names())
def test_no_equation_of_a_metric_has_commands_left(name):
    text = cleandoc(metric_class(name).__doc__ or "")
    if ".. math::" in text:
        equation = readable(text.partition(".. math::")[2].partition("\n\n")[0])
        assert not set("\\{}") & set(equation)
