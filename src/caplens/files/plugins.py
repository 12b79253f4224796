"""Code of the user's that is found by name: what installed packages offer, and what ``module:attribute`` names.

Installed packages were trusted when they were installed, so their names always work. A text such as
``my_metrics:Overlap`` runs whatever that module does when it is imported, so `imported` is called only where a person
typed the text and allowed it: the option ``--allow-code`` of a command, or ``allow_code=True`` of a call. Texts that
caplens reads from a file or a request (weights, shards, results, settings, a server's questions) are never passed to
it, and a file of settings cannot allow it either.
"""

from __future__ import annotations

import re
from importlib import import_module
from typing import TYPE_CHECKING, Any

from caplens.errors import UsageError

if TYPE_CHECKING:
    from importlib.metadata import EntryPoint

_CODE = re.compile(r"[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)*:[A-Za-z_]\w*")


def names_code(text: str) -> bool:
    """Tell whether a text is of the form ``module:attribute``.

    Examples
    --------
    >>> names_code("my_package.metrics:Overlap"), names_code("bleu")
    (True, False)
    """
    return _CODE.fullmatch(text) is not None


def imported(text: str, what: str) -> Any:  # noqa: ANN401 (whatever has that name)
    """Import what ``module:attribute`` names; the caller has made sure that the user allows it.

    Parameters
    ----------
    text : str
        The module and the name of something in it.
    what : str
        What it should be, for messages: ``"metric"``.

    Examples
    --------
    >>> imported("math:pi", "number")
    3.141592653589793
    >>> imported("math:tau2", "number")
    Traceback (most recent call last):
    ...
    caplens.errors.UsageError: The number 'math:tau2' cannot be imported (AttributeError: module 'math' has no ...
    """
    module, _, attribute = text.partition(":")
    try:
        return getattr(import_module(module), attribute)
    except Exception as error:
        raise UsageError(
            f"The {what} {text!r} cannot be imported ({_reason(error)}): make sure that Python can find it, for "
            f"example by adding its folder to PYTHONPATH."
        ) from error


def installed(group: str) -> dict[str, EntryPoint]:
    """Return what installed packages offer in a group of entry points, by lower-cased name; nothing is imported.

    Where two packages offer one name, the first that Python finds has it, as for modules.
    """
    from importlib.metadata import entry_points  # slow to import, and needed only for names that caplens does not know

    found: dict[str, EntryPoint] = {}
    for entry in entry_points(group=group):
        found.setdefault(entry.name.lower(), entry)
    return found


def loaded(entry: EntryPoint, what: str) -> Any:  # noqa: ANN401 (whatever the package offers)
    """Import what a package offers."""
    try:
        return entry.load()
    except Exception as error:
        package = entry.dist.name if entry.dist is not None else entry.module
        raise UsageError(
            f"The {what} {entry.name!r} of the package {package} cannot be loaded ({_reason(error)}): reinstall or "
            "remove the package."
        ) from error


def _reason(error: Exception) -> str:
    return f"{type(error).__name__}: {' '.join(str(error).split())}"
