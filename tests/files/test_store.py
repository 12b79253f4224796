"""Values kept in a file: found again, never wrong, and never the reason why something fails."""

from __future__ import annotations

import json
import os
import random
import signal
import sqlite3
import sys
import tempfile
import threading
import time
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.store_processes import BATCH, PATIENCE, batch, entries, key, start, value

from caplens.errors import UsageError
from caplens.files.store import APPLICATION, Limits, Store

posix_only = pytest.mark.skipif(sys.platform == "win32", reason="signals and users of POSIX")
root_only = pytest.mark.skipif(sys.platform == "win32" or os.geteuid() != 0, reason="only root becomes somebody else")


@pytest.fixture
def path(tmp_path):
    """A file that does not exist yet, nor its folder."""
    return tmp_path / "folder" / "values.sqlite"


@pytest.fixture
def run():
    """Start processes that do not outlive the test."""
    children = []
    timers = []

    def started(role, *arguments):
        child = start(role, *arguments)
        children.append(child)
        timers.append(threading.Timer(PATIENCE, child.kill))
        timers[-1].start()
        return child

    yield started
    for child, timer in zip(children, timers, strict=True):
        timer.cancel()
        child.kill()
        child.communicate()


def codes(store):
    return [notice.code for notice in store.notices]


def is_whole(path):
    with sqlite3.connect(path) as connection:
        [[said]] = connection.execute("PRAGMA integrity_check").fetchall()
    connection.close()
    return said == "ok"


class TestValues:
    def test_are_found_by_another_store(self, path):
        Store(path).put(entries("a", "b"))
        store = Store(path)
        assert store.get([key("b"), key("c"), key("b")]) == entries("b")
        assert store.notices == ()

    def test_nothing_is_made_by_looking(self, path):
        assert Store(path).get([key("a")]) == {}
        Store(path).put({})
        assert not path.parent.exists()

    def test_are_replaced(self, path):
        store = Store(path)
        store.put({b"k": b"old"})
        store.put({b"k": b"new", b"l": b""})
        assert store.get([b"k", b"l"]) == {b"k": b"new", b"l": b""}

    def test_many(self, path):
        many = entries(*range(5_000))
        store = Store(path)
        store.put(many)
        assert store.get(list(many)) == many

    @given(st.dictionaries(st.binary(max_size=40), st.binary(max_size=3_000), max_size=20))
    def test_any_bytes(self, many):
        with tempfile.TemporaryDirectory() as folder:
            store = Store(Path(folder) / "values.sqlite")
            store.put(many)
            assert store.get([*many, b"x" * 41]) == many

    @pytest.mark.parametrize("name", ["a b.sqlite", "%41?mode=ro#x.sqlite", "größe.sqlite"])
    def test_the_name_may_have_any_characters(self, tmp_path, name):
        Store(tmp_path / name).put(entries("a"))
        assert Store(tmp_path / name).get([key("a")]) == entries("a")
        assert (tmp_path / name).exists()


class TestDamage:
    @pytest.fixture
    def written(self, path):
        Store(path).put(entries(*range(300)))
        return path.read_bytes()

    @pytest.mark.parametrize("part", [0, 0.0001, 0.001, 0.01, 0.1, 0.3, 0.5, 0.9, 0.99, 0.99999])
    def test_a_file_that_is_cut_off(self, path, written, part):
        path.write_bytes(written[: int(part * len(written))])
        self.use(path)

    @pytest.mark.parametrize("seed", range(40))
    def test_bytes_that_were_altered(self, path, written, seed):
        numbers = random.Random(seed)
        altered = bytearray(written)
        for _ in range(numbers.choice([1, 5, 50])):
            # Every other time in the first page, which holds the header and the table's description.
            altered[numbers.randrange(len(altered) if seed % 2 else 4096)] = numbers.randrange(256)
        path.write_bytes(altered)
        self.use(path)

    def use(self, path):
        """What is found is right, what is stored is found, and if the file had to go the user hears of it once."""
        everything = entries(*range(300))
        store = Store(path)
        found = store.get(list(everything))
        assert found.items() <= everything.items()
        store.put(entries("new"))
        assert store.get([key("new")]) == entries("new")
        assert codes(store) in ([], ["store-damaged"])
        aside = path.with_name("values.sqlite.damaged")
        assert aside.exists() == (codes(store) == ["store-damaged"])
        assert codes(Store(path)) == []

    def test_an_altered_value_counts_as_absent(self, path):
        store = Store(path)
        store.put(entries("a", "b"))
        changed = path.read_bytes().replace(value("a"), value("A"))
        path.write_bytes(changed)
        assert store.get([key("a"), key("b")]) == entries("b")
        assert store.notices == ()

    @pytest.mark.parametrize("content", [b"image_id,caption\n1,a dog\n" * 100, b"\0" * 5000])
    def test_a_file_of_another_kind_is_put_aside(self, path, content):
        path.parent.mkdir()
        path.write_bytes(content)
        store = Store(path)
        assert store.get([key("a")]) == {}
        store.put(entries("a"))
        assert store.get([key("a")]) == entries("a")
        aside = path.with_name("values.sqlite.damaged")
        assert aside.read_bytes() == content
        assert [str(notice) for notice in store.notices] == [
            f"{path} was damaged: it was renamed to values.sqlite.damaged, and a new one is started."
        ]

    @pytest.mark.parametrize("first", ["get", "put"])
    def test_a_database_of_another_program_is_put_aside(self, path, first):
        path.parent.mkdir()
        with sqlite3.connect(path) as connection:
            connection.execute("CREATE TABLE photos (name)")
            connection.execute("INSERT INTO photos VALUES ('cat.png')")
        connection.close()
        before = path.read_bytes()
        store = Store(path)
        if first == "get":
            assert store.get([key("a")]) == {}
        store.put(entries("a"))
        assert store.get([key("a")]) == entries("a")
        assert path.with_name("values.sqlite.damaged").read_bytes() == before
        assert [str(notice) for notice in store.notices] == [
            f"{path} was not written by caplens: it was renamed to values.sqlite.damaged, and a new one is started."
        ]

    def test_a_file_of_the_first_version_is_taken_over(self, path):
        Store(path).put(entries("a"))
        with sqlite3.connect(path) as connection:
            connection.execute("ALTER TABLE entries DROP COLUMN day")
            connection.execute("PRAGMA user_version = 1")
        connection.close()
        store = Store(path, Limits(days=10))
        assert store.get([key("a")]) == entries("a")
        store.put(entries("b"))
        assert store.get([key("a"), key("b")]) == {**entries("a"), **entries("b")}
        assert store.notices == ()

    def test_a_file_of_another_version_is_begun_anew(self, path):
        store = Store(path)
        store.put(entries("a"))
        with sqlite3.connect(path) as connection:
            assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
            connection.execute("PRAGMA user_version = 99")
        connection.close()
        assert store.get([key("a")]) == {}
        assert "another version" in str(store.notices[0])
        store.put(entries("b"))
        assert store.get([key("a"), key("b")]) == entries("b")

    def test_a_table_that_is_gone(self, path):
        store = Store(path)
        store.put(entries("a"))
        with sqlite3.connect(path) as connection:
            connection.execute("ALTER TABLE entries RENAME TO other")
        connection.close()
        store.put(entries("b"))
        assert store.get([key("b")]) == entries("b")
        assert codes(store) == ["store-damaged"]


class TestNotUsable:
    def test_the_folder_is_a_file(self, tmp_path):
        (tmp_path / "folder").write_text("text")
        store = Store(tmp_path / "folder" / "values.sqlite")
        store.put(entries("a"))
        store.put(entries("b"))
        assert store.get([key("a")]) == {}
        assert codes(store) == ["store-not-written"]
        assert "\n" not in str(store.notices[0])
        assert (tmp_path / "folder").read_text() == "text"

    def test_the_file_is_a_folder(self, path):
        path.mkdir(parents=True)
        store = Store(path)
        assert store.get([key("a")]) == {}
        store.put(entries("a"))
        assert codes(store) == ["store-not-read", "store-not-written"]

    @posix_only
    @root_only
    def test_another_user_may_read_but_not_write(self, run):
        with tempfile.TemporaryDirectory() as name:  # not in tmp_path, which others may not enter
            path = Path(name) / "values.sqlite"
            Path(name).chmod(0o755)
            Store(path).put(batch("a", 0))
            before = path.read_bytes()
            said = json.loads(run("nobody", path).communicate()[0])
            assert said["found"] == BATCH
            assert len(said["notices"]) == 1
            assert "cannot be written (Permission denied), so later runs will recompute it." in said["notices"][0]
            path.chmod(0o600)
            said = json.loads(run("nobody", path).communicate()[0])
            assert said["found"] == 0
            assert "cannot be read" in said["notices"][0]
            path.chmod(0o644)
            path.write_bytes(before[:5000])
            said = json.loads(run("nobody", path).communicate()[0])
            assert said["found"] == 0
            assert "was damaged and cannot be replaced (Permission denied)" in said["notices"][0]
            assert path.read_bytes() == before[:5000]


class TestAtOnce:
    @pytest.mark.parametrize("before", ["absent", "damaged"])
    def test_several_processes_write(self, run, path, before):
        if before == "damaged":
            path.parent.mkdir()
            path.write_bytes(b"what is this?" * 1000)
        writers = {name: run("batches", path, name, 10) for name in "abc"}
        for child in writers.values():
            assert child.stdout.readline() == "ready\n"
        for child in writers.values():
            child.stdin.write("go\n")
            child.stdin.flush()
        store = Store(path)
        while any(child.poll() is None for child in writers.values()):
            found = store.get(list(batch("a", 9)))
            assert found in ({}, batch("a", 9))  # all of a batch or nothing
        for child in writers.values():
            assert child.returncode == 0
        for name in writers:
            for number in range(10):
                assert store.get(list(batch(name, number))) == batch(name, number)
        assert is_whole(path)
        assert path.with_name("values.sqlite.damaged").exists() == (before == "damaged")

    def test_several_threads_write_and_read(self, path):
        store = Store(path)
        problems = []

        def work(name):
            for number in range(8):
                store.put(batch(name, number))
                if store.get(list(batch(name, number))) != batch(name, number):
                    problems.append((name, number))

        threads = [threading.Thread(target=work, args=(name,)) for name in "abcd"]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert problems == []
        assert store.notices == ()
        assert is_whole(path)


class TestKilled:
    @posix_only
    @pytest.mark.parametrize("seed", range(8))
    def test_at_any_moment_loses_nothing_that_was_stored(self, run, path, seed):
        numbers = random.Random(seed)
        Store(path).put(entries("before"))
        child = run("batches", path, "a", 1000)
        assert child.stdout.readline() == "ready\n"
        child.stdin.write("go\n")
        child.stdin.flush()
        last = -1
        for _ in range(numbers.randrange(1, 8)):
            last = int(child.stdout.readline())
        # Somewhere within the next batch.
        threading.Event().wait(numbers.random() * 0.02)
        child.kill()
        child.wait()
        store = Store(path)
        assert store.get([key("before")]) == entries("before")
        for number in range(last + 1):
            assert store.get(list(batch("a", number))) == batch("a", number)
        assert store.get(list(batch("a", 999))) == {}
        store.put(entries("after"))
        assert store.get([key("after")]) == entries("after")
        assert store.notices == ()
        assert is_whole(path)

    @posix_only
    @pytest.mark.parametrize("next_does", ["get", "put"])
    @pytest.mark.parametrize("beyond", [-40_000, -4096, -100, 0, 1, 100, 4096, 5000, 8192])
    def test_in_the_middle_of_a_change(self, run, path, beyond, next_does):
        Store(path).put(batch("a", 0) | batch("a", 1))
        size = path.stat().st_size
        child = run("die", path, "b", max(size + beyond, 10))
        child.communicate()
        assert child.returncode == -signal.SIGXFSZ
        assert path.with_name("values.sqlite-journal").stat().st_size > 0
        store = Store(path)
        if next_does == "put":
            store.put(entries("after"))
        assert store.get(list(batch("a", 0))) == batch("a", 0)
        assert store.get(list(batch("a", 1))) == batch("a", 1)
        assert store.get(list(batch("b", 0))) == {}
        store.put(batch("b", 0))
        assert store.get(list(batch("b", 0))) == batch("b", 0)
        assert store.notices == ()
        assert is_whole(path)


class TestLimits:
    def test_values_that_are_too_old_are_gone(self, path, monkeypatch):
        store = Store(path, Limits(days=10))
        store.put({b"old": b"1"})
        now = time.time()
        monkeypatch.setattr(time, "time", lambda: now + 9 * 86_400)
        assert store.get([b"old"]) == {b"old": b"1"}
        monkeypatch.setattr(time, "time", lambda: now + 12 * 86_400)
        assert store.get([b"old"]) == {}
        assert Store(path).get([b"old"]) == {b"old": b"1"}  # still there, until something is stored
        store.put({b"new": b"2"})
        assert Store(path).get([b"old", b"new"]) == {b"new": b"2"}

    def test_the_oldest_values_make_room(self, path, monkeypatch):
        store, now = Store(path, Limits(size=300_000)), time.time()
        for day in range(10):
            monkeypatch.setattr(time, "time", lambda day=day: now + day * 86_400)
            store.put({bytes([day, number]): random.Random(number).randbytes(300) for number in range(200)})
            assert path.stat().st_size < 600_000
        keys = [bytes([day, number]) for day in range(10) for number in range(200)]
        kept = sorted(key[0] for key in store.get(keys))
        assert 400 < len(kept) < 1000
        assert min(kept) >= 5
        assert kept.count(9) == 200
        assert store.notices == ()

    def test_variables_set_them(self, monkeypatch):
        monkeypatch.setenv("BYTES", "5")
        monkeypatch.setenv("DAYS", "0")
        assert Limits.from_environment("BYTES", "DAYS", Limits(1, 2)) == Limits(5, 0)
        monkeypatch.setenv("DAYS", "a week")
        with pytest.raises(UsageError, match="DAYS must be a whole number"):
            Limits.from_environment("BYTES", "DAYS", Limits(1, 2))
