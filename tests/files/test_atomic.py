"""Files that are written whole or not at all."""

from __future__ import annotations

import os
import stat
import sys

import pytest

import caplens
from caplens.files.atomic import atomic_path, check_writable


def write(path, text):
    with atomic_path(path) as temporary:
        temporary.write_text(text)


def test_the_file_appears_when_the_block_ends(tmp_path):
    target = tmp_path / "out.json"
    with atomic_path(target) as temporary:
        temporary.write_text("new")
        assert not target.exists()
        assert temporary.parent == tmp_path
    assert target.read_text() == "new"
    assert list(tmp_path.iterdir()) == [target]


def test_a_second_run_replaces_the_first(tmp_path):
    for text in ("first", "second"):
        write(tmp_path / "out.json", text)
    assert (tmp_path / "out.json").read_text() == "second"


@pytest.mark.parametrize("error", [ValueError, KeyboardInterrupt, SystemExit, GeneratorExit])
@pytest.mark.parametrize("before", [None, "old"])
def test_an_interrupted_block_leaves_nothing_and_the_target_as_it_was(tmp_path, error, before):
    target = tmp_path / "out.json"
    if before:
        target.write_text(before)

    def interrupted():
        with atomic_path(target) as temporary:
            temporary.write_text("half")
            raise error

    with pytest.raises(error):
        interrupted()
    assert [(path, path.read_text()) for path in tmp_path.iterdir()] == ([(target, before)] if before else [])


def test_a_failing_write_is_said_in_one_sentence(tmp_path):
    def full():
        with atomic_path(tmp_path / "out.json") as temporary:
            temporary.write_text("half")
            raise OSError(28, "No space left on device")

    with pytest.raises(caplens.InputError, match=r"out\.json cannot be written: No space left on device\."):
        full()
    assert list(tmp_path.iterdir()) == []


@pytest.mark.skipif(sys.platform == "win32", reason="links need rights there")
def test_a_link_stays_a_link(tmp_path):
    (tmp_path / "real").mkdir()
    (tmp_path / "link.json").symlink_to(tmp_path / "real" / "out.json")
    write(tmp_path / "link.json", "new")
    assert (tmp_path / "link.json").is_symlink()
    assert (tmp_path / "real" / "out.json").read_text() == "new"


@pytest.mark.skipif(sys.platform == "win32", reason="no permission bits there")
def test_permissions_are_those_of_an_ordinary_file(tmp_path):
    (tmp_path / "ordinary").write_text("")
    write(tmp_path / "out.json", "new")
    modes = [stat.S_IMODE((tmp_path / name).stat().st_mode) for name in ("ordinary", "out.json")]
    assert modes[0] == modes[1]


def test_long_names_and_names_with_a_space_are_written(tmp_path):
    for name in ("x" * 250, "a b.json", "ä.json", ".hidden"):
        write(tmp_path / name, "new")
        assert (tmp_path / name).read_text() == "new"


def test_a_bare_name_is_written_to_the_working_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write("out.json", "new")
    assert (tmp_path / "out.json").read_text() == "new"


class TestRefused:
    def test_a_folder(self, tmp_path):
        with pytest.raises(caplens.InputError, match="is a folder: specify a file to write to"):
            check_writable(tmp_path)

    def test_a_file_in_no_folder(self, tmp_path):
        with pytest.raises(caplens.InputError, match="cannot be written: there is no folder"):
            check_writable(tmp_path / "nowhere" / "out.json")

    def test_a_file_in_a_file(self, tmp_path):
        (tmp_path / "file").write_text("")
        with pytest.raises(caplens.InputError, match="cannot be written: there is no folder"):
            check_writable(tmp_path / "file" / "out.json")

    @pytest.mark.skipif(sys.platform == "win32" or os.geteuid() == 0, reason="root may write anywhere")
    def test_a_folder_without_permission(self, tmp_path):
        tmp_path.chmod(0o500)
        with pytest.raises(caplens.InputError, match="cannot be written: no permission to write in"):
            check_writable(tmp_path / "out.json")
        tmp_path.chmod(0o700)
