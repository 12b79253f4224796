"""Text from elsewhere cannot command a terminal, a Markdown page or a spreadsheet."""

from __future__ import annotations

import csv
import io

import pytest

import caplens
from caplens.output.formats import csv_rows
from caplens.output.safety import markdown_cell, spreadsheet_cell, visible
from caplens.output.tables import Column, NumberTable, render
from caplens.output.writing import Rows


@pytest.mark.parametrize(
    "code", [*range(0x20), *range(0x7F, 0xA0), 0x2028, 0x2029, *range(0x202A, 0x202F), 0x2066, 0x2069]
)
def test_what_a_terminal_obeys_is_written_as_an_escape(code):
    shown = visible(f"a{chr(code)}b")
    assert shown.isprintable()
    assert shown.encode().decode("unicode_escape") == f"a{chr(code)}b"


@pytest.mark.parametrize("text", ["a dog", "café", "一个", "आदमी", "שלום", "👨‍👩‍👧", "a\u00a0b", "C:\\x1b"])
def test_ordinary_text_stays_as_it_is(text):
    assert visible(text) == text


def test_halves_of_characters_can_be_printed():
    assert visible("\ud800").encode() == b"\\ud800"


def test_results_in_python_are_printed_harmlessly():
    result = caplens.score(["a"], [["a"]], 'rouge(label="x\x1b[2J")')
    assert "\x1b" not in str(result)


def test_markdown_tables_hold_text_only():
    rows = (("<img src=x onerror=alert(1)>", 1.0), ("two\nlines | three", 2.0), ("&lt;", 3.0))
    table = NumberTable("a\n<b>", (Column("<i>"), Column("n", ".0f")), rows, ("<script>",))
    lines = render([table], "markdown").split("\n")
    assert "<" not in "".join(lines)
    assert lines[4:] == [
        "| &lt;img src=x onerror=alert(1)&gt; | 1 |",
        "| two\\nlines \\| three | 2 |",
        "| &amp;lt; | 3 |",
        "",
        "&lt;script&gt;",
    ]
    assert markdown_cell("a") == "a"


@pytest.mark.parametrize("form", ["text", "latex"])
def test_cells_of_other_tables_stay_in_their_line(form):
    table = NumberTable("t", (Column("what"), Column("n")), (("a\nb\x1b", 1.0),))
    assert "\x1b" not in render([table], form)
    assert "a\nb" not in render([table], form)


@pytest.mark.parametrize("text", ["=1+1", "+1", "-1", "@SUM(A1)", "\t=1", "\r=1", "\n=1", "＝1"])
def test_formulas_are_disarmed(text):
    assert spreadsheet_cell(text) == f"'{text}"


def read(content):
    return list(csv.DictReader(io.StringIO(content.decode(), newline="")))


def test_captions_are_disarmed_always_and_ids_when_asked():
    rows = Rows(
        [{"id": "=1", "candidate": '=HYPERLINK("x")', "CIDEr": -0.5}, {"id": "2", "candidate": "a", "CIDEr": None}]
    )
    plain, safe = read(csv_rows(rows)), read(csv_rows(rows, csv_safe=True))
    assert plain[0] == {"id": "=1", "candidate": '\'=HYPERLINK("x")', "CIDEr": "-0.5"}
    assert safe[0] == {"id": "'=1", "candidate": '\'=HYPERLINK("x")', "CIDEr": "-0.5"}
    assert plain[1] == safe[1] == {"id": "2", "candidate": "a", "CIDEr": ""}


def test_ids_of_a_result(tmp_path):
    result = caplens.score({"=1+1": "a dog"}, {"=1+1": ["a dog"]}, "rouge")
    result.write(tmp_path / "plain.csv")
    result.write(tmp_path / "safe.csv", csv_safe=True)
    result.write(tmp_path / "safe.jsonl", csv_safe=True)
    assert (tmp_path / "plain.csv").read_text() == "id,ROUGE_L\n=1+1,1.0\n"
    assert (tmp_path / "safe.csv").read_text() == "id,ROUGE_L\n'=1+1,1.0\n"
    assert (tmp_path / "safe.jsonl").read_text() == '{"id":"=1+1","ROUGE_L":1.0}\n'


def test_tables_as_csv_hold_no_formulas():
    table = NumberTable("t", (Column("=what"), Column("n")), (("=1+1", -1.0),))
    assert render([table], "csv") == "'=what,n\n'=1+1,-1.0"
