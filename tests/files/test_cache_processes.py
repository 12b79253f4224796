"""Compiled files and several processes: built once, whoever asks and whoever is killed."""

from __future__ import annotations

import errno
import os
import signal
import sys
import tempfile
import threading
from contextlib import suppress
from pathlib import Path

import pytest
from tests.cache_processes import FACTS, NAME, PATIENCE, WAITING, Builds, Child, prepare, squares, stored

from caplens.files.arrays import read_arrays
from caplens.files.cache import inspect_compiled, open_compiled
from caplens.files.progress import reporting_to

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and users of POSIX")


@pytest.fixture
def run():
    """Start processes that do not outlive the test."""
    children = []

    def start(role, folder, *arguments):
        children.append(Child(role, folder, *arguments))
        return children[-1]

    yield start
    for child in children:
        child.end()


class TestAtOnce:
    @pytest.mark.parametrize(("number", "before"), [(2, "absent"), (2, "damaged"), (4, "absent"), (4, "outdated")])
    def test_of_several_processes_one_builds_and_all_are_right(self, run, folder, path, tmp_path, number, before):
        prepare(path, before)
        children = [run("build", folder, tmp_path / "builds") for _ in range(number)]
        assert {child.hear() for child in children} == {"ready"}
        for child in children:
            child.tell("go")
        said = {child: child.hear() for child in children}  # the builder does not go on before it is told
        assert sorted(said.values()) == ["building"] + [WAITING] * (number - 1)
        for child, word in said.items():
            if word == "building":
                child.tell("finish")
        for child in children:
            assert child.results() == [{"right": True, "path": str(path), "reason": None}]
        assert len((tmp_path / "builds").read_text().split()) == 1

    @posix_only
    def test_if_the_builder_is_killed_the_next_one_builds(self, run, folder, path, tmp_path):
        holder, waiter = (run("build", folder, tmp_path / "builds") for _ in range(2))
        for child, word in ((holder, "building"), (waiter, WAITING)):
            assert child.hear() == "ready"
            child.tell("go")
            assert child.hear() == word
        holder.kill()
        assert waiter.hear() == "building"
        waiter.tell("finish")
        assert waiter.results() == [{"right": True, "path": str(path), "reason": None}]
        assert len((tmp_path / "builds").read_text().split()) == 2

    @posix_only
    def test_whoever_waits_can_be_interrupted(self, run, folder, path, tmp_path):
        holder, waiter = (run("build", folder, tmp_path / "builds") for _ in range(2))
        for child, word in ((holder, "building"), (waiter, WAITING)):
            assert child.hear() == "ready"
            child.tell("go")
            assert child.hear() == word
        waiter.process.send_signal(signal.SIGINT)
        assert waiter.hear() == "interrupted"
        assert waiter.results() == []
        holder.tell("finish")
        assert holder.results() == [{"right": True, "path": str(path), "reason": None}]

    def test_of_several_threads_one_builds_and_all_are_right(self, path):
        number = 4
        all_wait = threading.Semaphore(0)
        builds = []
        opened = []

        class Reporter:
            def start(self, label, total):
                assert (label, total) == (WAITING, 1)
                all_wait.release()

            def advance(self, step, amount):
                pass

            def finish(self, step):
                pass

        def build():
            builds.append(threading.get_ident())
            for _ in range(number - 1):
                assert all_wait.acquire(timeout=PATIENCE)
            return squares()

        def work():
            with reporting_to(Reporter()):
                opened.append(open_compiled(NAME, FACTS, build))

        threads = [threading.Thread(target=work) for _ in range(number)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert len(builds) == 1
        assert [stored(one, path) for one in opened] == [True] * number


class TestKilled:
    @posix_only
    @pytest.mark.parametrize("before", ["absent", "outdated", "damaged"])
    def test_at_any_line(self, run, folder, before):
        results = run("killed_at_lines", folder, before).results()
        assert len(results) > 30  # lines of caplens.files between the call and its return
        assert {result["killed"] for result in results[:-1]} == {signal.SIGKILL}
        assert results[-1]["killed"] == 0
        assert {result["state"] for result in results} == {before, "ready"}
        assert all(result["right"] and result["clean"] for result in results)
        assert all(result["builds"] == (result["state"] != "ready") for result in results)
        assert any(result["leftovers"] for result in results)

    @posix_only
    @pytest.mark.parametrize("before", ["absent", "outdated"])
    def test_at_any_byte(self, run, folder, before):
        results = run("killed_at_bytes", folder, before).results()
        assert len(results) == 12
        for result in results:
            assert result["killed"] == signal.SIGXFSZ
            assert result["leftovers"] == [result["limit"]]
            assert result["state"] == before
            assert (result["right"], result["clean"], result["builds"]) == (True, True, 1)

    @posix_only
    @pytest.mark.parametrize("part", [0.0, 0.01, 0.1, 0.3, 0.5, 0.7, 0.9, 0.99])
    def test_from_outside_while_a_large_file_grows(self, run, folder, path, part):
        size = 32_000_000
        child = run("large", folder, size)
        # The process may be further when the signal arrives, even done: whatever the moment, the next run is right.
        while child.process.poll() is None and largest_temporary(folder) < part * size:
            pass
        child.process.kill()
        child.process.wait()
        state = inspect_compiled(NAME, FACTS).state
        assert state in {"absent", "ready"}
        builds = Builds()
        assert stored(open_compiled(NAME, FACTS, builds) if state == "absent" else reopened(path), path)
        assert builds.count == (state == "absent")
        assert {file.name for file in folder.iterdir()} == {path.name, f"{NAME}.lock"}


def largest_temporary(folder):
    """Return the size of a file that is being written, -1 if there is none (any more)."""
    with suppress(FileNotFoundError):
        return max((file.stat().st_size for file in folder.glob(".*")), default=-1)
    return -1


def reopened(path):
    """Check that a large file was finished, then make the small one in its place."""
    assert len(read_arrays(path)["large"]) > 0
    path.unlink()
    return open_compiled(NAME, FACTS, squares)


class TestNotWritable:
    @posix_only
    def test_the_disk_is_full(self, folder, run):
        [result] = run("limited", folder, 1000).results()
        assert result == {"right": True, "path": None, "reason": os.strerror(errno.EFBIG), "builds": 1}
        assert [file.name for file in folder.iterdir()] == [f"{NAME}.lock"]

    @posix_only
    @pytest.mark.skipif(sys.platform != "win32" and os.geteuid() != 0, reason="only root becomes somebody else")
    def test_another_user_may_read_but_not_write(self, run, monkeypatch):
        with tempfile.TemporaryDirectory() as name:  # not in tmp_path, which others may not enter
            folder = Path(name)
            folder.chmod(0o755)
            [result] = run("nobody", folder).results()
            assert result == {"right": True, "path": None, "reason": os.strerror(errno.EACCES), "builds": 1}
            monkeypatch.setenv("CAPLENS_CACHE", name)
            path = open_compiled(NAME, FACTS, squares).path
            before = sorted(folder.iterdir())
            [result] = run("nobody", folder).results()
            assert result == {"right": True, "path": str(path), "reason": None, "builds": 0}
            [result] = run("nobody", folder / "missing").results()
            assert result == {"right": True, "path": None, "reason": os.strerror(errno.EACCES), "builds": 1}
            path.chmod(0o600)
            [result] = run("nobody", folder).results()
            assert result == {"right": True, "path": None, "reason": os.strerror(errno.EACCES), "builds": 1}
            assert sorted(folder.iterdir()) == before
