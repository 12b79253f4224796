"""Settings of trainings: dataclasses whose fields a TOML file may change."""

from __future__ import annotations

import math
import tomllib
from collections.abc import Mapping
from dataclasses import fields, replace
from difflib import get_close_matches
from pathlib import Path
from typing import Any, Literal, TypeVar, get_args, get_origin, get_type_hints

from caplens.errors import InputError, reason_of

Settings = TypeVar("Settings")
Labels = Literal["true", "shuffled", "inverted"]
"""What a training calls human: what people wrote, or, in a control, captions drawn by lot or all the others."""
_NOUNS = {int: "a whole number", float: "a number", str: "text", bool: "true or false"}


def read_toml(path: Path) -> dict[str, Any]:
    """Read a file of settings."""
    try:
        return tomllib.loads(path.read_text(encoding="utf-8"))
    except (OSError, UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise InputError(f"{path} cannot be read as a configuration: {reason_of(error)}.") from error


def changed_settings(
    settings: Settings,
    entries: Mapping[str, Any],
    source: str,
    where: str = "",
    ranges: Mapping[str, tuple[float, float]] | None = None,
) -> Settings:
    """Return settings with some fields changed, each of its own type and range.

    Parameters
    ----------
    settings : dataclass
        What to begin with.
    entries : mapping
        The new values by field.
    source, where : str
        For messages: the file, and the part of it, such as ``" in [training]"``.
    ranges : mapping of str to tuple of float, optional
        The smallest and the largest value of numbers; by default from 0 on.
    """
    types = get_type_hints(type(settings))
    known = {entry.name for entry in fields(settings)}  # type: ignore[arg-type]
    for key, value in entries.items():
        if key not in known:
            close = get_close_matches(key, known, n=1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(sorted(known))}."
            part = where.removeprefix(" in ")
            raise InputError(f"{source}: {f'{part} has' if part else 'there is'} no setting {key!r}; {hint}")
        what = f"{source}: {key}{where}"
        _check(types[key], value, what)
        if types[key] in (int, float):
            _check_range(value, *(ranges or {}).get(key, (0, math.inf)), what)
    return replace(settings, **entries)  # type: ignore[type-var]


def _check(kind: Any, value: object, what: str) -> None:  # noqa: ANN401 (a type or a Literal)
    if get_origin(kind) is Literal:
        if value not in get_args(kind):
            raise InputError(f"{what} must be one of {', '.join(get_args(kind))}, not {value!r}.")
        return
    accepted = (int, float) if kind is float else (kind,)
    if not isinstance(value, accepted) or (isinstance(value, bool) and kind is not bool):
        raise InputError(f"{what} must be {_NOUNS[kind]}, not {value!r}.")


def _check_range(value: float, least: float, most: float, what: str) -> None:
    if not math.isfinite(value):
        raise InputError(f"{what} must be a number, not {value!r}.")
    if value < least:
        raise InputError(f"{what} must be at least {least:g}, not {value!r}.")
    if value > most:
        raise InputError(f"{what} must be at most {most:g}, not {value!r}.")
