"""Progress: where it is shown, after how long, and that it goes away."""

from __future__ import annotations

import sys

import pytest
from rich.progress import Progress

from caplens.files.progress import blocks, is_reported
from caplens.output import progress
from caplens.output.progress import in_notebook, showing


def work():
    for _ in blocks("counting [x]", 10, 2):
        pass


@pytest.fixture
def terminal(monkeypatch):
    monkeypatch.setattr(sys.stderr, "isatty", lambda: True, raising=False)


def test_nothing_is_shown_where_nobody_looks(capsys):
    with showing(None, delay=0):
        assert not is_reported()
        work()
    assert capsys.readouterr() == ("", "")


@pytest.fixture
def started(monkeypatch):
    """The bars that were started."""
    found = []
    monkeypatch.setattr(Progress, "start", lambda self: found.append(self))  # noqa: PLW0108 (it must be a method)
    return found


def test_true_shows_it_anywhere(started):
    with showing(True, delay=0):
        work()
    assert len(started) == 1
    assert started[0].tasks == []  # a step that is over disappears


@pytest.mark.usefixtures("terminal")
def test_what_is_over_soon_needs_no_bar(started):
    with showing(None):
        assert is_reported()
        work()
    assert started == []


@pytest.mark.usefixtures("terminal")
def test_who_said_no_is_not_asked_again():
    with showing(False):
        with showing(None, delay=0), showing(True, delay=0):
            work()
        assert is_reported()
    assert not is_reported()


def test_this_is_no_notebook():
    assert not in_notebook()


def test_a_notebook_gets_a_bar_that_is_taken_away(monkeypatch):
    drawn = []

    class Handle:
        def update(self, html):
            drawn.append(html)

    display = pytest.importorskip("IPython.display", reason="ipykernel is not installed")
    monkeypatch.setattr(progress, "in_notebook", lambda: True)
    monkeypatch.setattr(display, "HTML", str)
    monkeypatch.setattr(display, "display", lambda html, display_id: Handle())
    with showing(None, delay=0):
        work()
    assert drawn[0] == "<progress value='2' max='10'></progress> counting [x] 2 / 10"
    assert drawn[-1] == ""
