"""Settings that many calls share, checked."""

from __future__ import annotations

import os
from operator import index
from pathlib import Path
from typing import SupportsIndex, TypedDict

from caplens.errors import UsageError
from caplens.files.paths import exists, is_folder


class Settings(TypedDict, total=False):
    """Settings of `caplens.Evaluator` that functions above it pass on."""

    jobs: int | None
    parses: str | os.PathLike[str] | None
    max_words: int
    seed: int
    progress: bool | None


def check_settings(function: str, settings: Settings) -> None:
    """Refuse names that are no settings, as Python does for arguments.

    Examples
    --------
    >>> check_settings("score", {"sed": 1})
    Traceback (most recent call last):
        ...
    TypeError: score() got an unexpected keyword argument 'sed'
    """
    unknown = next((name for name in settings if name not in Settings.__annotations__), None)
    if unknown is not None:
        raise TypeError(f"{function}() got an unexpected keyword argument {unknown!r}")


def check_at_least(least: int, **numbers: object) -> None:
    """Refuse what is no whole number, and numbers too small or too large for 63 bits; None stands for a default."""
    for name, number in numbers.items():
        if number is None:
            continue
        if not isinstance(number, SupportsIndex):
            raise UsageError(f"`{name}` must be a whole number, not {number!r} ({type(number).__name__}).")
        if not least <= index(number) < 1 << 63:
            raise UsageError(f"`{name}` must be at least {least} and less than 2**63, not {number}.")


def parses_folder(parses: str | os.PathLike[str] | None) -> Path | None:
    """Return the folder that a user named for parses; it need not exist.

    Examples
    --------
    >>> parses_folder("parses").name
    'parses'
    """
    if parses is None:
        return None
    try:
        folder = Path(parses).expanduser()
    except RuntimeError as error:
        raise UsageError(
            f"The folder of parses {os.fspath(parses)} cannot be found: there is no such home directory."
        ) from error
    if exists(folder) and not is_folder(folder):
        raise UsageError(
            f"The parse folder {folder} is a file: specify a folder, which is created if it does not exist."
        )
    return folder
