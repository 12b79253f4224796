"""Run the notebooks of this folder and keep their outputs, as they are committed.

python examples/execute.py [NOTEBOOK ...]
"""

from __future__ import annotations

import sys
import tempfile
from pathlib import Path

import nbformat
from nbclient import NotebookClient


def main() -> None:
    """Run the notebooks named, or all."""
    folder = Path(__file__).parent
    for path in [Path(name) for name in sys.argv[1:]] or sorted(folder.glob("*.ipynb")):
        notebook = nbformat.read(path, as_version=4)
        with tempfile.TemporaryDirectory() as empty:
            NotebookClient(
                notebook, timeout=300, kernel_name="python3", resources={"metadata": {"path": empty}}
            ).execute()
        for cell in notebook.cells:
            cell.metadata.pop("execution", None)  # times, which differ from run to run
        notebook.metadata = {"kernelspec": {"display_name": "Python 3", "language": "python", "name": "python3"}}
        nbformat.write(notebook, path)
        print(path.name)


if __name__ == "__main__":
    main()
