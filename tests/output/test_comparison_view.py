"""Comparisons on screens of every width: no number folds, everything has its row."""

from __future__ import annotations

import io
import os
from pathlib import Path

import pytest
from rich.console import Console
from tests.output.comparisons import KEYS, NAMES, comparison

from caplens.output.comparison_view import ComparisonView, shortened
from caplens.output.presentation import STYLES, Presentation

SNAPSHOTS = Path(__file__).with_name("snapshots")
MAIN = [key for key in KEYS if not key.startswith("SPICE_")]


def drawn(data, width, wanted=None):
    file = io.StringIO()
    Console(file=file, width=width, color_system=None).print(ComparisonView(data, wanted))
    return "\n".join(line.rstrip() for line in file.getvalue().splitlines()) + "\n"


@pytest.mark.parametrize("width", [60, 80, 100, 120, 200])
@pytest.mark.parametrize("count", [2, 5, 12])
@pytest.mark.parametrize("wanted", [Presentation(), Presentation("coco"), Presentation(all_scores=True)])
def test_every_number_is_whole_and_nothing_is_wider_than_the_screen(count, width, wanted):
    data = comparison(count)
    text = drawn(data, width, wanted)
    assert max(map(len, text.splitlines())) <= width
    words = text.replace("..", " ").replace("*", " ").replace("~", " ").split()
    style = STYLES[wanted.style_name]
    keys = KEYS if wanted.all_scores else [key for key in MAIN if key not in style.left_out]
    for entry in data["systems"].values():
        for key in keys:
            for value in (entry["metrics"][key]["score"], *entry["metrics"][key]["interval"]):
                assert style.number(value) in words, (key, value)
    assert "…" not in text.replace(shortened(NAMES)[NAMES[4]], "")


@pytest.mark.parametrize(("count", "width"), [(2, 80), (5, 80), (5, 200), (12, 100)])
def test_the_screen_is_the_one_that_was_looked_at(count, width):
    """``CAPLENS_SNAPSHOT=1`` writes the files anew: look at them before they are committed."""
    path = SNAPSHOTS / f"compare_{count}_systems_{width}_columns.txt"
    text = drawn(comparison(count), width)
    if os.environ.get("CAPLENS_SNAPSHOT"):
        path.write_text(text, encoding="utf-8")
    assert text == path.read_text(encoding="utf-8")


def test_five_systems_take_few_lines():
    for width in (80, 100, 120, 200):
        assert drawn(comparison(5), width).count("\n") <= 80
    assert drawn(comparison(5), 80, Presentation(all_scores=True)).count("\n") <= 120


def test_the_best_is_bold_and_marked():
    console = Console(file=io.StringIO(), width=100, force_terminal=True, color_system="standard")
    console.print(ComparisonView(comparison(5)))
    text = console.file.getvalue()
    assert "\x1b[1m0.9000*\x1b[0m" in text
    assert "\x1b[1m0.8693" not in text
    assert "0.8693~" in text


def test_the_details_of_scores_are_shown_on_request():
    assert "SPICE_Color" not in drawn(comparison(2), 80)
    assert "2 more scores with --all-scores" in drawn(comparison(2), 80)
    everything = drawn(comparison(2), 80, Presentation(all_scores=True))
    assert "SPICE_Color" in everything
    assert "more score" not in everything


def test_intervals_can_be_left_out():
    text = drawn(comparison(5), 80, Presentation(intervals=False))
    assert "95 % intervals" not in text
    assert text.count("\n") < drawn(comparison(5), 80).count("\n")


def test_signs_say_who_is_better():
    lines = drawn(comparison(5), 80).splitlines()
    place = lines.index(next(line for line in lines if line.startswith("Bleu_1  ")))
    assert [line[:11].rstrip() for line in lines[place + 1 : place + 7]] == [
        "  A B C D E",
        "A   . + + +",
        "B .   . + +",
        "C - .   . +",
        "D - - .   .",
        "E - - - .",
    ]


def test_where_less_is_better_the_signs_turn():
    data = comparison(5)
    for entry in data["systems"].values():
        entry["metrics"]["CIDEr"]["higher_is_better"] = False
    lines = drawn(data, 200).splitlines()
    (row,) = [line for line in lines if line.lstrip().startswith("CIDEr ")][:1]
    assert row.split()[-2].startswith(f"{0.9 - 0.0307 * 4 - 0.05113 * 6:.4f}*")


def test_against_a_baseline_there_is_one_column_per_score():
    text = drawn(comparison(12, baseline="updown"), 100)
    assert "significantly better than A updown" in text
    (row,) = [line for line in text.splitlines() if line.startswith("L rand") and "-" in line]
    assert row.split()[2:] == ["-"] * 8


def test_two_systems_have_a_table_of_tests():
    lines = drawn(comparison(2), 80).splitlines()
    assert "updown minus m2_transformer" in lines
    assert "+0.0307" in next(line for line in lines[10:] if line.split()[:1] == ["CIDEr"]).split()


def test_runs_show_their_spread():
    text = drawn(comparison(2, runs=True), 100)
    assert "0.9000 ±0.0042*" in text
    assert "± standard deviation over training runs" in text


def test_tests_of_runs_have_one_p_value():
    text = drawn(comparison(2, runs=True), 120)
    assert "p runs" in text
    assert "p rand." not in text
    assert "p boot." not in text
    assert "250 common items; t test over images and training runs, two-sided, 1,000 resamples.\n" in text
    assert "Significant: all corrected p-values" in text


def test_runs_and_single_runs_have_their_own_columns():
    data = comparison(3)
    data["testing"]["runs"] = {"updown": 3, "m2_transformer": 1, "aoa": 1}
    data["testing"]["pairs"] = 1  # tables instead of signs
    text = drawn(data, 120)
    assert text.count("p runs") == 2
    assert text.count("p rand.") == 1
    assert "between single runs paired bootstrap and approximate randomisation" in " ".join(text.split())


@pytest.mark.parametrize("width", [60, 80, 100, 200])
@pytest.mark.parametrize("count", [2, 5, 12])
def test_runs_fit_the_screen_too(count, width):
    text = drawn(comparison(count, runs=True), width)
    assert max(map(len, text.splitlines())) <= width
    assert text.count("±0.0042") == 8 * count


def test_many_systems_are_numbered():
    data = comparison(2)
    many = {f"s{place}": data["systems"]["updown"] for place in range(30)}
    text = drawn({**data, "systems": many, "tests": [], "testing": {**data["testing"], "pairs": 435}}, 120)
    assert " 30 s29" in text


def test_long_names_stay_different():
    same = [f"{'a' * 30}_{place}_{'b' * 30}" for place in range(2)]
    assert list(shortened(same).values()) == same
    assert shortened(NAMES)[NAMES[4]] == "blip2-opt-2.…etuned-coco"


def test_names_cannot_command_the_terminal():
    data = comparison(2)
    data["systems"] = {"a\x1b[2J": data["systems"]["updown"], "b": data["systems"]["m2_transformer"]}
    assert "\x1b" not in drawn({**data, "tests": []}, 80)


@pytest.mark.parametrize(
    ("share", "said"),
    [
        (0.7, "People would prefer updown over m2_transformer for 70 % of the items (CIDEr)."),
        (0.3, "People would prefer m2_transformer over updown for 70 % of the items (CIDEr)."),
        (0.5, "People would prefer updown and m2_transformer equally often (CIDEr)."),
        (0.4951, "People would prefer m2_transformer and updown equally often (CIDEr)."),
    ],
)
def test_whose_captions_people_would_prefer(share, said):
    data = comparison(2)
    for test in data["tests"]:
        test["preferred"] = share if test["score"] == "CIDEr" else None
    assert said in drawn(data, 100)
