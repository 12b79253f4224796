"""Tables of explanations fit a screen of 80 columns: headings break between words, numbers never."""

from __future__ import annotations

import re

import pytest

import caplens
from caplens.output.terminal import as_text, explanation_view

REFERENCES = ["a kitty cat walks along the edge of a ledge", "a small cat looking over a ledge onto the ground"]


@pytest.mark.parametrize("metric", ["meteor", "spice", "cider", "rouge", "bleu", "wmd"])
def test_no_heading_is_broken(metric):
    explanation = caplens.explain("a cat walking on the top of an open door", REFERENCES, metric)
    drawn = as_text(explanation_view(explanation), width=80)
    words = set(re.findall(r"[\w-]+", drawn))
    for section in explanation.sections:
        for column in getattr(section, "columns", ()):
            assert set(re.findall(r"[\w-]+", column)) <= words, column
    assert max(map(len, drawn.splitlines())) <= 80
