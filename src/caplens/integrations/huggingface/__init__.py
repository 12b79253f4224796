"""A module for Hugging Face `evaluate` that is loaded from this package, without the hub."""

from __future__ import annotations

from pathlib import Path


def module_path() -> str:
    """Return the path to pass to `evaluate.load`.

    Examples
    --------
    >>> Path(module_path()).name
    'caplens_captions.py'
    """
    return str(Path(__file__).parent / "caplens_captions.py")
