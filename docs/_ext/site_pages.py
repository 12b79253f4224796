"""Pages that are written from the code: one per metric, one per command. They are made anew by every build."""

from __future__ import annotations

import warnings
from pathlib import Path
from typing import Any

from command_pages import command_page, command_pages
from metric_pages import metric_index, metric_page
from sphinx.application import Sphinx
from sphinx.util import logging

import caplens
from caplens.core.registry import names

_log = logging.getLogger(__name__)


def _write(path: Path, text: str) -> None:
    """Write a page unless it is there already, so that Sphinx reads only what changed."""
    if not path.is_file() or path.read_text(encoding="utf-8") != text:
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(text, encoding="utf-8")


def _generate(app: Sphinx) -> None:
    folder = Path(app.srcdir, "reference")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", caplens.CaplensWarning)
        pages = {folder / "metrics" / f"{name}.md": metric_page(name, Path(app.srcdir)) for name in names()}
    pages[folder / "metrics" / "index.md"] = metric_index()
    commands = command_pages()
    pages |= {folder / "commands" / f"{path.replace(' ', '_')}.md": command_page(path) for path in commands}
    for path in Path(app.srcdir).parent.glob("examples/*.ipynb"):  # Sphinx reads only what is below its folder
        pages[Path(app.srcdir, "examples", path.name)] = path.read_text(encoding="utf-8")
    for path, text in pages.items():
        _write(path, text)
    for path in [*folder.glob("metrics/*.md"), *folder.glob("commands/*.md"), *Path(app.srcdir).glob("examples/*")]:
        if path not in pages and path != folder / "commands" / "index.md":
            path.unlink()  # of a metric or a command that is gone


def _check_names(app: Sphinx, environment: Any) -> None:  # noqa: ANN401 (Sphinx's environment)
    """Every public name must be on a page of the reference."""
    documented = environment.get_domain("py").objects
    for name in caplens.__all__:
        if name != "__version__" and f"caplens.{name}" not in documented:
            _log.warning("caplens.%s is public, but no page of docs/reference documents it", name)


def setup(app: Sphinx) -> dict[str, Any]:
    """Write the pages before Sphinx looks for files."""
    app.connect("builder-inited", _generate)
    app.connect("env-check-consistency", _check_names)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
