"""What is loaded when: seen from outside, in a fresh interpreter."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

import caplens

CAPLENS = str(Path(sys.executable).with_name("caplens"))
SCIPY = re.compile(r"^\s*(from|import) scipy", re.MULTILINE)
HEAVY = {"numpy", "scipy", "pyarrow", "pandas", "rich", "typer", "msgspec", "click", "Stemmer", "torch"}
REPORT = """
def report():
    import json, sys
    sys.stderr.write("LOADED" + json.dumps(sorted({name.split(".")[0] for name in sys.modules})))
"""


def loaded_by(code, *arguments):
    """Run code in a fresh interpreter; return the top-level packages that were loaded."""
    script = f"import atexit\n{REPORT}\natexit.register(report)\n{code}"
    run = subprocess.run([sys.executable, "-c", script, *arguments], capture_output=True, text=True, check=True)
    return set(json.loads(run.stderr.rpartition("LOADED")[2]))


def command(*arguments):
    return loaded_by("from caplens.cli import main; main()", *arguments)


@pytest.fixture
def rows(tmp_path):
    path = tmp_path / "rows.jsonl"
    path.write_text('{"id": 1, "candidate": "a dog", "references": ["a dog runs"]}\n')
    return str(path)


def test_import_caplens_loads_nothing_heavy():
    assert not loaded_by("import caplens") & HEAVY


def test_looking_around_loads_nothing_heavy():
    assert not loaded_by("import caplens; dir(caplens); caplens.InputError; caplens.__version__") & HEAVY


def test_only_matlab_files_need_scipy():
    """It was 143 MB of the default install, so a module that comes back to it fails here."""
    source = Path(caplens.__file__).parent
    users = {path.name for path in source.rglob("*.py") if SCIPY.search(path.read_text(encoding="utf-8"))}
    assert users == {"triplets.py"}


def test_every_public_name_is_there():
    missing = [name for name in caplens.__all__ if not hasattr(caplens, name)]
    assert missing == []
    assert caplens.__all__ == sorted(caplens.__all__)
    with pytest.raises(AttributeError, match="no attribute 'scores'"):
        _ = caplens.scores


@pytest.mark.parametrize(
    "arguments", [["--help"], ["--version"], [], ["score", "--help"], ["df", "--help"], ["meta", "--help"]]
)
def test_help_loads_no_arrays(arguments):
    assert not command(*arguments) & {"numpy", "scipy", "pyarrow", "pandas", "msgspec", "torch"}


def test_streams_and_shards_load_no_pandas(rows, tmp_path):
    """pyarrow loads it to look at what becomes an array, if it is installed."""
    loaded = command("score", rows, "-m", "rouge", "--stream", "-o", str(tmp_path / "scores"))
    assert "pyarrow" in loaded
    assert "pandas" not in loaded
    assert "pandas" not in command("merge", str(tmp_path / "scores"), "-o", str(tmp_path / "scores.parquet"))


def test_scoring_json_loads_neither_scipy_nor_arrow_nor_pandas(rows, tmp_path):
    out = str(tmp_path / "out.json")
    loaded = command("score", rows, "-m", "bleu, rouge, cider", "-o", out)
    assert "numpy" in loaded
    assert not loaded & {"scipy", "pyarrow", "pandas", "torch", "Stemmer"}


def test_scoring_in_python_loads_neither_scipy_nor_arrow_nor_the_command_line():
    code = "import caplens; caplens.score(['a'], [['a']], 'bleu, rouge, cider')['CIDEr'].interval"
    assert not loaded_by(code) & {"scipy", "pyarrow", "pandas", "torch", "rich", "typer", "click"}


def test_the_module_runs_like_the_command():
    outputs = [
        subprocess.run([*start, "--version"], capture_output=True, text=True, check=True).stdout
        for start in ([CAPLENS], [sys.executable, "-m", "caplens"])
    ]
    assert outputs[0] == outputs[1] != ""
