"""Subsets on the screen look like the table above them."""

from __future__ import annotations

from caplens.output.presentation import Presentation
from caplens.output.subsets import subsets_view
from caplens.output.terminal import as_text

METRICS = {
    "Bleu_1": {"score": 0.5},
    "CIDEr": {"score": 0.25},
    "Lens": {"score": 75.0, "percent": True},
    "Lens_Form": {"score": 50.0, "percent": True, "detail_of": "Lens"},
}


def words(subset, wanted):
    return [line.split() for line in as_text(subsets_view("domain", {"in": subset}, wanted)).splitlines()[3:-1]]


def test_names_units_and_digits_are_those_of_the_style():
    assert words({"n": 3, "metrics": METRICS}, Presentation("coco")) == [["C", "25.0"], ["Lens", "75.0"]]
    systems = {name: {"metrics": METRICS} for name in "ab"}
    found = words({"n": 3, "systems": systems}, Presentation("coco"))
    assert found == [[key, name, score] for key, score in (("C", "25.0"), ("Lens", "75.0")) for name in "ab"]


def test_details_on_request():
    assert [row[0] for row in words({"n": 3, "metrics": METRICS}, Presentation(all_scores=True))] == list(METRICS)
    assert [row[0] for row in words({"n": 3, "metrics": METRICS}, Presentation())] == ["Bleu_1", "CIDEr", "Lens"]


def test_a_score_that_does_not_exist_is_a_dash():
    assert words({"n": 3, "metrics": {"CIDEr": {"score": None}}}, None) == [["CIDEr", "-"]]
