"""The errors a user can cause, and the warnings a result carries."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

SHOWN_IDS = 5


class CaplensError(Exception):
    """Base class of all caplens errors; the message is one sentence that says what to change."""


class InputError(CaplensError):
    """Input that cannot be scored."""


class UsageError(CaplensError):
    """An unknown metric or option, or an invalid combination of arguments."""


class MissingDataError(CaplensError):
    """A data file or package that a metric needs is missing; the message gives the command that installs it."""


class MissingScoreError(UsageError, KeyError):
    """A score that a result does not have; a `KeyError` too, since results are mappings."""

    def __str__(self) -> str:
        return str(self.args[0])


@dataclass(frozen=True)
class Notice:
    """A warning or note about the input, with the number of occurrences.

    Attributes
    ----------
    code : str
        A stable short name, such as ``empty-candidate``.
    message : str
        The message, one sentence.
    count : int
        How often it occurred.
    ids : tuple of str
        The first few ids concerned.
    level : {"warning", "note"}
        ``warning`` if something may be wrong, ``note`` for information.
    wording : str
        The message as a pattern over ``numbers``, see `worded`; notices of one wording can be added up.
    numbers : tuple of int
        The numbers in the message.
    """

    code: str
    message: str
    count: int = 1
    ids: tuple[str, ...] = ()
    level: Literal["warning", "note"] = "warning"
    wording: str = ""
    numbers: tuple[int, ...] = ()

    @classmethod
    def worded(
        cls,
        code: str,
        wording: str,
        numbers: Sequence[int],
        ids: Sequence[str] = (),
        level: Literal["warning", "note"] = "warning",
    ) -> Notice:
        """Make a notice that can be added to others of its kind; its count is the first of the numbers.

        In ``wording``, ``{0}`` is the first number, ``{0:caption}`` the number with a noun, and ``{0:has|have}`` the
        word that agrees with it.

        Examples
        --------
        >>> str(Notice.worded("empty-candidate", "{0:candidate} {0:has|have} no text", [2], ["7", "9"]))
        '2 candidates have no text (7, 9)'
        """
        message = wording.format(*map(_Number, numbers))
        return cls(code, message, numbers[0], tuple(ids[:SHOWN_IDS]), level, wording, tuple(numbers))

    def __str__(self) -> str:
        return f"{self.message}{f' ({name_some(self.ids, self.count)})' if self.ids else ''}"

    def to_dict(self) -> dict[str, object]:
        """Return the notice as plain data, as in result files."""
        return {"code": self.code, "message": self.message, "count": self.count, "ids": list(self.ids)}


class CaplensWarning(UserWarning):
    """Warning about the input or the request; the result may be affected.

    Issued in Python once per kind and process; the same notices are in ``warnings`` of every result. The standard
    module `warnings` can silence them or turn them into errors.

    Attributes
    ----------
    notice : Notice
        What was noticed.
    """

    def __init__(self, notice: Notice) -> None:
        super().__init__(str(notice))
        self.notice = notice


class _Number(int):
    """A number within a wording."""

    def __format__(self, spec: str) -> str:
        if not spec:
            return f"{int(self):,}"
        one, several, many = spec.partition("|")
        return (one if self == 1 else many) if several else counted(int(self), spec)


def add_notices(notices: Iterable[Notice]) -> tuple[Notice, ...]:
    """Add up the notices of parts: those of one wording become one with the sum of their numbers, in order.

    A wording does not tell out of how many, since a part without anything to say is not heard of.

    Examples
    --------
    >>> parts = [Notice.worded("odd", "{0:row} {0:is|are} odd", [number]) for number in (1, 2)]
    >>> [str(notice) for notice in add_notices(parts)]
    ['3 rows are odd']
    """
    found: dict[tuple[str, str], Notice] = {}
    for notice in notices:
        key = (notice.code, notice.wording or notice.message)
        if not notice.wording:
            found.setdefault(key, notice)
            continue
        known = found.get(key)
        numbers, ids = (known.numbers, known.ids) if known else ((0,) * len(notice.numbers), ())
        added = [mine + other for mine, other in zip(numbers, notice.numbers, strict=True)]
        found[key] = Notice.worded(notice.code, notice.wording, added, (*ids, *notice.ids), notice.level)
    return tuple(found.values())


def name_some(ids: Sequence[object], count: int | None = None) -> str:
    """Name the first few of many ids.

    Examples
    --------
    >>> name_some([3, 1, 4, 1, 5, 9, 2])
    '3, 1, 4, 1, 5 and 2 more'
    """
    count = len(ids) if count is None else count
    shown = ", ".join(str(identifier) for identifier in ids[:SHOWN_IDS])
    rest = count - min(len(ids), SHOWN_IDS)
    return f"{shown} and {rest:,} more" if rest > 0 else shown


def reason_of(error: Exception) -> str:
    """Say why something failed, to stand within a sentence.

    Examples
    --------
    >>> reason_of(PermissionError(13, "Permission denied", "scores.json")), reason_of(ValueError("It is odd."))
    ('Permission denied', 'It is odd')
    """
    return getattr(error, "strerror", None) or str(error).rstrip(".")


def lacking_for(load: Callable[[], object]) -> str | None:
    """Say what data is missing to load something, or None if it can be loaded.

    Examples
    --------
    >>> def load():
    ...     raise MissingDataError("its weights are missing")
    >>> lacking_for(load), lacking_for(dict)
    ('its weights are missing', None)
    """
    try:
        load()
    except MissingDataError as error:
        return str(error)
    return None


def counted(count: int, noun: str) -> str:
    """Write a number of things.

    Examples
    --------
    >>> counted(1, "candidate"), counted(2000, "candidate")
    ('1 candidate', '2,000 candidates')
    """
    return f"{count:,} {noun}{'' if count == 1 else 's'}"
