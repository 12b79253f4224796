"""Declared options: fields of a frozen dataclass with a default, a line of help and, for numbers, a range.

Metrics and studies declare their options so; the grammar of metrics, the command line and Python calls all turn what a
user wrote into values of the declared types here, with the same sentences where that fails.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import MISSING, dataclass, field, fields
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, get_args, get_origin, get_type_hints

from caplens.errors import UsageError

# Of options that are fractions: smaller ones only produce numbers that cannot be told from 0.
LEAST_FRACTION = 1e-6
MOST = 1e6


def option(
    default: object,
    explain: str,
    *,
    least: float | None = None,
    most: float = MOST,
    metavar: str | None = None,
    load: Callable[[str], object] | None = None,
    names: Callable[[], Collection[str] | None] | None = None,
) -> Any:  # noqa: ANN401
    """Declare an option: a dataclass field (hence Any) with a line of help.

    Numbers must be between ``least`` (by default 1 for integers, otherwise a tiny fraction) and ``most``; ``metavar``
    is the placeholder for the value in the help of a command. For options that may refer to code,
    ``module:attribute``, ``load`` imports it: the metric itself must not, because its options may come from a file.
    ``names`` returns the values that do not refer to files, the only ones accepted from untrusted requests (see
    `Option.check_named`): `any_text` if no value ever does; without it, only the default is accepted.
    """
    about = {"help": explain, "least": least, "most": most, "metavar": metavar, "load": load, "names": names}
    return field(default=default, metadata=about)


def any_text() -> None:
    """Return what `option` takes for ``names`` where no text that the option takes is the name of a file."""


@dataclass(frozen=True)
class Option:
    """An option as it was declared.

    Attributes
    ----------
    owner, name : str
        The metric or study that has it, and what it is called.
    kind : type
        Of its values: str, int, float, bool, a Literal, or a tuple of whole numbers or of texts; None is never written.
    default : object
        What it is unless given.
    help : str
        One line for people.
    least, most : float
        The range of a number.
    metavar : str or None
        What stands for the value in the help of a command.
    load : callable, optional
        Imports what a value ``module:attribute`` names, where the user allows it.
    names : callable, optional
        Returns the texts that name no file; None for all of them.
    """

    owner: str
    name: str
    kind: Any
    default: object
    help: str
    least: float
    most: float
    metavar: str | None = None
    load: Callable[[str], object] | None = None
    names: Callable[[], Collection[str] | None] | None = None

    @property
    def choices(self) -> tuple[str, ...]:
        """The values that there are, where they can be listed."""
        return get_args(self.kind) if get_origin(self.kind) is Literal else ()

    @property
    def is_list(self) -> bool:
        """Whether it takes several values."""
        return get_origin(self.kind) is tuple

    def convert(self, value: object) -> Any:  # noqa: ANN401 (the option's own type)
        """Turn what was given, as text or as a Python value, into a value of the declared type.

        Examples
        --------
        >>> Option("pairs", "curve", tuple[int, ...], (), "numbers of references", 1, 100).convert("1, 5,48")
        (1, 5, 48)
        """
        if value is None:
            return None
        if self.choices:
            return self._chosen(value)
        if self.kind is bool:
            return self._truth(value)
        if self.is_list:
            return self._list(value)
        if self.kind in (int, float):
            return self._number(self.kind, value, value)
        if self.kind is str and not isinstance(value, str):
            raise UsageError(f"{self} must be text, not {value!r}.")
        return value

    def in_range(self, number: int | float | None, given: object) -> int | float:
        """Return a number that the option takes; another, or None for what is no number at all, is refused."""
        if number is None or not self.least <= number <= self.most:
            noun = "numbers" if self.is_list else "a whole number" if self.kind is int else "a number"
            raise UsageError(f"{self} must be {noun} from {self.least:g} to {self.most:g}, not {given!r}.")
        return number

    def check_named(self, value: object) -> None:
        """Refuse a text that might be the name of a file: for requests of strangers, who may read no files here.

        Examples
        --------
        >>> Option("cider", "df", str, "corpus", "frequencies", 1, 1).check_named("/etc/passwd")
        Traceback (most recent call last):
        caplens.errors.UsageError: A request cannot name files: cider(df=...) must be one of corpus here.
        """
        is_number = self.kind in (bool, int, float) or (self.is_list and get_args(self.kind)[0] is int)
        if is_number or self.choices or value is None or value == self.default:
            return
        known = () if self.names is None else self.names()
        if known is not None and value not in known:
            usual = () if self.default in (None, "") else (self.default,)
            named = ", ".join(dict.fromkeys(map(str, (*usual, *known))))
            rule = f"must be one of {named} here" if named else "cannot be used here"
            raise UsageError(f"A request cannot name files: {self} {rule}.")

    def __str__(self) -> str:
        return f"{self.owner}({self.name}=...)"

    def _chosen(self, value: object) -> str:
        text = value.lower() if isinstance(value, str) else value
        if text not in self.choices:
            raise UsageError(f"{self} must be one of {', '.join(self.choices)}, not {value!r}.")
        return str(text)

    def _truth(self, value: object) -> bool:
        text = value.lower() if isinstance(value, str) else value
        if text not in ("true", "false", True, False):
            raise UsageError(f"{self} must be true or false, not {value!r}.")
        return text in ("true", True)

    def _list(self, value: object) -> tuple[object, ...]:
        """Take several whole numbers, also as text with commas between them; or several texts, also a single one."""
        is_text = get_args(self.kind)[0] is str
        parts: object = value
        if isinstance(value, str | os.PathLike):
            parts = [value] if is_text else str(value).split(",")
        if not isinstance(parts, Iterable):
            raise UsageError(f"{self} takes {'a list' if is_text else 'numbers such as 1,5,20'}, not {value!r}.")
        return tuple(os.fspath(part) if is_text else self._number(int, part, value) for part in parts)

    def _number(self, kind: type[int | float], value: object, given: object) -> int | float:
        number = None
        if isinstance(value, str | int | float) and not isinstance(value, bool):
            try:
                number = kind(value)
            except ValueError:
                number = None
        if number is not None and not isinstance(value, str) and number != value:
            number = None  # half of a whole number
        return self.in_range(number, given)


@cache
def declared_options(kind: type) -> dict[str, Option]:
    """Return the options that a dataclass declares, by name; fields without a line of help are none."""
    types = get_type_hints(kind)
    owner = getattr(kind, "name", kind.__name__)
    found = {}
    for entry in fields(kind):
        if "help" in entry.metadata:
            own = _without_none(types[entry.name])
            least = entry.metadata.get("least")
            if least is None:
                least = LEAST_FRACTION if own is float else 1
            default = None if entry.default is MISSING else entry.default
            about = entry.metadata
            most, more = about.get("most", MOST), [about.get(key) for key in ("metavar", "load", "names")]
            found[entry.name] = Option(owner, entry.name, own, default, about["help"], least, most, *more)
    return found


def _without_none(kind: Any) -> Any:  # noqa: ANN401 (any type)
    """Return what an optional type is where it is not None."""
    if get_origin(kind) in (Union, UnionType):
        others = tuple(one for one in get_args(kind) if one is not NoneType)
        return others[0] if len(others) == 1 else kind
    return kind


def convert_options(kind: type, given: Mapping[str, object]) -> dict[str, Any]:
    """Turn options as they were given into values of their declared types; one that does not exist is refused."""
    declared = declared_options(kind)
    unknown = [name for name in given if name not in declared]
    if unknown:
        owner = getattr(kind, "name", kind.__name__)
        raise UsageError(f"{owner} has no option {unknown[0]!r}; it has {', '.join(declared) or 'none'}.")
    return {name: declared[name].convert(value) for name, value in given.items()}


def check_ranges(configured: object) -> None:
    """Refuse numbers out of the ranges that the options of a configured metric or study declare."""
    kind: type = type(configured)
    for name, declared in declared_options(kind).items():
        value = getattr(configured, name)
        if isinstance(value, int | float) and not isinstance(value, bool):
            declared.in_range(value, value)


def as_written(value: object) -> str:
    """Return the value of an option as the grammar writes it.

    Examples
    --------
    >>> as_written(True), as_written(0.5), as_written((1, 5))
    ('true', '0.5', '1,5')
    """
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, float):
        return f"{value:g}" if float(f"{value:g}") == value else repr(value)
    if isinstance(value, tuple):
        return ",".join(map(as_written, value))
    return str(value)
