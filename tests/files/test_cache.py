"""Compiled files: built once, and right even where nothing can be written."""

from __future__ import annotations

import errno
import os
import sys
import threading
from pathlib import Path

import numpy as np
import pytest
from tests.cache_processes import FACTS, NAME, OLD_FACTS, Builds, is_right, squares, stored

from caplens.errors import InputError
from caplens.files import cache
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.cache import inspect_compiled, open_compiled
from caplens.files.folders import cache_directory

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="permissions and locks of POSIX")


def in_memory(opened, folder, reason):
    """Whether the arrays are right though they could not be stored, and one sentence says so."""
    [notice] = opened.notices
    assert notice.code == "cache-not-written"
    assert str(notice) == (
        f"{NAME} could not be stored in {folder} ({reason}), so each run rebuilds it: "
        "set CAPLENS_CACHE to a writable folder."
    )
    return is_right(opened.arrays) and opened.path is None


class TestFolder:
    def test_the_variable_names_it(self, monkeypatch):
        monkeypatch.setenv("CAPLENS_CACHE", "/somewhere/else")
        assert cache_directory() == Path("/somewhere/else")

    def test_the_variable_may_use_the_home_directory(self, monkeypatch):
        monkeypatch.setenv("CAPLENS_CACHE", "~/else")
        assert cache_directory() == Path.home() / "else"

    @pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="other folders there")
    @pytest.mark.parametrize("empty", [True, False])
    def test_without_it_the_platform_decides(self, monkeypatch, tmp_path, empty):
        if empty:
            monkeypatch.setenv("CAPLENS_CACHE", "")
        else:
            monkeypatch.delenv("CAPLENS_CACHE", raising=False)
        monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
        assert cache_directory() == tmp_path / "caplens"
        assert list(tmp_path.iterdir()) == []


class TestBuilding:
    def test_it_is_built_once(self, path):
        builds = Builds()
        for _ in range(3):
            assert stored(open_compiled(NAME, FACTS, builds), path)
        assert builds.count == 1

    def test_the_folder_holds_nothing_but_the_file_and_its_lock(self, folder):
        open_compiled(NAME, FACTS, squares)
        assert {file.name for file in folder.iterdir()} <= {f"{NAME}.safetensors", f"{NAME}.lock"}

    def test_other_names_are_other_files(self, folder):
        for name in ("one", "two"):
            assert open_compiled(name, FACTS, squares).path == folder / f"{name}.safetensors"

    def test_other_facts_replace_it_and_whoever_uses_it_keeps_it(self, path):
        old = open_compiled(NAME, OLD_FACTS, lambda: {"old": np.arange(5)})
        builds = Builds()
        assert stored(open_compiled(NAME, FACTS, builds), path)
        assert stored(open_compiled(NAME, FACTS, builds), path)
        assert builds.count == 1
        assert old.arrays["old"].tolist() == [0, 1, 2, 3, 4]

    @pytest.mark.parametrize("damage", ["flip", "cut", "append", "empty"])
    def test_a_damaged_file_is_built_again(self, path, damage):
        open_compiled(NAME, FACTS, squares)
        whole = path.read_bytes()
        flipped = whole[:-1] + bytes([whole[-1] ^ 1])
        path.write_bytes({"flip": flipped, "cut": whole[:-1], "append": whole + b"\0", "empty": b""}[damage])
        builds = Builds()
        assert stored(open_compiled(NAME, FACTS, builds), path)
        assert builds.count == 1
        assert path.read_bytes() == whole

    @pytest.mark.parametrize("error", [InputError, OSError, KeyboardInterrupt])
    def test_what_the_build_raises_comes_out_and_nothing_is_stored(self, path, error):
        def fail():
            raise error("no such table")

        with pytest.raises(error, match="no such table"):
            open_compiled(NAME, FACTS, fail)
        assert not path.exists()
        assert stored(open_compiled(NAME, FACTS, squares), path)

    def test_leftovers_are_removed_and_nothing_else(self, folder):
        folder.mkdir(parents=True)
        ours, others = folder / f".{NAME}.safetensors.0123", [folder / ".other.safetensors.0123", folder / NAME]
        for file in (ours, *others):
            file.write_text("half")
        open_compiled(NAME, FACTS, squares)
        assert not ours.exists()
        assert all(file.read_text() == "half" for file in others)

    @posix_only
    def test_threads_that_write_leave_the_umask_alone(self, folder):
        before = os.umask(0o027)
        try:
            threads = [threading.Thread(target=open_compiled, args=(f"n{i}", FACTS, squares)) for i in range(8)]
            for thread in threads:
                thread.start()
            for thread in threads:
                thread.join()
            assert {file.stat().st_mode & 0o777 for file in folder.glob("*.safetensors")} == {0o640}
        finally:
            assert os.umask(before) == 0o027


class TestInspecting:
    def test_the_four_states(self, path):
        assert inspect_compiled(NAME, FACTS) == cache.Compiled(path, "absent", 0)
        assert not path.parent.exists()
        size = open_compiled(NAME, FACTS, squares).arrays.size
        assert inspect_compiled(NAME, FACTS) == cache.Compiled(path, "ready", size)
        assert inspect_compiled(NAME, OLD_FACTS) == cache.Compiled(path, "outdated", size)
        path.write_bytes(b"half")
        assert inspect_compiled(NAME, FACTS) == cache.Compiled(path, "damaged", 4)

    def test_a_cache_that_is_a_file_holds_nothing(self, folder):
        folder.parent.mkdir()
        folder.write_text("")
        assert inspect_compiled(NAME, FACTS).state == "absent"

    def test_a_file_that_goes_while_it_is_looked_at_is_absent(self, path, monkeypatch):
        open_compiled(NAME, FACTS, squares)

        def gone(path, **options):
            path.unlink()
            return read_arrays(path, **options)

        monkeypatch.setattr(cache, "read_arrays", gone)
        assert inspect_compiled(NAME, FACTS).state == "absent"


class TestNotWritable:
    def test_the_cache_is_a_file(self, folder):
        folder.parent.mkdir()
        folder.write_text("mine")
        builds = Builds()
        assert in_memory(open_compiled(NAME, FACTS, builds), folder, "it is not a folder")
        assert builds.count == 1
        assert folder.read_text() == "mine"

    def test_the_cache_is_in_a_file(self, folder):
        folder.parent.write_text("mine")
        assert in_memory(open_compiled(NAME, FACTS, squares), folder, os.strerror(errno.ENOTDIR))

    @pytest.mark.skipif(not Path("/proc/self").exists(), reason="no /proc here")
    def test_no_folder_can_be_made(self, monkeypatch):
        monkeypatch.setenv("CAPLENS_CACHE", "/proc/caplens")
        opened = open_compiled(NAME, FACTS, squares)
        assert in_memory(opened, "/proc/caplens", os.strerror(errno.ENOENT))

    def test_a_folder_has_the_name_of_the_file(self, folder, path):
        path.mkdir(parents=True)
        assert inspect_compiled(NAME, FACTS).state == "damaged"
        builds = Builds()
        assert in_memory(open_compiled(NAME, FACTS, builds), folder, os.strerror(errno.EISDIR))
        assert builds.count == 1

    def test_a_folder_has_the_name_of_the_lock(self, folder):
        (folder / f"{NAME}.lock").mkdir(parents=True)
        assert in_memory(open_compiled(NAME, FACTS, squares), folder, os.strerror(errno.EISDIR))

    @pytest.mark.skipif(sys.platform in {"win32", "darwin"}, reason="other folders there")
    @pytest.mark.parametrize("version", ["raising", "silent"])
    @pytest.mark.parametrize("variable", ["", "~/cache"])
    def test_nobody_knows_the_home_directory(self, monkeypatch, tmp_path, version, variable):
        def unknown(*_, **__):
            if version == "raising":  # platformdirs 4.14 and pathlib
                raise RuntimeError("could not determine the home directory")
            return "~/.cache/caplens"  # platformdirs 4.0

        monkeypatch.chdir(tmp_path)
        monkeypatch.setenv("CAPLENS_CACHE", variable)
        monkeypatch.setattr("platformdirs.user_cache_dir", unknown)
        monkeypatch.delenv("HOME", raising=False)
        monkeypatch.setattr("pwd.getpwuid", lambda _: (_ for _ in ()).throw(KeyError("uid not found")))
        opened = open_compiled(NAME, FACTS, squares)
        assert in_memory(opened, variable or "~/.cache/caplens", "there is no home directory")
        assert list(tmp_path.iterdir()) == []

    @pytest.mark.parametrize("problem", [errno.EROFS, errno.EACCES, errno.ENOSPC, errno.EDQUOT])
    @pytest.mark.parametrize("step", ["mkdir", "touch", "replace"])
    def test_any_step_may_fail(self, folder, monkeypatch, step, problem):
        def fail(*_, **__):
            raise OSError(problem, os.strerror(problem))

        monkeypatch.setattr(Path, step, fail)
        builds = Builds()
        assert in_memory(open_compiled(NAME, FACTS, builds), folder, os.strerror(problem))
        assert builds.count == 1
        monkeypatch.undo()
        assert not folder.exists() or [file.name for file in folder.iterdir()] == [f"{NAME}.lock"]

    @posix_only
    @pytest.mark.parametrize("problem", [errno.ENOLCK, errno.EOPNOTSUPP, errno.EIO])
    def test_the_file_system_knows_no_locks(self, folder, monkeypatch, problem):
        def fail(*_):
            raise OSError(problem, os.strerror(problem))

        monkeypatch.setattr("fcntl.flock", fail)
        assert in_memory(open_compiled(NAME, FACTS, squares), folder, os.strerror(problem))

    def test_windows_does_not_replace_a_file_in_use(self, folder, path, monkeypatch):
        old = open_compiled(NAME, OLD_FACTS, lambda: {"old": np.arange(5)})

        def fail(*_):
            raise PermissionError(errno.EACCES, "Access is denied")

        with monkeypatch.context() as patches:
            patches.setattr(Path, "replace", fail)
            assert in_memory(open_compiled(NAME, FACTS, squares), folder, "Access is denied")
        assert old.arrays["old"].tolist() == [0, 1, 2, 3, 4]
        assert inspect_compiled(NAME, OLD_FACTS).state == "ready"
        assert stored(open_compiled(NAME, FACTS, squares), path)

    def test_what_was_written_is_not_what_is_read(self, folder, monkeypatch):
        def write_and_forget(path, arrays, facts):
            write_arrays(path, arrays, facts)
            os.truncate(path, 100)

        monkeypatch.setattr(cache, "write_arrays", write_and_forget)
        opened = open_compiled(NAME, FACTS, squares)
        assert "is truncated" in str(opened.notices[0])
        assert is_right(opened.arrays)

    def test_a_valid_file_is_used_without_writing_anything(self, path, monkeypatch):
        open_compiled(NAME, FACTS, squares)
        path.with_name(f"{NAME}.lock").unlink(missing_ok=True)

        def fail(*_, **__):
            raise OSError(errno.EROFS, os.strerror(errno.EROFS))

        for step in ("mkdir", "touch", "replace", "unlink"):
            monkeypatch.setattr(Path, step, fail)
        builds = Builds()
        assert stored(open_compiled(NAME, FACTS, builds), path)
        assert builds.count == 0
        assert [file.name for file in path.parent.iterdir()] == [path.name]
