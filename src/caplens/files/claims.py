"""What one command reads and what it writes: never the same file.

Inputs are claimed when they are opened, an output when it is checked, before the work and again before it is written;
whoever comes second is refused. Only within `separate_inputs_and_outputs`: a program of one's own may well read a file
today and replace it tomorrow.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass, field

from caplens.errors import InputError
from caplens.files.paths import status_of

_Identity = tuple[int, int]


@dataclass(frozen=True)
class _Claims:
    inputs: set[_Identity] = field(default_factory=set)
    outputs: set[_Identity] = field(default_factory=set)


_claims: ContextVar[_Claims | None] = ContextVar("caplens_claims", default=None)


@contextmanager
def separate_inputs_and_outputs() -> Iterator[None]:
    """Refuse, within the block, to write to a file that is read there.

    Examples
    --------
    >>> with separate_inputs_and_outputs():
    ...     claim_input(__file__)
    ...     claim_output(__file__)
    Traceback (most recent call last):
    caplens.errors.InputError: ...claims.py is an input file and would be overwritten: write to another file.
    """
    token = _claims.set(_Claims())
    try:
        yield
    finally:
        _claims.reset(token)


def claim_input(path: str | os.PathLike[str]) -> None:
    """Say that a file is read."""
    claims, identity = _claims.get(), _identity(path)
    if claims is not None and identity is not None:
        if identity in claims.outputs:
            raise _refusal(path)
        claims.inputs.add(identity)


def claim_output(path: str | os.PathLike[str]) -> None:
    """Say that a file will be written."""
    claims, identity = _claims.get(), _identity(path)
    if claims is not None and identity is not None:
        if identity in claims.inputs:
            raise _refusal(path)
        claims.outputs.add(identity)


def _refusal(path: str | os.PathLike[str]) -> InputError:
    return InputError(f"{os.fspath(path)} is an input file and would be overwritten: write to another file.")


def _identity(path: str | os.PathLike[str]) -> _Identity | None:
    """Return what all names of one file have in common; None for devices and pipes, which keep nothing."""
    status = status_of(path)
    return (status.st_dev, status.st_ino) if status is not None and stat.S_ISREG(status.st_mode) else None
