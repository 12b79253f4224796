"""``caplens cache``: lists, asks, and says what it removed."""

from __future__ import annotations

import pytest
from tests.command_line import refuse, succeed

from caplens.scenegraph.parser.cache import FILE, parse_store


@pytest.fixture
def parses(tmp_path, monkeypatch):
    for name in ("CACHE", "VECTORS", "PACKS"):
        monkeypatch.setenv(f"CAPLENS_{name}", str(tmp_path / "own"))
    parse_store(tmp_path / "parses").put({b"key": b"value"})
    return tmp_path / "parses"


def test_lists_and_clears_what_is_named(parses):
    assert "nothing" in succeed("cache", "list")
    assert "SPICE's parses" in succeed("cache", "list", "--parses", parses)
    assert "There was nothing to remove." in succeed("cache", "clear", "--yes")
    assert "add --yes" in refuse("cache", "clear", "--parses", parses)
    assert (parses / FILE).exists()
    assert "removed SPICE's parses" in succeed("cache", "clear", "--parses", parses, "--yes")
    assert not (parses / FILE).exists()


def test_limits_that_are_no_numbers_are_refused(parses, monkeypatch):
    monkeypatch.setenv("CAPLENS_PARSES_MAX_BYTES", "1 GB")
    assert "CAPLENS_PARSES_MAX_BYTES must be a whole number" in refuse("cache", "clear", "--parses", parses, "--yes")
