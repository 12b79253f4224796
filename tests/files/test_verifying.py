"""Hashes of files: those of large files are remembered by size and time."""

from __future__ import annotations

import os

from caplens.files import verifying
from caplens.files.verifying import content_hash, is_verified, verifying_everything


def test_the_hash_of_a_large_file_is_remembered(tmp_path, monkeypatch):
    monkeypatch.setenv("CAPLENS_CACHE", str(tmp_path / "cache"))
    monkeypatch.setattr(verifying, "LARGE", 10)
    path = tmp_path / "large"
    path.write_bytes(b"a" * 100)
    os.utime(path, ns=(1, 1))
    first = content_hash(path)
    path.write_bytes(b"b" * 100)
    os.utime(path, ns=(1, 1))
    assert content_hash(path) == first  # size and time are as they were
    with verifying_everything():
        assert content_hash(path) != first
    path.write_bytes(b"c" * 100)
    assert content_hash(path) != first


def test_small_files_are_read_each_time(tmp_path):
    path = tmp_path / "small"
    path.write_bytes(b"a")
    os.utime(path, ns=(1, 1))
    first = content_hash(path)
    path.write_bytes(b"b")
    os.utime(path, ns=(1, 1))
    assert content_hash(path) != first


def test_small_files_do_not_ask_for_the_cache(tmp_path, monkeypatch):
    def no_cache():
        raise AssertionError("the cache was asked for")

    monkeypatch.setattr(verifying, "cache_directory", no_cache)
    path = tmp_path / "small"
    path.write_bytes(b"a")
    assert content_hash(path)
    assert is_verified(path, "0", lambda: True)
