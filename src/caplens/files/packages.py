"""Packages that only some uses need, asked for by name."""

from __future__ import annotations

from importlib.util import find_spec

from caplens.errors import MissingDataError


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
