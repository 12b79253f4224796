"""Names of systems on the command line."""

from __future__ import annotations

import pytest

from caplens.api.inputs import name_runs
from caplens.errors import UsageError


def test_a_file_whose_name_has_commas_is_one_run(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "a,b.json").write_text("[]")
    assert name_runs(["a,b.json", "x=a,b.json", "y=a,c.json"]) == {
        "a,b": ["a,b.json"],
        "x": ["a,b.json"],
        "y": ["a", "c.json"],
    }


def test_several_runs_need_a_name():
    with pytest.raises(UsageError, match=r"'a.json,b.json' is not a file; .* write NAME=FILE,FILE"):
        name_runs(["a.json,b.json"])


@pytest.mark.parametrize("given", ["x=a.json,", "x=,a.json", "x=a.json,,b.json"])
def test_every_run_needs_a_file(given):
    with pytest.raises(UsageError, match="One of the runs of 'x' has no file name"):
        name_runs([given])
