"""The example captions can be written out, and nothing of the user's is replaced."""

from __future__ import annotations

import pytest

import caplens
from caplens.api.examples import NAMES, write_example


def test_files_can_be_scored(tmp_path):
    human, degraded, _ = write_example(tmp_path / "new" / "folder")
    loaded = [caplens.load_candidates(str(path)) for path in (human, degraded)]
    assert all(len(table.captions) == 250 for table in loaded)


def test_a_second_time_nothing_changes(tmp_path):
    first = [path.stat().st_mtime_ns for path in write_example(tmp_path)]
    assert [path.stat().st_mtime_ns for path in write_example(tmp_path)] == first


@pytest.mark.parametrize("name", NAMES)
def test_other_content_is_kept(tmp_path, name):
    (tmp_path / name).write_text("mine")
    with pytest.raises(caplens.UsageError, match="already exists and is a different file"):
        write_example(tmp_path)
    assert [path.name for path in tmp_path.iterdir()] == [name]
    assert (tmp_path / name).read_text() == "mine"


def test_a_file_in_the_place_of_the_folder(tmp_path):
    (tmp_path / "here").write_text("")
    with pytest.raises(caplens.InputError, match="cannot be written"):
        write_example(tmp_path / "here")
