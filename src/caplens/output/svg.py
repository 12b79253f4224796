"""Elements of drawings (SVG) and text whose font is not known: what all drawings of explanations share."""

from __future__ import annotations

import unicodedata
from collections.abc import Iterable
from xml.sax.saxutils import escape, quoteattr

FONT = "Helvetica, Arial, 'Liberation Sans', 'DejaVu Sans', sans-serif"
MOST_LETTERS = 40


def document(parts: Iterable[str], width: float, height: float, title: str, description: str) -> str:
    """Return a drawing that needs nothing else; its title and description are for those who do not see it."""
    width, height = round(width), round(height)
    head = (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" viewBox="0 0 {width} {height}" '
        f'role="img" aria-label={quoteattr(title)} font-family="{FONT}">'
    )
    background = f'<rect width="{width}" height="{height}" fill="#FFFFFF"/>'
    described = (f"<title>{escape(drawable(title))}</title>", f"<desc>{escape(drawable(description))}</desc>")
    return "\n".join((head, *described, background, *parts, "</svg>")) + "\n"


def text_element(x: float, y: float, text: str, size: float, color: str, weight: str, anchor: str = "middle") -> str:
    """Return a line of text whose middle, or beginning, is at a point."""
    return (
        f'<text x="{x:.1f}" y="{y:.1f}" font-size="{size:g}" font-weight="{weight}" text-anchor="{anchor}" '
        f'fill="{color}">{escape(drawable(text))}</text>'
    )


_NARROW, _SLIM, _WIDE = "ijl.,:;'|!()[] ", 'frt-/"*', "mwMW@%"


def text_width(text: str, size: float) -> float:
    """Return how wide a line is at most: fonts differ, so the letters of a wide one (DejaVu Sans, bold) are taken."""
    return size * sum(_letter_width(letter) for letter in text)


def _letter_width(letter: str) -> float:
    if letter in _NARROW:
        return 0.36
    if letter in _SLIM:
        return 0.46
    if letter in _WIDE:
        return 0.98
    if unicodedata.east_asian_width(letter) in "WF":
        return 1.05
    if unicodedata.combining(letter):
        return 0.0
    return 0.8 if letter.isupper() else 0.68


def wrapped(name: str, size: float, widest: float, most: int = MOST_LETTERS) -> list[str]:
    """Break a name into lines behind slashes and spaces; lines that are still too wide have ``most`` letters.

    Examples
    --------
    >>> wrapped("baby/child/infant/person/somebody", 14, 150)
    ['baby/child/infant/', 'person/somebody']
    """
    lines = [""]
    for piece in name.replace("/", "/\0").replace(" ", " \0").split("\0"):
        if lines[-1] and text_width((lines[-1] + piece).rstrip(), size) > widest:
            lines.append("")
        lines[-1] += piece
    lines = [line.rstrip() for line in lines]
    return [line if text_width(line, size) <= widest else shortened(line, most) for line in lines]


def shortened(text: str, most: int = MOST_LETTERS) -> str:
    """Return at most so many letters of a text."""
    return text if len(text) <= most else f"{text[: most - 1]}…"


def drawable(text: str) -> str:
    """Leave out control characters, which XML cannot hold."""
    return "".join(letter for letter in text if unicodedata.category(letter) not in {"Cc", "Cs", "Cn"})
