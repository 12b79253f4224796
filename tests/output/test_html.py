"""HTML for notebooks: everything is escaped, every kind of section is shown."""

from __future__ import annotations

import pytest

import caplens


@pytest.mark.parametrize(
    ("metric", "shown"),
    [
        ("bleu", "<span class='match'>horse</span>"),
        ("rouge", "<td class='words'>1</td>"),
        ("spice", "<svg xmlns="),
        ("spice", "<td class='words'>in no reference</td>"),
    ],
)
def test_explanations(metric, shown):
    explanation = caplens.explain("a man on a red horse", ["a man rides a horse"], metric)
    assert shown in explanation._repr_html_()


def test_an_explanation_is_short_as_a_repr_and_long_in_print():
    explanation = caplens.explain("a man on a horse " * 20, ["a man rides a horse"], "rouge")
    assert repr(explanation).startswith("Explanation(ROUGE_L=0.")
    assert len(repr(explanation)) < 150
    assert "nan" not in repr(caplens.explain("a dog", ["a dog", "a cat"], "spice"))  # categories without tuples
    assert len(str(explanation)) > 300


def test_captions_are_text():
    explanation = caplens.explain("<script>alert(1)</script>", ["a <b>"], "bleu")
    assert "<script>" not in explanation._repr_html_()
    assert "a &lt;b&gt;" in explanation._repr_html_()
