"""Reading the real files in ../shared/data, where they are."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from caplens.corpus import CaptionTable
from caplens.readers import read, read_references

DATA = Path(__file__).resolve().parents[2].parent / "shared" / "data"


def shared(name: str) -> Path:
    path = DATA / name
    if not path.exists():
        pytest.skip(f"{path} is not here")
    return path


def test_all_captions_of_coco_val2014():
    table = read(shared("coco_val2014/captions_val2014.json.gz"))
    assert isinstance(table, CaptionTable)
    assert (len(table.ids), len(set(table.ids))) == (202_654, 40_504)
    assert all(type(caption) is str for caption in table.captions)


def test_results_of_a_system():
    table = read(shared("coco_val2014/systems/dai2017.json.gz"))
    assert len(set(table.ids)) == len(table.captions) == 40_504
    assert (table.ids[0], table.captions[0]) == (391895, "a man riding a really bicycle on a dirt road")


def test_a_mapping_with_31014_images():
    table = read_references([shared("flickr30k/captions.json.gz")])
    assert len(set(table.ids)) == 31_014
    assert len(table.captions) == 5 * 31_014


def test_a_table():
    table = read(shared("composite_sample/composite_correctness.csv"))
    assert table.ids[:2] == ["2613889835", "1446053356_a924b4893f"]


def test_importing_the_readers_does_not_import_arrow():
    program = "import sys, caplens.readers; sys.exit('pyarrow' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0
