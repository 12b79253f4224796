"""Messages in the words of whoever called; Python warnings once per code."""

from __future__ import annotations

import warnings

import pytest

import caplens
from caplens.errors import Notice
from caplens.files import telling
from caplens.files.telling import on_command_line, setting, silently, warn_of


@pytest.fixture(autouse=True)
def nothing_issued(monkeypatch):
    monkeypatch.setattr(telling, "_issued", set())


def issued(*notices):
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        warn_of(notices)
    return caught


def test_each_code_once_per_process():
    first = issued(
        Notice("odd", "it is odd", 2, ("7", "8")), Notice("odd", "it is odd too"), Notice("even", "it is even")
    )
    assert [str(one.message) for one in first] == ["it is odd (7, 8)", "it is even"]
    assert {one.category for one in first} == {caplens.CaplensWarning}
    assert first[0].message.notice.code == "odd"
    assert issued(Notice("odd", "it is odd again")) == []


def test_notes_are_not_issued():
    assert issued(Notice("known", "something is known", level="note")) == []


def test_the_line_of_the_caller_is_named():
    assert issued(Notice("odd", "it is odd"))[0].filename == __file__


def test_as_an_error_it_is_raised_every_time():
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        for _ in range(2):
            with pytest.raises(caplens.CaplensWarning, match="it is odd"):
                warn_of([Notice("odd", "it is odd")])


@pytest.mark.parametrize("quiet", [on_command_line, silently])
def test_where_somebody_else_passes_notices_on_there_are_none(quiet):
    with quiet():
        assert issued(Notice("odd", "it is odd")) == []
    assert len(issued(Notice("odd", "it is odd"))) == 1


def test_arguments_as_the_caller_writes_them():
    assert setting("missing", "zero") == "missing='zero'"
    with on_command_line():
        assert setting("missing", "zero") == "--missing zero"
    assert setting("data", "DIR") == "data=..."
