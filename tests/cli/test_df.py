"""Document frequencies by name: built, listed, used, removed."""

from __future__ import annotations

import json

import pytest
from tests.command_line import refuse, succeed

import caplens
from caplens.metrics.cider import library

REFERENCES = {str(image): [f"a dog number {image}", "a dog runs"] for image in range(3)}


@pytest.fixture(autouse=True)
def folder(monkeypatch, tmp_path):
    monkeypatch.setenv(library.VARIABLE, str(tmp_path / "named"))
    return tmp_path / "named"


@pytest.fixture
def references(tmp_path):
    path = tmp_path / "references.json"
    path.write_text(json.dumps(REFERENCES))
    return path


@pytest.mark.filterwarnings("ignore::caplens.CaplensWarning")
def test_built_by_name_listed_used_and_removed(references, folder, tmp_path):
    said = succeed("df", "build", references, "--name", "mine")
    assert said == f"mine ({folder / 'mine.df.safetensors'}): 9 n-grams of 3 documents\n"
    succeed("df", "build", references, "-o", tmp_path / "df.parquet", "-q")
    by_name, by_file = (
        caplens.score(["a dog runs"], [["a dog runs"]], f"cider(df={df})")["CIDEr"]
        for df in ("mine", tmp_path / "df.parquet")
    )
    assert by_name.score == by_file.score
    (entry,) = [entry for entry in library.entries() if entry.name == "mine"]
    assert (entry.documents, entry.ngrams, entry.rules, entry.fault) == (3, 9, "ptb, n=4", None)
    assert f"df:{entry.fingerprint}" in by_name.signature
    listed = succeed("df", "list")
    assert "mine" in listed
    assert "coco-val2014" in listed
    assert "40,504" in listed
    assert succeed("df", "build", references, "--name", "mine", "--stem", "-q") == ""  # a second time
    assert library.load_named("mine").words.stem
    succeed("df", "remove", "mine")
    assert "named 'mine'; named ones: none" in refuse("df", "remove", "mine")


def test_mistakes(references, folder, tmp_path):
    assert "either -o OUT or --name NAME" in refuse("df", "build", references)
    both = refuse("df", "build", references, "--name", "x", "-o", tmp_path / "x.parquet")
    assert "either -o OUT or --name NAME" in both
    assert "ship with caplens: choose another name" in refuse("df", "build", references, "--name", "coco-val2014")
    assert "cannot be the name of document frequencies" in refuse("df", "build", references, "--name", "../x")
    assert "cannot be the name of document frequencies" in refuse("df", "build", references, "--name", "corpus")
    folder.write_text("a file")
    assert "set CAPLENS_DF to another folder" in refuse("df", "build", references, "--name", "x")


def test_a_damaged_file_is_listed_with_its_fault(folder):
    folder.mkdir()
    (folder / "broken.df.safetensors").write_bytes(b"nothing")
    (entry,) = [entry for entry in library.entries() if entry.name == "broken"]
    assert "is not a file of document frequencies" in entry.fault
    assert "broken" in succeed("df", "list")


def test_a_file_of_that_name_comes_first(references, folder, tmp_path, monkeypatch):
    succeed("df", "build", references, "--name", "mine.parquet", "-q")
    monkeypatch.chdir(tmp_path)
    assert library.load_named("mine.parquet").documents == 3
    succeed("df", "build", references, "-o", tmp_path / "mine.parquet", "--stem", "-q")
    assert library.load_named("mine.parquet").words.stem
