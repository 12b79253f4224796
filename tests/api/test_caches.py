"""What is kept on the disk: shown with sizes, removed where caplens can make it again, and nothing else."""

from __future__ import annotations

import threading

import pytest

from caplens.api.caches import clear, kept_files
from caplens.files.cache import open_compiled
from caplens.scenegraph.parser.cache import FILE, parse_store


@pytest.fixture
def folder(tmp_path, monkeypatch):
    import numpy as np

    for name in ("cache", "vectors", "packs"):
        monkeypatch.setenv(f"CAPLENS_{name.upper()}", str(tmp_path / name))
        (tmp_path / name).mkdir()
    open_compiled("meteor-english-2", {"version": "1"}, lambda: {"numbers": np.arange(9)})
    (tmp_path / "cache" / "mine.safetensors").write_bytes(b"not caplens' own")
    (tmp_path / "vectors" / "glove.vectors.safetensors").write_bytes(b"vectors")
    (tmp_path / "packs" / "mine.pack.safetensors").write_bytes(b"pack")
    parse_store(tmp_path / "parses").put({b"key": b"value"})
    return tmp_path


def test_everything_is_listed_and_parses_where_they_are_named(folder):
    names = [each.path.name for each in kept_files()]
    assert "meteor-english-2.safetensors" in names
    assert "mine.pack.safetensors" in names
    assert not {"mine.safetensors", FILE} & set(names)
    named = {each.path.name: each for each in kept_files(folder / "parses")}
    assert named[FILE].size == (folder / "parses" / FILE).stat().st_size > 0


def test_imports_and_strange_files_stay(folder):
    assert [each.kind for each in clear()] == ["cache"]
    assert (folder / "cache" / "mine.safetensors").exists()
    assert (folder / "packs" / "mine.pack.safetensors").exists()
    assert (folder / "parses" / FILE).exists()
    assert [each.path.name for each in clear(folder / "parses")] == [FILE]
    assert list(clear(folder / "parses")) == []
    assert parse_store(folder / "parses").get([b"key"]) == {}


def test_while_others_write_nothing_is_damaged(folder):
    store = parse_store(folder / "parses")
    done = threading.Event()

    def write():
        number = 0
        while not done.is_set():
            store.put({number.to_bytes(4, "big"): b"value"})
            number += 1

    writer = threading.Thread(target=write)
    writer.start()
    try:
        for _ in range(5):
            list(clear(folder / "parses"))
    finally:
        done.set()
        writer.join()
    assert store.notices == ()
