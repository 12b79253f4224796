"""Outputs that hurt nothing: devices and pipes stay what they are, inputs are not overwritten, modes are kept."""

from __future__ import annotations

import json
import os
import stat
import subprocess
import sys
import threading
from pathlib import Path

import pytest
from tests.alone import run_alone
from tests.command_line import refuse, write_rows

import caplens
from caplens.cli import main
from caplens.errors import InputError
from caplens.files.atomic import atomic_path, check_writable, replacing
from caplens.files.cache import open_compiled
from caplens.files.claims import separate_inputs_and_outputs
from caplens.files.opening import opened
from caplens.files.store import Store

posix = pytest.mark.skipif(os.name == "nt", reason="pipes and owners of files are those of POSIX")
pytestmark = posix

COMMAND = "import sys; from caplens.cli import main; main(sys.argv[1:])"
ROWS = [{"id": "1", "candidate": "a dog", "references": ["a dog runs"]}]


@pytest.fixture
def rows(tmp_path):
    return write_rows(tmp_path / "rows.jsonl", ROWS)


def kind(path):
    return stat.S_IFMT(path.lstat().st_mode)


class TestPipes:
    @pytest.fixture
    def pipe(self, tmp_path):
        path = tmp_path / "pipe.json"
        os.mkfifo(path)
        return path

    def read(self, path, found):
        with path.open("rb") as file:
            found.append(file.read())

    @pytest.mark.parametrize("linked", [False, True])
    def test_a_pipe_is_written_into(self, tmp_path, rows, pipe, linked):
        target = pipe
        if linked:
            target = tmp_path / "link.json"
            target.symlink_to(pipe)
        found = []
        reader = threading.Thread(target=self.read, args=(pipe, found))
        reader.start()
        done = run_alone(COMMAND, "score", rows, "-m", "bleu", "-o", target, "-q")
        reader.join(60)
        assert (done.returncode, done.stderr) == (0, "")
        assert "Bleu_4" in json.dumps(json.loads(found[0]))
        assert kind(pipe) == stat.S_IFIFO
        assert target.is_symlink() == linked

    def test_a_failure_writes_nothing_into_it(self, pipe):
        def fail():
            with atomic_path(pipe) as temporary:
                temporary.write_text("half")
                raise RuntimeError

        with pytest.raises(RuntimeError):
            fail()
        assert kind(pipe) == stat.S_IFIFO
        assert [path.name for path in pipe.parent.iterdir()] == ["pipe.json"]

    def test_what_caplens_keeps_for_itself_is_never_written_into_one(self, pipe):
        with pytest.raises(OSError, match="a device or a pipe"), replacing(pipe):
            pass
        assert kind(pipe) == stat.S_IFIFO


@pytest.fixture
def full(tmp_path):
    """A device that takes nothing, of our own, as root would be needed to harm the system's."""
    try:
        os.mknod(tmp_path / "full.json", 0o666 | stat.S_IFCHR, os.makedev(1, 7))
        (tmp_path / "full.json").write_text("")
    except OSError:
        pytest.skip("devices can be made by root only, and not in every container")
    return tmp_path / "full.json"


@pytest.mark.parametrize("linked", [False, True])
def test_a_device_is_written_into_and_stays(tmp_path, rows, full, linked):
    target = full
    if linked:
        target = tmp_path / "link.json"
        target.symlink_to(full)
    message = refuse("score", rows, "-m", "bleu", "-o", target)
    assert message == f"{target} cannot be written: No space left on device."
    assert kind(full) == stat.S_IFCHR


def test_a_link_to_a_device_of_the_system_stays_and_so_does_the_device(tmp_path, rows):
    target = tmp_path / "null.json"
    target.symlink_to(os.devnull)
    before = Path(os.devnull).stat()
    done = run_alone(COMMAND, "score", rows, "-m", "bleu", "-o", target, "-q")
    assert (done.returncode, done.stderr) == (0, "")
    assert target.is_symlink()
    assert (Path(os.devnull).stat().st_ino, Path(os.devnull).stat().st_rdev) == (before.st_ino, before.st_rdev)


class TestInputs:
    def test_an_input_is_not_overwritten(self, rows):
        before = rows.read_bytes()
        assert "is an input" in refuse("score", rows, "-m", "bleu", "-o", rows)
        assert rows.read_bytes() == before

    @pytest.mark.parametrize("how", ["symlink_to", "hardlink_to"])
    def test_nor_under_another_name(self, tmp_path, rows, how):
        other = tmp_path / "other.jsonl"
        getattr(other, how)(rows)
        before = rows.read_bytes()
        assert "is an input" in refuse("score", rows, "-m", "bleu", "-o", other)
        assert rows.read_bytes() == before

    def test_references_are_inputs_too(self, tmp_path):
        references = tmp_path / "references.json"
        references.write_text('{"1": ["a dog runs"]}')
        candidates = tmp_path / "candidates.json"
        candidates.write_text('{"1": "a dog"}')
        assert "is an input" in refuse("score", candidates, "-r", references, "-m", "bleu", "-o", references)
        assert references.read_text() == '{"1": ["a dog runs"]}'

    def test_document_frequencies_are_inputs_too(self, tmp_path):
        references = tmp_path / "references.json"
        references.write_text('{"1": ["a dog runs"]}')
        frequencies = tmp_path / "df.parquet"
        run_alone(COMMAND, "df", "build", references, "-o", frequencies)
        before = frequencies.read_bytes()
        rows = write_rows(tmp_path / "rows.jsonl", ROWS)
        assert "is an input" in refuse("score", rows, "-m", f"cider(df={frequencies})", "-o", frequencies)
        assert frequencies.read_bytes() == before

    def test_it_is_said_before_the_work(self, rows):
        with separate_inputs_and_outputs():
            check_writable(rows)
            with pytest.raises(InputError, match="is an input"), opened(rows):
                pass

    def test_programs_may_replace_what_they_read(self, rows):
        with opened(rows) as content:
            content.read()
        with atomic_path(rows) as temporary:
            temporary.write_text("new")
        assert rows.read_text() == "new"


@pytest.mark.parametrize("mode", [0o600, 0o444, 0o640, 0o664])
def test_modes_are_kept(tmp_path, mode):
    path = tmp_path / "scores.json"
    path.write_text("{}")
    path.chmod(mode)
    result = caplens.score(["a dog"], [["a dog"]], metrics="bleu")
    result.write(path)
    assert "Bleu_1" in path.read_text()
    assert stat.S_IMODE(path.stat().st_mode) == mode


def test_what_is_written_over_a_private_file_is_private_from_the_beginning(tmp_path):
    path = tmp_path / "scores.json"
    path.write_text("{}")
    path.chmod(0o600)
    with atomic_path(path) as temporary:
        assert stat.S_IMODE(temporary.stat().st_mode) == 0o600
        temporary.write_text("1")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_owners_are_kept(tmp_path):
    path = tmp_path / "scores.json"
    path.write_text("{}")
    os.chown(path, 1234, 5678)
    with atomic_path(path) as temporary:
        temporary.write_text("1")
    assert (path.stat().st_uid, path.stat().st_gid, path.read_text()) == (1234, 5678, "1")


@pytest.mark.skipif(not hasattr(os, "geteuid") or os.geteuid() != 0, reason="only root can give files away")
def test_an_owner_that_cannot_be_kept_by_a_new_file_keeps_the_old_one(tmp_path, monkeypatch):
    path = tmp_path / "scores.json"
    path.write_text("{}")
    os.chown(path, 1234, 5678)

    def forbidden(*_):
        raise PermissionError(1, "Operation not permitted")

    monkeypatch.setattr(os, "chown", forbidden)
    with atomic_path(path) as temporary:
        temporary.write_text("1")
    assert (path.stat().st_uid, path.read_text()) == (1234, "1")
    assert [file.name for file in tmp_path.iterdir()] == ["scores.json"]


@pytest.mark.parametrize("name", ["x" * 300 + ".json", "ä" * 130 + ".json", "zero\0byte.json"])
def test_a_name_that_no_file_can_have_is_said(tmp_path, rows, name):
    assert "cannot be written" in refuse("score", rows, "-m", "bleu", "-o", tmp_path / name)
    assert str(tmp_path) in refuse("score", tmp_path / name, "-m", "bleu")
    if "\0" not in name:  # which no metric string can have either
        for metric in ("cider(df={})", "wembsim_e(file={})", "critique(model={})"):
            with pytest.raises(SystemExit) as left:
                main(["score", str(rows), "-m", metric.format(tmp_path / name)])
            assert left.value.code == 2


def test_a_name_of_255_bytes_is_written(tmp_path):
    path = tmp_path / ("ä" * 125 + ".json")
    with atomic_path(path) as temporary:
        temporary.write_text("1")
    assert path.read_text() == "1"


class TestCaches:
    @pytest.mark.parametrize("ending", ["", "-journal", ".lock"])
    def test_a_pipe_in_the_place_of_the_parses_does_not_hang(self, tmp_path, ending):
        path = tmp_path / f"parses.sqlite{ending}"
        os.mkfifo(path)
        code = "import sys; from caplens.files.store import Store; s = Store(sys.argv[1]); s.put({b'1': b'2'})"
        code += "; s.get([b'1']); print(*s.notices)"
        done = run_alone(code, tmp_path / "parses.sqlite", seconds=60)
        assert (done.returncode, done.stderr) == (0, "")
        assert "is a device or a pipe" in done.stdout
        assert kind(path) == stat.S_IFIFO

    def test_a_device_in_the_place_of_the_parses_stays(self, tmp_path, full):
        link = tmp_path / "parses.sqlite"
        link.symlink_to(full)
        store = Store(link)
        store.put({b"1": b"2"})
        assert store.get([b"1"]) == {}
        assert {notice.code for notice in store.notices} == {"store-not-written", "store-not-read"}
        assert link.is_symlink()
        assert kind(full) == stat.S_IFCHR

    @pytest.mark.parametrize("ending", [".safetensors", ".lock"])
    def test_a_pipe_in_the_place_of_an_index_does_not_hang(self, tmp_path, monkeypatch, ending):
        import numpy as np

        monkeypatch.setenv("CAPLENS_CACHE", str(tmp_path))
        path = tmp_path / f"numbers{ending}"
        os.mkfifo(path)
        found = open_compiled("numbers", {}, lambda: {"numbers": np.arange(3)})
        assert found.arrays["numbers"].tolist() == [0, 1, 2]
        assert "device or a pipe" in found.notices[0].message
        assert kind(path) == stat.S_IFIFO


def test_standard_output_can_be_named(tmp_path, rows):
    target = tmp_path / "out.json"
    target.symlink_to("/dev/stdout")
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)}
    done = subprocess.run(
        [sys.executable, "-c", COMMAND, "score", rows, "-m", "bleu", "-q", "-o", target],
        stdout=subprocess.PIPE,
        check=True,
        env=environment,
    )
    assert b'"Bleu_4"' in done.stdout
    assert target.is_symlink()
