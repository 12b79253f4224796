"""Scripts and styles of pages: files of their own, linked by a server or put into a page that needs nothing else."""

from __future__ import annotations

import hashlib
import re
from base64 import b64encode
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from pathlib import Path

STATIC = Path(__file__).parent / "static"
"""The folder of scripts (ES modules that import each other by ``./name.js``) and styles."""
STYLES = ("theme.css", "explanation.css", "report.css")

_IMPORT = re.compile(r'^import \{ ([^}]+) \} from "\./([\w-]+)\.js";$', re.MULTILINE)
_EXPORT = re.compile(r"^export ((?:async )?(?:function|class|const) (\w+))", re.MULTILINE)


@dataclass(frozen=True)
class Style:
    """A style sheet."""

    name: str
    content: str


@cache
def styles() -> tuple[Style, ...]:
    """Return the style sheets of pages, in order."""
    return tuple(Style(name, _read(name)) for name in STYLES)


@cache
def bundled(name: str) -> str:
    """Return a script with all that it imports as one module: each file is a function, so that names stay its own.

    Examples
    --------
    >>> "import {" in bundled("main.js")
    False
    """
    order: dict[str, str] = {}
    _visit(Path(name).stem, order)
    return "\n".join(order.values())


def _visit(module: str, order: dict[str, str]) -> None:
    text = _read(f"{module}.js")
    for _, imported in _IMPORT.findall(text):
        if imported not in order:
            _visit(imported, order)
    names = [exported for _, exported in _EXPORT.findall(text)]
    body = _EXPORT.sub(r"\1", _IMPORT.sub(lambda found: f"const {{ {found[1]} }} = {_scope(found[2])};", text))
    order[module] = f"const {_scope(module)} = (() => {{\n{body}return {{ {', '.join(names)} }};\n}})();"


def _scope(module: str) -> str:
    return f"module_{module.replace('-', '_')}"


def _read(name: str) -> str:
    return (STATIC / name).read_text(encoding="utf-8")


def policy(code: str, pictures: bool, drawings: bool = False) -> str:
    """Return the rules that a browser keeps: only our own script and styles run, and nothing is fetched.

    With ``pictures`` these may be loaded, from wherever the user said; with ``drawings`` styles may stand in elements,
    as in the figures of matplotlib.
    """
    sheets = "'unsafe-inline'" if drawings else " ".join(_hash(style.content) for style in styles())
    images = "img-src data: file: http: https:" if pictures else "img-src data:"
    own = f"script-src {_hash(code)}; style-src {sheets}"
    return f"default-src 'none'; {own}; {images}; base-uri 'none'; form-action 'none'"


def _hash(content: str) -> str:
    return f"'sha256-{b64encode(hashlib.sha256(content.encode()).digest()).decode()}'"


def files() -> Iterable[Path]:
    """Return all scripts and styles."""
    return sorted(STATIC.iterdir())
