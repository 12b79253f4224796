"""The scripts of pages, in Node: their own tests, fed with what Python makes."""

from __future__ import annotations

import json
import random
import shutil
import subprocess
from dataclasses import asdict
from pathlib import Path

import pytest
from tests.browser import missing
from tests.conftest import needs_meteor
from tests.report.conftest import HOSTILE

import caplens
from caplens.output.scene.layout import Arrow, Size, lay_out
from caplens.report.assets import STATIC, bundled
from caplens.report.packing import Packer, deflated

SCRIPTS = Path(__file__).parent / "scripts"
CAPTIONS = ["a man rides two brown horses on the beach", "", *HOSTILE.values()]


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    """A folder of modules with the tests and their data."""
    place = tmp_path_factory.mktemp("scripts")
    for path in (*STATIC.glob("*.js"), *SCRIPTS.iterdir()):
        shutil.copy(path, place)
    (place / "package.json").write_text('{"type": "module"}')
    (place / "layouts.json").write_text(json.dumps([random_layout(random.Random(seed)) for seed in range(150)]))
    (place / "explanations.json").write_text(json.dumps(some_explanations()))
    return place


def random_layout(chance: random.Random) -> dict:
    boxes = [Size(chance.randint(30, 150), 15, chance.choice([15, 39])) for _ in range(chance.randint(1, 9))]
    arrows = [
        Arrow(chance.randrange(len(boxes)), chance.randrange(len(boxes)), Size(chance.randint(20, 90), 7, 7))
        for _ in range(chance.randint(0, 12))
    ]
    layout = lay_out(boxes, arrows)
    return {"boxes": list(map(asdict, boxes)), "arrows": list(map(asdict, arrows)), "layout": asdict(layout)}


def some_explanations() -> dict:
    """Pack explanations by every kind of metric; what is compared has as many digits as are shown."""
    packer = Packer()
    references = ["a person on a horse at the shore", "horses with riders"]
    found = [
        caplens.explain(caption[:300], references, metric)
        for caption in CAPTIONS
        for metric in ("bleu", "rouge", "cider", "spice", "wmd", "critique", "meteor")
        if metric != "meteor" or not needs_meteor.args[0]
    ]
    packed = [packer.pack(each) for each in found]
    wanted = [rounded(each.to_dict()) for each in found]
    return {"chunk": deflated({"templates": packer.templates, "packed": packed}), "explanations": wanted}


def rounded(data):
    if isinstance(data, dict):
        return {key: rounded(value) for key, value in data.items()}
    if isinstance(data, list | tuple):
        return [rounded(value) for value in data]
    return round(data, 4) + 0.0 if isinstance(data, float) else data  # no negative zero


@pytest.mark.parametrize("name", sorted(path.name for path in SCRIPTS.glob("*.mjs")))
def test_the_tests_of_scripts_pass(folder, name):
    node = shutil.which("node")
    if node is None:
        missing("there is no Node here to test scripts with: apt-get install nodejs")
    done = subprocess.run([node, "--test", name], cwd=folder, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout[-3000:] + done.stderr[-1000:]


@pytest.mark.parametrize("name", ["main.js", "explain.js", "study.js"])
def test_bundles_need_nothing_else(name):
    code = bundled(name)
    assert "import " not in code.replace("// ", "")
    assert "\nexport " not in code
    assert "</script" not in code.lower()


def test_scripts_make_no_markup_from_text():
    for path in STATIC.glob("*.js"):
        text = path.read_text()
        for word in ("innerHTML", "outerHTML", "insertAdjacentHTML", "document.write", "eval(", "new Function"):
            assert word not in text, (path.name, word)
