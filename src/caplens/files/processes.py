"""Work in Python on several processes: threads would wait for each other."""

from __future__ import annotations

import os
import sys
import threading
import warnings
from collections.abc import Callable, Sequence
from typing import TYPE_CHECKING, TypeVar

from caplens.files.progress import Nobody, reporting_to

if TYPE_CHECKING:
    from multiprocessing.connection import Connection

Part = TypeVar("Part")
Texts = list[str]


def can_fork() -> bool:
    """Tell whether this process can be forked: on Linux, while no other thread of Python is in the middle of something.

    A child inherits the locks of all threads but not the threads, and would wait for ever for one that was taken.
    """
    if sys.platform != "linux" or threading.active_count() > 1:
        return False
    from multiprocessing import current_process

    return not current_process().daemon  # which must not have children


def map_parts(work: Callable[[Part], Texts], parts: Sequence[Part]) -> list[Texts]:
    """Call ``work`` for each part, on a process for each where that is possible; return the results in order.

    The first part is done here, with its progress. The others are done by forked children, which have all that this
    process has, and send back the texts that they made. A part whose child comes to grief is done here as well, so that
    errors are those of this process.

    Examples
    --------
    >>> map_parts(lambda numbers: [str(sum(numbers))], [[1, 2], [3, 4]])
    [['3'], ['7']]
    """
    if len(parts) < 2 or not can_fork():
        return [work(part) for part in parts]
    children: list[_Child] = []
    try:
        children.extend(_Child(work, part) for part in parts[1:])
        results = [work(parts[0])]
        for child, part in zip(children, parts[1:], strict=True):
            found = child.result()
            results.append(work(part) if found is None else found)
    finally:
        for child in children:
            child.end()
    return results


class _Child:
    """A forked process that does a part of the work."""

    def __init__(self, work: Callable[[Part], Texts], part: Part) -> None:
        from multiprocessing import get_context

        context = get_context("fork")
        self._results, sender = context.Pipe(duplex=False)
        self._process = context.Process(target=_run, args=(work, part, sender), daemon=True)
        with warnings.catch_warnings():  # Python 3.12 warns of threads, though those of libraries survive a fork
            warnings.simplefilter("ignore", DeprecationWarning)
            self._process.start()
        sender.close()

    def result(self) -> Texts | None:
        """Wait for what the child made; None if it came to grief."""
        import msgspec

        try:
            return msgspec.json.decode(self._results.recv_bytes(), type=list[str])
        except (EOFError, OSError):
            return None

    def end(self) -> None:
        """End the child, if it has not ended."""
        self._results.close()
        self._process.terminate()
        self._process.join()


def _run(work: Callable[[Part], Texts], part: Part, sender: Connection) -> None:
    """Do the work of a child. What goes wrong is not said here: the parent tries again, and says it."""
    import msgspec

    try:
        with reporting_to(Nobody()):
            sender.send_bytes(msgspec.json.encode(work(part)))
    except BaseException:
        os._exit(1)
