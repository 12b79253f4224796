"""Where the original looks for document frequencies."""

from __future__ import annotations

from pathlib import Path

DATA = "data"
"""The folder in which the original looks for files by name, relative to where a script runs."""


def find(name: str) -> Path:
    """Return the file that ``df=name`` means: ``data/NAME.p``, or a path.

    Examples
    --------
    >>> find("coco-train-idxs").as_posix()
    'data/coco-train-idxs.p'
    """
    usual = Path(DATA, f"{name}.p")
    given = Path(name)
    return given if not usual.is_file() and given.is_file() else usual
