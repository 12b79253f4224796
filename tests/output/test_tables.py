"""Tables of numbers in four formats."""

from __future__ import annotations

import csv
import io
import math

import pytest

from caplens.errors import UsageError
from caplens.output.tables import FORMATS, Column, NumberTable, render

TABLE = NumberTable(
    "a & b",
    (Column("metric"), Column("value", ".2f"), Column("p", "p"), Column("n")),
    (("Bleu_1", 0.123456, 1e-10, 16_992), ("a|b", None, math.nan, 3)),
    ("100 % of it.",),
)


def test_text_is_aligned():
    lines = render([TABLE], "text").splitlines()
    assert lines[2:6] == [
        "metric  value      p       n",
        "----------------------------",
        "Bleu_1   0.12  1e-10  16,992",
        "a|b         -      -       3",
    ]
    assert lines[-1] == "100 % of it."


def test_markdown_escapes_bars():
    assert "| a\\|b | - | - | 3 |" in render([TABLE], "markdown")


def test_latex_escapes_its_marks():
    text = render([TABLE], "latex")
    assert r"\caption{a \& b}" in text
    assert r"Bleu\_1 & 0.12 & 1e-10 & 16,992 \\" in text
    assert r"100 \% of it." in text
    odd = NumberTable("p", (Column("metric"), Column("> a|b", "p")), (("x", 0.0), ("y", 1e-310)))
    text = render([odd], "latex")
    assert r"\textgreater{} a\textbar{}b" in text
    assert text.count(r"\textless{}1e-300") == 2


def test_csv_keeps_all_digits():
    rows = list(csv.reader(io.StringIO(render([TABLE], "csv"))))
    assert rows == [["metric", "value", "p", "n"], ["Bleu_1", "0.123456", "1e-10", "16992"], ["a|b", "", "", "3"]]


@pytest.mark.parametrize("form", FORMATS)
def test_several_tables_are_divided_by_a_line(form):
    assert render([TABLE, TABLE], form) == f"{render([TABLE], form)}\n\n{render([TABLE], form)}"


def test_other_formats_do_not_exist():
    with pytest.raises(UsageError, match="no table format 'word': choose from text, markdown, latex, csv"):
        render([TABLE], "word")
