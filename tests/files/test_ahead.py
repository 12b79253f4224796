"""Files that are unpacked while something else is done."""

from __future__ import annotations

import gzip
import os

import pytest

from caplens.errors import InputError
from caplens.files import ahead
from caplens.files.ahead import read_ahead, reading_ahead, taken_ahead, unpacked
from caplens.files.opening import opened

TEXT = b"two dogs\n" * 100_000


@pytest.fixture
def packed(tmp_path):
    path = tmp_path / "captions.txt.gz"
    path.write_bytes(gzip.compress(TEXT))
    yield path
    ahead._ahead.clear()


def test_what_was_read_ahead_is_what_is_read(packed):
    with reading_ahead([packed]), opened(packed) as content:
        assert not ahead._ahead
        assert content.head == TEXT[: len(content.head)]
        assert content.read() == TEXT


def test_it_is_given_once(packed):
    read_ahead([packed, str(packed)])
    assert taken_ahead(packed) == TEXT
    assert taken_ahead(packed) is None


def test_what_nobody_opened_is_forgotten(packed):
    with reading_ahead([packed]):
        pass
    assert taken_ahead(packed) is None
    assert not ahead._ahead


def test_a_file_that_changed_is_read_again(packed):
    read_ahead([packed])
    packed.write_bytes(gzip.compress(b"one cat\n"))
    os.utime(packed, ns=(1, 1))
    with opened(packed) as content:
        assert content.read() == b"one cat\n"


@pytest.mark.parametrize("name", ["missing.gz", "plain.txt", ".", "-", "\0"])
def test_other_files_are_left_alone(tmp_path, name):
    (tmp_path / "plain.txt").write_text("a dog")
    with reading_ahead([tmp_path / name if "\0" not in name else name]):
        assert taken_ahead(tmp_path / name if "\0" not in name else name) is None


@pytest.mark.parametrize("damaged", [gzip.compress(TEXT)[:-1], gzip.compress(TEXT) + b"more", b"\x1f\x8bnothing"])
def test_damaged_files_are_refused_when_they_are_opened(tmp_path, damaged):
    path = tmp_path / "damaged.gz"
    path.write_bytes(damaged)
    assert unpacked(damaged) is None
    with reading_ahead([path]), pytest.raises(InputError, match="gzip"), opened(path) as content:
        content.read()


def test_zeros_may_follow():
    assert unpacked(gzip.compress(b"a") + bytes(512) + gzip.compress(b"b") + bytes(3)) == b"ab"


def test_bombs_are_left_to_who_opens_them(monkeypatch):
    monkeypatch.setattr(ahead, "PLENTY", 1 << 10)
    assert unpacked(gzip.compress(bytes(1 << 20))) is None


def test_marked_encodings_are_decoded(tmp_path):
    path = tmp_path / "captions.gz"
    path.write_bytes(gzip.compress("two dogs".encode("utf-16")))
    with reading_ahead([path]), opened(path) as content:
        assert content.read() == b"two dogs"


def test_the_command_line_leaves_nothing_behind(tmp_path, capsys):
    from caplens.cli import main

    for name in ("candidates", "references"):
        (tmp_path / f"{name}.txt").write_text("a dog\n")
    with pytest.raises(SystemExit):
        main(["score", str(tmp_path / "candidates.txt"), "-r", str(tmp_path / "references.txt"), "-m", "none"])
    assert not ahead._ahead
