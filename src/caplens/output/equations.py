"""Equations of docstrings as text for a terminal."""

from __future__ import annotations

import re

_SIGNS = {
    "sum": "Σ",
    "prod": "Π",
    "in": "∈",
    "cdot": "·",
    "otimes": "⊗",
    "ge": "≥",
    "le": "≤",
    "mid": "|",
    "dots": "...",
    "alpha": "α",
    "beta": "β",
    "gamma": "γ",
    "delta": "δ",
    "sigma": "σ",
    "Theta": "Θ",
    "lVert": "‖",
    "rVert": "‖",
    "quad": "  ",
    "qquad": "    ",
    **dict.fromkeys(("left", "right", "big", "Big"), ""),
}
_WORD = re.compile(r"\\(?:mathrm|text|operatorname)\{((?:[^{}]|\{[^{}]*\})*)\}")
_COMMAND = re.compile(r"\\([A-Za-z]+) ?")
_SMALL = re.compile(r"([_^])\{([^{}]*)\}")
_SIMPLE = re.compile(r"[\w.|‖()]+")


def readable(latex: str) -> str:
    r"""Return an equation in LaTeX as one line of text.

    Examples
    --------
    >>> readable(r"\mathrm{SPICE} = \frac{2 P R}{P + R}")
    'SPICE = (2 P R) / (P + R)'
    >>> readable(r"\sum_{i=1}^{n} w_i\, m_i(c)")
    'Σ_(i=1)^n w_i m_i(c)'
    """
    text = " ".join(latex.split())
    while _WORD.search(text):
        text = _WORD.sub(r"\1", text)
    text = text.replace(r"\Big/", "/").replace(r"\,", " ").replace(r"\ ", "  ")
    text = _fractions(text)
    text = _COMMAND.sub(lambda found: _sign(found[1], found[0]), text)
    text = _SMALL.sub(lambda found: f"{found[1]}{_grouped(found[2])}", text)
    return re.sub(r" +([,)])", r"\1", re.sub(r"(?<=\S) {3,}", "   ", text)).replace("( ", "(").strip()


def _sign(name: str, written: str) -> str:
    """Return what stands for a command; the space behind a name of a function stays."""
    found = _SIGNS.get(name)
    if found is None:
        return f"{name} " if written.endswith(" ") else name
    return f"{found} " if written.endswith(" ") and found.strip() else found


def _fractions(text: str) -> str:
    while (start := text.find(r"\frac")) >= 0:
        above, end = _braced(text, start + len(r"\frac"))
        below, end = _braced(text, end)
        text = f"{text[:start]}{_grouped(_fractions(above))} / {_grouped(_fractions(below))}{text[end:]}"
    return text


def _braced(text: str, start: int) -> tuple[str, int]:
    """Return what the next pair of braces holds, and where it ends."""
    first = text.index("{", start)
    depth = 0
    for place in range(first, len(text)):
        depth += {"{": 1, "}": -1}.get(text[place], 0)
        if depth == 0:
            return text[first + 1 : place], place + 1
    raise ValueError(f"a brace is never closed: {text!r}")


def _grouped(text: str) -> str:
    return text if _SIMPLE.fullmatch(text) else f"({text})"
