"""The notebooks in `examples` run from start to end, and are kept with their outputs, which the site shows."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

NOTEBOOKS = sorted((Path(__file__).parents[1] / "examples").glob("*.ipynb"))
KERNEL = "own-interpreter"


@pytest.fixture
def kernel(tmp_path, monkeypatch):
    """A kernel of the interpreter that runs the tests, whatever kernels the machine has."""
    for module in ("nbclient", "ipykernel", "matplotlib", "pandas"):
        pytest.importorskip(module, reason=f"{module} is not installed (it is in the extra dev)")
    folder = tmp_path / "jupyter" / "kernels" / KERNEL
    folder.mkdir(parents=True)
    command = [sys.executable, "-m", "ipykernel_launcher", "-f", "{connection_file}"]
    (folder / "kernel.json").write_text(json.dumps({"argv": command, "display_name": KERNEL, "language": "python"}))
    monkeypatch.setenv("JUPYTER_PATH", str(tmp_path / "jupyter"))
    monkeypatch.setenv("JUPYTER_RUNTIME_DIR", str(tmp_path / "runtime"))
    monkeypatch.setenv("IPYTHONDIR", str(tmp_path / "ipython"))
    return KERNEL


def executed(path, kernel, folder):
    """Return the cells of a notebook after they ran in an empty folder."""
    import nbformat
    from nbclient import NotebookClient

    notebook = nbformat.read(path, as_version=4)
    resources = {"metadata": {"path": str(folder)}}
    return NotebookClient(notebook, timeout=120, kernel_name=kernel, resources=resources).execute().cells


def test_score_shows_tables_an_explanation_and_a_plot(kernel, tmp_path):
    (path,) = [path for path in NOTEBOOKS if path.stem == "score"]
    cells = executed(path, kernel, tmp_path)
    outputs = {cell.id: cell.outputs for cell in cells if cell.cell_type == "code"}
    shown = {name: [output.data for output in found if "data" in output] for name, found in outputs.items()}
    for name, text in (("score", "CIDEr"), ("compare", "degraded"), ("explain", "SPICE is ")):
        assert text in shown[name][-1]["text/html"]
    assert "image/png" in shown["plot"][-1]
    # Plain text is returned, not displayed beside the result.
    assert "ROUGE_L" in shown["score"][-1]["text/plain"]
    printed = [output for found in outputs.values() for output in found if output.output_type == "stream"]
    assert not [output.text for output in printed if "Warning" in output.text]


def plain(outputs):
    """Return what a cell returned as plain text, and the kinds of its outputs.

    Progress is shown where the machine is slow, as a display that is empty in the end: it does not count.
    """
    found = [(output.output_type, output.get("data", {}).get("text/plain", output.get("text"))) for output in outputs]
    return [pair for pair in found if pair != ("display_data", "<IPython.core.display.HTML object>")]


@pytest.mark.parametrize("path", [path for path in NOTEBOOKS if path.stem != "score"], ids=lambda path: path.stem)
def test_outputs_are_those_that_are_kept(path, kernel, tmp_path):
    import nbformat

    kept = nbformat.read(path, as_version=4).cells
    for before, after in zip(kept, executed(path, kernel, tmp_path), strict=True):
        if before.cell_type == "code" and before.id != "plot":
            assert plain(after.outputs) == plain(before.outputs), before.id


@pytest.mark.parametrize("path", NOTEBOOKS, ids=lambda path: path.stem)
def test_outputs_are_kept(path):
    text = path.read_text(encoding="utf-8")
    cells = [cell for cell in json.loads(text)["cells"] if cell["cell_type"] == "code"]
    assert all(cell["execution_count"] is not None for cell in cells)
    assert sum(bool(cell["outputs"]) for cell in cells) >= len(cells) / 2
    assert not [output for cell in cells for output in cell["outputs"] if output["output_type"] == "error"]
    assert "/site-packages/" not in text, "a path of the machine on which it ran"
