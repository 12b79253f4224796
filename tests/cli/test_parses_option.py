"""``--parses``, as a user gives it."""

from __future__ import annotations

import pytest
from tests.command_line import refuse, succeed, write_rows

ROWS = [{"id": 1, "candidate": "a man", "references": ["a man on a horse"]}]
HORSE = [["man"], ["man", "ride", "horse"]]


@pytest.mark.parametrize("command", ["score", "compare"])
def test_help_says_what_is_kept_and_what_is_not(command):
    said = " ".join(succeed(command, "--help").replace("│", " ").split())
    assert "--parses" in said
    assert "Folder in which to keep SPICE's parses for later runs." in said
    assert "CAPLENS_CACHE" in said


def test_metrics_without_parses_leave_the_folder_alone(tmp_path):
    rows = write_rows(tmp_path / "rows.jsonl", ROWS)
    folder = tmp_path / "parses"
    assert "ROUGE_L" in succeed("score", rows, "-m", "rouge", "--parses", folder)
    assert not folder.exists()


def test_a_file_is_refused(tmp_path):
    rows = write_rows(tmp_path / "rows.jsonl", ROWS)
    assert "rows.jsonl is a file: specify a folder" in refuse("score", rows, "-m", "rouge", "--parses", rows)
    assert "rows.jsonl is a file: specify a folder" in refuse(
        "compare", f"a={rows}", f"b={rows}", "-r", rows, "-m", "rouge", "--parses", rows
    )


def test_references_without_words_are_refused_by_metrics_that_compare_words(tmp_path):
    rows = write_rows(tmp_path / "rows.jsonl", [{"id": 1, "candidate": "a man", "references": [HORSE]}])
    assert refuse("score", rows, "-m", "rouge") == (
        "rouge compares words, but 1 reference is a scene graph (id 1): only spice accepts those."
    )
