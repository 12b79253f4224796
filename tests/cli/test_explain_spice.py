"""`caplens explain -m spice`: tables at the terminal, data and drawings in files."""

from __future__ import annotations

import json
import os
import subprocess
from xml.etree import ElementTree as ET

import pytest
from tests.command_line import CAPLENS, refuse, succeed

ARGUMENTS = ["explain", "a brown dog", "--reference", "a black dog on a table", "-m", "spice"]


def test_tables():
    text = succeed(*ARGUMENTS)
    lines = [" ".join(line.split()) for line in text.splitlines()]
    assert any(line.startswith("✓ matched dog") for line in lines)
    assert any(line.startswith("✗ in no reference dog - brown") for line in lines)
    assert any(line.startswith("○ missed dog - black") for line in lines)
    assert "SPICE_Color" in text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1"])
def test_a_poor_locale_costs_no_sign(encoding):
    environment = {**os.environ, "PYTHONIOENCODING": encoding}
    done = subprocess.run([CAPLENS, *ARGUMENTS], env=environment, capture_output=True, check=True)
    text = done.stdout.decode("ascii")
    assert "+ matched" in text
    assert "x in no reference" in text
    assert "o missed" in text


def test_data(tmp_path):
    out = tmp_path / "why.json"
    succeed(*ARGUMENTS, "-o", out)
    (data,) = json.loads(out.read_text())["explanations"]
    assert data["scores"]["SPICE_Size"] is None
    assert data["sections"][-1]["kind"] == "scene_graphs"


@pytest.mark.parametrize("metrics", ["spice", "spider", "bleu, spice"])
def test_drawing(tmp_path, metrics):
    out = tmp_path / "graphs.svg"
    assert succeed(*ARGUMENTS[:-1], metrics, "-o", out)
    root = ET.fromstring(out.read_text(encoding="utf-8"))
    assert "brown" in {element.text for element in root.iter("{http://www.w3.org/2000/svg}text")}


def test_parses_are_kept(tmp_path):
    folder = tmp_path / "parses"
    first = succeed(*ARGUMENTS, "--parses", folder)
    assert list(folder.iterdir())
    assert succeed(*ARGUMENTS, "--parses", folder) == first


@pytest.mark.parametrize(
    ("output", "metrics", "words"),
    [
        (
            "why.svg",
            "rouge",
            "A drawing (.svg) shows the scene graphs or word costs of one metric, such as -m spice, but rouge has",
        ),
        ("why.svg", "spice, spider", "but spice, spider has 2 drawings."),
        ("why.csv", "spice", "'why.csv' cannot be written: its name must end in .json or .svg or .html."),
        ("nowhere/why.svg", "spice", "nowhere/why.svg cannot be written: there is no folder nowhere."),
    ],
)
def test_mistakes_are_said_in_one_sentence(tmp_path, output, metrics, words):
    assert words in refuse(*ARGUMENTS[:-1], metrics, "-o", output, folder=tmp_path)
    assert list(tmp_path.iterdir()) == []
