"""What words cost, as text and as drawings."""

from __future__ import annotations

import io
import xml.etree.ElementTree as ET

import pytest
from rich.console import Console

from caplens.output.drawing import explanation_svg
from caplens.output.explanation import Explanation, WordCosts
from caplens.output.html import explanation_html
from caplens.output.word_costs import WordCostsView, cost_text, word_costs_svg

COSTS = WordCosts("what words cost", (("a", 0.0), ("man", 0.01), ("bites", 12.34), ("a", 0.0), ("dog", 2.5)))


def explained(*sections):
    return Explanation("lens", "a man bites a dog", ("a dog bites a man",), {"Lens": 61.5}, {}, sections)


def drawn(section, width=80):
    console = Console(file=io.StringIO(), width=width, color_system=None)
    console.print(WordCostsView(section))
    return console.file.getvalue()


def test_costs_stand_below_their_words():
    title, words, costs, *_ = drawn(COSTS).splitlines()
    assert title.strip() == "what words cost"
    for word, cost in (("bites", "-12.3"), ("dog", "-2.5")):
        assert words.index(word) == costs.index(cost)
    assert "0.0" not in costs


@pytest.mark.parametrize("width", [30, 60, 200])
def test_long_captions_are_broken_between_words(width):
    section = WordCosts("t", tuple((f"word{place}", place / 2) for place in range(60)))
    lines = drawn(section, width).splitlines()
    assert max(map(len, lines)) <= width
    assert " ".join(" ".join(lines[1::2]).split()) == " ".join(f"word{place}" for place in range(60))


def test_one_word_wider_than_the_screen():
    assert max(map(len, drawn(WordCosts("t", (("x" * 500, 1.0),)), 40).splitlines())) <= 40


def test_no_words():
    assert "none" in drawn(WordCosts("missing", ()))
    assert "none" in word_costs_svg(explained(WordCosts("missing", ())))


def test_a_word_may_add_to_the_score():
    assert cost_text(-3.0) == "+3.0"


def test_a_drawing_holds_score_words_and_costs():
    root = ET.fromstring(word_costs_svg(explained(COSTS, WordCosts("missing", (("bites", 4.0),)))))
    texts = ["".join(element.itertext()) for element in root.iter("{http://www.w3.org/2000/svg}text")]
    assert texts[0] == "Lens 61.5"
    assert {"bites", "-12.3", "-4.0", "missing"} <= set(texts)
    boxes = [element.get("fill") for element in root.iter("{http://www.w3.org/2000/svg}rect")]
    assert boxes[1] == "#FFFFFF"  # what costs nothing is not coloured
    assert boxes[3] != "#FFFFFF"


def test_hostile_words_stay_text():
    section = WordCosts("<b>", (("<script>alert(1)</script>", 9.0), ("\x1b[31m", 1.0)))
    root = ET.fromstring(word_costs_svg(explained(section)))
    assert not list(root.iter("{http://www.w3.org/2000/svg}script"))
    assert "\x1b" not in drawn(section)
    assert "<script>" not in explanation_html(explained(section))


def test_written_as_svg():
    assert explanation_svg([explained(COSTS)]).startswith(b"<svg")
