"""Who is best, who is as good, and the tables of a paper."""

from __future__ import annotations

import csv
import io

import pytest
from tests.output.comparisons import comparison

from caplens.output.leaderboard import Entry, is_significant, leaderboard
from caplens.output.presentation import Presentation, Style
from caplens.output.tables import render


def board_of(count, wanted=None, **more):
    data = comparison(count, **more)
    systems = {name: entry["metrics"] for name, entry in data["systems"].items()}
    return leaderboard(systems, wanted or Presentation(), data["tests"])


def test_the_best_and_those_that_are_as_good():
    entries = board_of(3).entries
    assert [entries[name, "CIDEr"].mark for name in ("updown", "m2_transformer", "aoa")] == ["*", "~", ""]


def test_systems_are_sorted_by_mean_rank_whatever_the_order_they_were_given_in():
    data = comparison(5)
    backwards = {name: entry["metrics"] for name, entry in reversed(data["systems"].items())}
    assert leaderboard(backwards, Presentation()).systems == tuple(data["systems"])


def test_equal_scores_are_both_best_and_missing_ones_are_last():
    systems = {
        "none": {"A": {"score": None, "interval": [None, None]}},
        "one": {"A": {"score": 0.5, "interval": [0.4, 0.6]}},
        "two": {"A": {"score": 0.5, "interval": [0.4, 0.6]}},
    }
    board = leaderboard(systems, Presentation())
    assert [(name, board.entries[name, "A"].best) for name in board.systems] == [
        ("one", True),
        ("two", True),
        ("none", False),
    ]
    assert board.table(Presentation()).rows[-1][1].text == "-"


def test_nobody_is_best_where_no_score_exists_or_only_one_system():
    nothing = {"A": {"score": None}}
    assert not any(entry.best for entry in leaderboard({"a": nothing, "b": nothing}, Presentation()).entries.values())
    assert not any(entry.best for entry in board_of(1).entries.values())


def test_with_a_baseline_only_tested_systems_are_as_good():
    entries = board_of(5, baseline="aoa").entries
    assert not any(entry.close for (name, _), entry in entries.items() if name != "aoa")


def test_the_words_of_the_field():
    board = board_of(2, Presentation("coco"))
    text = render([board.table(Presentation("coco", intervals=False))], "markdown")
    assert text.splitlines()[0] == "| system | B@4 | M | R | C | S |"
    assert text.splitlines()[2] == r"| updown | **74.7** | **69.5** | **64.4** | **59.3** | **54.2** |"
    assert r"71.6\~" in text.splitlines()[3]


def test_percentages_are_not_multiplied_again():
    metrics = {
        "CIDEr": {"score": 0.5, "interval": [0.4, 0.6]},
        "Lens": {"score": 50.0, "interval": [40.0, 60.0], "percent": True},
    }
    wanted = Presentation("coco")
    (row,) = leaderboard({"": metrics}, wanted).table(wanted).rows
    assert [(cell.text, cell.more) for cell in row] == [("50.0", "[40.0, 60.0]")] * 2
    (row,) = leaderboard({"": metrics}, wanted).table(wanted, "csv").rows
    assert row == (50, 40, 60) * 2


def test_all_scores_bring_the_left_out_ones_back():
    assert board_of(2, Presentation("coco", all_scores=True)).keys == board_of(2, Presentation(all_scores=True)).keys
    assert "SPICE_Color" in board_of(2, Presentation(all_scores=True)).keys


def test_details_alone_are_shown():
    """Who asks for nothing but a detail wants to see it."""
    metrics = {"SPICE_Color": {"score": 0.5, "interval": [0.4, 0.6], "detail_of": "SPICE"}}
    assert leaderboard({"a": metrics}, Presentation()).keys == ("SPICE_Color",)


def test_latex_is_ready_for_a_paper():
    text = render([board_of(2).table(Presentation())], "latex")
    for part in (
        r"\toprule",
        r"\midrule",
        r"\bottomrule",
        r"\textbf{0.5932} {\scriptsize [0.5809, 0.6077]}",
        r"0.5625$^{\sim}$ {\scriptsize [0.5502, 0.5770]}",
        r"m2\_transformer & ",
        r"system & Bleu\_1 & ",
    ):
        assert part in text, part
    assert r"\caption" not in text
    assert r"$\pm$0.0042" in render([board_of(2, runs=True).table(Presentation())], "latex")


@pytest.mark.parametrize("intervals", [True, False])
def test_csv_has_all_digits_and_columns_for_bounds(intervals):
    wanted = Presentation(intervals=intervals)
    rows = list(csv.DictReader(io.StringIO(render([board_of(2).table(wanted, "csv")], "csv"))))
    assert float(rows[0]["CIDEr"]) == 0.9 - 0.05113 * 6
    assert ("CIDEr_low" in rows[0]) == intervals
    assert [row["system"] for row in rows] == ["updown", "m2_transformer"]


def test_csv_has_a_column_for_the_spread_of_runs():
    wanted = Presentation(intervals=False)
    data = comparison(2, runs=True)
    systems = {name: entry["metrics"] for name, entry in data["systems"].items()}
    table = leaderboard(systems, wanted).table(wanted, "csv")
    assert [column.name for column in table.columns][:3] == ["system", "Bleu_1", "Bleu_1_spread"]
    assert table.rows[0][2] == 0.0042


def test_a_system_without_a_name_has_no_column_for_it():
    metrics = comparison(1)["systems"]["updown"]["metrics"]
    table = leaderboard({"": metrics}, Presentation("coco")).table(Presentation("coco", intervals=False))
    assert render([table], "markdown").splitlines() == [
        "| B@4 | M | R | C | S |",
        "| ---: | ---: | ---: | ---: | ---: |",
        "| 74.7 | 69.5 | 64.4 | 59.3 | 54.2 |",
    ]


def test_a_test_without_p_values_is_not_significant():
    assert not is_significant({"p_bootstrap_holm": None, "p_randomisation_holm": None}, 0.05)
    assert is_significant({"p_bootstrap_holm": 0.01, "p_randomisation_holm": None}, 0.05)
    assert Entry(Style(), None, (None, None)).mark == ""
