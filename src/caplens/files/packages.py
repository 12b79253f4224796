"""Packages that only some uses need: libraries asked for by name, and data that was installed beside caplens."""

from __future__ import annotations

from importlib.util import find_spec
from pathlib import Path

from caplens.errors import MissingDataError

DATA = "caplens_data"
"""The folder, in any place that Python imports from, into which packages of data put their files."""


def installed_data(kind: str) -> list[Path]:
    """Return the folders of a kind of data (``packs``, ``encoder``) that packages installed; no code of theirs is run.

    Such packages share a namespace: a distribution installs ``caplens_data/KIND/...``, and nothing else. So they are
    found without looking at what else is installed, which would take longer than scoring a few captions.

    Examples
    --------
    >>> installed_data("a kind that nobody has")
    []
    """
    found = find_spec(DATA)
    places = list(found.submodule_search_locations or ()) if found is not None else []
    return [folder for place in places if (folder := Path(place, kind)).is_dir()]


def require(package: str, extra: str, what: str) -> None:
    """Refuse what needs a package that is not installed, in one sentence with the command that installs it.

    Parameters
    ----------
    package : str
        The name that it is imported by.
    extra : str
        The extra of caplens that brings it.
    what : str
        What needs it, in the plural: the beginning of the sentence.

    Examples
    --------
    >>> require("json", "none", "Everybody")
    >>> require("a_package_that_nobody_has", "rare", "Rare files")
    Traceback (most recent call last):
        ...
    caplens.errors.MissingDataError: Rare files need a_package_that_nobody_has: pip install "caplens[rare]".
    """
    if find_spec(package) is None:
        raise MissingDataError(f'{what} need {package}: pip install "caplens[{extra}]".')


def require_arrow(what: str) -> None:
    """Refuse what needs Arrow, which is larger than everything else together and therefore an extra."""
    require("pyarrow", "arrow", what)
