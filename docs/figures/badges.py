"""Draw the badges of the README from pyproject.toml, so that they say what is true; no other host is asked.

python docs/figures/badges.py
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

FOLDER = Path(__file__).parent
LETTER, PADDING, HEIGHT = 6.6, 7, 20


def badge(left: str, right: str, colour: str) -> str:
    """Return a badge as SVG."""
    widths = [round(len(text) * LETTER + 2 * PADDING) for text in (left, right)]
    total = sum(widths)
    texts = "".join(
        f'<text x="{start + width / 2}" y="14" text-anchor="middle">{text}</text>'
        for text, start, width in ((left, 0, widths[0]), (right, widths[0], widths[1]))
    )
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{total}" height="{HEIGHT}" role="img" '
        f'aria-label="{left}: {right}"><clipPath id="r"><rect width="{total}" height="{HEIGHT}" rx="4"/></clipPath>'
        f'<g clip-path="url(#r)"><rect width="{widths[0]}" height="{HEIGHT}" fill="#4a5464"/>'
        f'<rect x="{widths[0]}" width="{widths[1]}" height="{HEIGHT}" fill="{colour}"/></g>'
        f'<g fill="#fff" font-family="Verdana, DejaVu Sans, sans-serif" font-size="11">{texts}</g></svg>\n'
    )


def badges() -> dict[str, str]:
    """Return the badges by file name."""
    project = tomllib.loads((FOLDER.parents[1] / "pyproject.toml").read_text(encoding="utf-8"))
    minors = sorted(
        int(found[1])
        for line in project["project"]["classifiers"]
        if (found := re.fullmatch(r"Programming Language :: Python :: 3\.(\d+)", line))
    )
    strict = "mypy strict" if project["tool"]["mypy"]["strict"] else "mypy"
    return {
        "python.svg": badge("python", f"3.{minors[0]} - 3.{minors[-1]}", "#0f8f77"),
        "licence.svg": badge("licence", project["project"]["license"], "#0f8f77"),
        "types.svg": badge("types", strict, "#0f8f77"),
    }


def main() -> None:
    """Write the badges beside this file."""
    for name, drawing in badges().items():
        (FOLDER / name).write_text(drawing, encoding="utf-8")


if __name__ == "__main__":
    main()
