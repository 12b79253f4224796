"""What people type is shown as they typed it."""

from __future__ import annotations

import io
from dataclasses import replace

from rich.console import Console

import caplens
from caplens.output.explanation import (
    ExplainedTuple,
    Explanation,
    Scene,
    SceneAttribute,
    SceneGraphs,
    SceneObject,
    SceneRelation,
    Tuples,
)
from caplens.output.terminal import explanation_view


def test_square_brackets_are_no_markup():
    result = caplens.score(["a dog"] * 2, [["a dog"]] * 2, 'rouge(label="[/x]")')
    assert "[/x]" in str(result)
    comparison = caplens.compare({"up[rl]": ["a dog"] * 2, "[/b]": ["a cat"] * 2}, [["a dog"]] * 2, "rouge")
    assert "up[rl] minus [/b]" in str(comparison)
    explanation = caplens.explain("[/a] [dog] runs", ["[/a] [dog] cat"], "bleu", tokenizer="none")
    assert "[/a] [dog]" in str(explanation)


def scene_graphs(missed):
    """A candidate with a matched object and a wrong attribute, and references with many other objects."""
    rows = [
        ExplainedTuple("matched", ("dog",), ("dog/hound",), {"Object": True}),
        ExplainedTuple("wrong", ("dog", "[/b]"), None, {"Attribute": False, "Color": True}),
    ]
    rows += [ExplainedTuple("missed", (f"thing {number}",), None, {"Object": False}) for number in range(missed)]
    things = [SceneObject(f"thing {number}", False) for number in range(missed)]
    candidate = Scene((SceneObject("dog", True, (SceneAttribute("[/b]", False),)),))
    references = Scene((SceneObject("dog/hound", True), *things), (SceneRelation(0, 1, "on", False),))
    sections = (Tuples("tuples", tuple(rows)), SceneGraphs("scene graphs", candidate, references))
    return explanation_view(Explanation("spice", "a dog", ("a hound",), {"SPICE": 0.5}, {}, sections))


def drawn(view, width=100, encoding="utf-8"):
    file = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    Console(file=file, width=width, color_system=None).print(view)
    file.flush()
    return file.buffer.getvalue().decode(encoding)


def test_tuples_have_signs_partners_and_categories():
    lines = [" ".join(line.split()) for line in drawn(scene_graphs(1)).splitlines()]
    assert "✓ matched dog dog/hound Object" in lines
    assert "✗ in no reference dog - [/b] Attribute, Color (matched there)" in lines
    assert "○ missed thing 0 Object" in lines
    assert "✓ dog ✗ [/b]" in lines
    assert "✓ dog/hound ○ on → thing 0" in lines


def test_only_the_first_missed_tuples_are_listed():
    text = drawn(scene_graphs(30))
    assert text.count("○ missed") == 8
    assert "and 22 more missed tuples" in text
    assert text.count("○ thing") == 30
    assert "more missed" not in drawn(scene_graphs(8))


def test_scene_graphs_fit_any_width_and_encoding():
    for width in (20, 40, 80):
        assert max(map(len, drawn(scene_graphs(3), width).splitlines())) <= width
    text = drawn(scene_graphs(1), encoding="ascii")
    for sign in ("+ matched", "x in no reference", "o missed", "o on -> thing 0"):
        assert sign in text


def test_empty_scene_graphs():
    sections = (Tuples("tuples", ()), SceneGraphs("scene graphs", Scene(), Scene()))
    text = drawn(explanation_view(Explanation("spice", "", ("",), {"SPICE": float("nan")}, {}, sections)))
    assert "references: no tuples" in text
    assert "tuples\n  none" in text


def test_an_explanation_begins_with_its_sentence():
    explanation = caplens.explain("a dog", ["a [/b] cat"], "bleu")
    first, second, third, *_ = str(explanation).splitlines()
    assert first == "BLEU-4 is 0: no two words in a row occur in a reference."
    assert (second.strip(), third.strip()) == ("", "candidate   a dog")
    assert str(replace(explanation, summary="")).startswith("candidate   a dog")
