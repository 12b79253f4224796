"""Standard streams that may be closed, full or of a poor encoding."""

from __future__ import annotations

import atexit
import errno
import io
import os
import sys
import threading
from contextlib import suppress
from typing import NoReturn

from caplens.errors import InputError, reason_of


class _ClosedStream(io.TextIOBase):
    """In the place of a stream that was closed before the program began: writing fails as it does on a closed file."""

    def write(self, text: str) -> int:
        raise OSError(errno.EBADF, os.strerror(errno.EBADF))


def prepare_streams() -> None:
    """Make stdout and stderr usable whatever they were at the beginning.

    Where one was closed, its number stays taken: else the next file that is opened would get it, and what is printed
    would go there.
    """
    for number in range(3):
        try:
            os.fstat(number)
        except OSError:
            with suppress(OSError):
                os.open(os.devnull, os.O_RDWR)  # takes the lowest free number
    if sys.stdout is None:
        sys.stdout = _ClosedStream()
    elif isinstance(sys.stdout, io.TextIOWrapper):
        sys.stdout.reconfigure(errors="backslashreplace")  # a poor locale must not cost a result
    if sys.stderr is None:
        sys.stderr = io.StringIO()  # nobody listens


def flush_stdout() -> None:
    """Write what was printed, or say why that cannot be done."""
    try:
        sys.stdout.flush()
    except BrokenPipeError:
        raise
    except OSError as error:
        raise InputError(f"The result cannot be printed: {reason_of(error)}.") from error


def discard_stdout() -> None:
    """Let what was printed and could not be written go nowhere, so that the interpreter does not fail on leaving."""
    with suppress(OSError, ValueError):  # a stream without a number, as in tests, has nothing to fail with
        try:
            sys.stdout.flush()
        except OSError:
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def leave(code: int) -> NoReturn:
    """End the process at once: for Python to take all its objects apart takes a twentieth of a short command's time.

    What was registered to be done at the end is done; while other threads still work, Python waits for them.
    """
    if threading.active_count() > 1:
        sys.exit(code)
    atexit._run_exitfuncs()
    for stream in (sys.stdout, sys.stderr):
        with suppress(OSError, ValueError):  # what was to be printed has been flushed before, or was given up
            stream.flush()
    os._exit(code)
