"""The folders of the user's in which caplens keeps things."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

VARIABLE = "CAPLENS_CACHE"
"""The environment variable that names another folder for the cache."""


def cache_directory() -> Path:
    """Return the folder for compiled files: ``$CAPLENS_CACHE``, or the platform's folder for caches.

    It need not exist. Without a home directory to be found the path still begins with ``~``.
    """

    def usual() -> str:
        from platformdirs import user_cache_dir

        return user_cache_dir("caplens", appauthor=False)

    return user_directory(VARIABLE, usual, "~/.cache/caplens")


def user_directory(variable: str, usual: Callable[[], str], homeless: str) -> Path:
    """Return a folder of the user's: the one that an environment variable names, else the usual one.

    ``homeless`` is returned as it is where no home directory can be found.
    """
    named = os.environ.get(variable)
    try:
        return Path(named).expanduser() if named else Path(usual())
    except RuntimeError:
        return Path(named or homeless)


def is_homeless(folder: Path) -> bool:
    """Whether a folder of the user's could not be found, for want of a home directory."""
    return folder.parts[:1] != () and folder.parts[0].startswith("~")
