"""What every training needs before it begins: torch, a folder to write to, lists of images."""

from __future__ import annotations

import os
from importlib.util import find_spec
from pathlib import Path

from caplens.errors import InputError, MissingDataError, reason_of


def check_torch() -> None:
    """Refuse to train where torch is missing."""
    if find_spec("torch") is None:
        raise MissingDataError('Training needs torch: pip install "caplens[train]".')


def make_folder(folder: str | os.PathLike[str]) -> Path:
    """Make a folder, or say why it cannot be made."""
    made = Path(folder)
    try:
        made.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise InputError(f"The folder {folder} cannot be created: {reason_of(error)}.") from error
    return made


def read_ids(path: str | os.PathLike[str]) -> frozenset[str]:
    """Read image ids, one a line."""
    try:
        return frozenset(Path(path).read_text(encoding="utf-8").split())
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} cannot be read as a list of image ids: {reason_of(error)}.") from error
