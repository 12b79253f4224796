"""Telling users what they should know: in the words of whoever called, and as Python warnings where nobody else prints.

Notices travel with results (`caplens.errors.Notice`). The command line prints them itself; in Python they are issued as
`caplens.CaplensWarning`, each code once per process.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from pathlib import Path

from caplens.errors import CaplensWarning, Notice

_on_command_line: ContextVar[bool] = ContextVar("caplens_on_command_line", default=False)
_silent: ContextVar[bool] = ContextVar("caplens_silent", default=False)
_issued: set[str] = set()
_PACKAGE = str(Path(__file__).parents[1])


@contextmanager
def on_command_line() -> Iterator[None]:
    """Inside the block, messages name options of the command line, and notices are printed by the command."""
    token = _on_command_line.set(True)
    try:
        with silently():
            yield
    finally:
        _on_command_line.reset(token)


@contextmanager
def silently() -> Iterator[None]:
    """Issue no Python warnings inside the block: its results carry their notices to somebody who passes them on."""
    token = _silent.set(True)
    try:
        yield
    finally:
        _silent.reset(token)


def setting(name: str, value: str = "") -> str:
    """Write an argument as the caller would: an option of the command line, or a keyword of a function.

    A value in capitals stands for something that the user has to fill in.

    Examples
    --------
    >>> setting("max_words"), setting("missing", "skip"), setting("data", "DIR")
    ('max_words=...', "missing='skip'", 'data=...')
    >>> with on_command_line():
    ...     setting("max_words"), setting("missing", "skip"), setting("data", "DIR")
    ('--max-words', '--missing skip', '--data DIR')
    """
    if _on_command_line.get():
        return f"--{name.replace('_', '-')} {value}".rstrip()
    return f"{name}={repr(value) if value and not value.isupper() else '...'}"


def said(command_line: str, python: str) -> str:
    """Choose the words for whoever called.

    Examples
    --------
    >>> said("the file", "the list")
    'the list'
    """
    return command_line if _on_command_line.get() else python


def warn_of(notices: Iterable[Notice]) -> None:
    """Issue Python warnings for what may be wrong, each code once per process; notes are left to the results."""
    if _silent.get():
        return
    for notice in notices:
        if notice.level == "warning" and notice.code not in _issued:
            warnings.warn(CaplensWarning(notice), stacklevel=_outside())
            _issued.add(notice.code)  # not where warnings are errors: the next call raises again


def _outside() -> int:
    """Return the stack level, seen from the caller, of the first frame outside caplens."""
    level, frame = 1, sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE):
        level, frame = level + 1, frame.f_back
    return level
