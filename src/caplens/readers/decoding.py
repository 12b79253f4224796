"""JSON into typed shapes, with errors that say where."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, TypeVar

import msgspec

from caplens.errors import InputError, Notice, counted, name_some
from caplens.files.opening import not_utf8
from caplens.files.telling import setting

Shape = TypeVar("Shape")


def decode(data: bytes, shape: type[Shape], name: str, expected: str, line: int | None = None) -> Shape:
    """Decode JSON, keeping only what ``shape`` has.

    Parameters
    ----------
    data : bytes
        The JSON text, or one line of a file of JSON lines.
    shape : type
        What msgspec shall make of it. Fields without a type of their own (`typing.Any`) take whatever is there, so that
        validation can name the ids of captions that are none.
    name : str
        The input, for messages.
    expected : str
        What the file should be, for messages: ``"a mapping from id to captions"``.
    line : int, optional
        The number of the line, for JSON lines.

    Examples
    --------
    >>> decode(b'{"1": "a dog"}', dict[str, str], "file", "a mapping")
    {'1': 'a dog'}
    """
    where = name if line is None else f"line {line:,} of {name}"
    try:
        try:
            return msgspec.json.decode(data, type=shape)
        except msgspec.ValidationError:
            raise
        except (ValueError, RecursionError):
            # Python's json takes the NaN and lone surrogates that msgspec refuses, and its errors name line and column.
            return msgspec.convert(parse(data, name, line=line), shape)
    except UnicodeEncodeError as error:
        raise InputError(f"{where} has a key with a lone surrogate, {error.object!r}: rename it.") from error
    except msgspec.ValidationError as error:
        raise InputError(f"{where} is not {expected}: {str(error)[:1].lower()}{str(error)[1:]}.") from error


def repeated_keys(data: bytes, set_keys: Mapping[str, int], name: str) -> tuple[Notice, ...]:
    """Say in how many objects a key is repeated, of which only the last value was taken.

    Parameters
    ----------
    data : bytes
        JSON text that was decoded.
    set_keys : mapping of str to int
        How many of the decoded objects have each key that matters. Where the text has no more of them, nothing is
        repeated and nothing else is looked at.
    name : str
        The input, for messages.

    Examples
    --------
    >>> [str(notice) for notice in repeated_keys(b'{"id": 1, "id": 2}', {"id": 1}, "file")]
    ["1 row of file has a key twice ('id'): the last value is used"]
    """
    import json

    if all(data.count(json.dumps(key, ensure_ascii=False).encode()) <= count for key, count in set_keys.items()):
        return ()
    found: list[str] = []

    def notice_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        made = dict(pairs)
        if len(made) < len(pairs):
            keys = [key for key, _ in pairs]
            found.extend(sorted({key for key in set_keys if keys.count(key) > 1})[:1])
        return made

    parse(data, name, object_pairs_hook=notice_repeats)
    return repeats_notice(found, name)


def repeats_notice(keys: list[str], name: str) -> tuple[Notice, ...]:
    """Return the notice of rows in which these keys are repeated."""
    if not keys:
        return ()
    named = name_some([repr(key) for key in dict.fromkeys(keys)])
    rows = f"{counted(len(keys), 'row')} of {name} {'has' if len(keys) == 1 else 'have'}"
    return (Notice("repeated-key", f"{rows} a key twice ({named}): the last value is used", len(keys)),)


def parse_cell(text: str) -> Any:  # noqa: ANN401 - JSON is anything
    """Parse JSON in a cell of a table; `ValueError` or `RecursionError` where it is none, for callers who go on.

    Examples
    --------
    >>> parse_cell('["a dog", NaN]')
    ['a dog', nan]
    """
    import json

    return json.loads(text)


def parse(data: bytes, name: str, line: int | None = None, **hooks: Any) -> Any:  # noqa: ANN401 - JSON is anything
    """Parse JSON as Python's json does (NaN and lone surrogates pass); ``hooks`` go to `json.loads`."""
    import json  # files of the ordinary kind are read without it

    try:
        return json.loads(data.decode("utf-8"), **hooks)
    except UnicodeDecodeError as error:
        raise not_utf8(name, data, error, line) from None
    except json.JSONDecodeError as error:
        text = error.doc.rstrip()
        what = "it ends unexpectedly (is it truncated?)" if error.pos >= len(text) else error.msg.removesuffix(" at")
        hint = f"; if it is plain text, use {setting('input_format', 'text')}" if error.pos < 2 else ""
        raise InputError(
            f"{name} is not valid JSON: {what} at line {line or error.lineno:,}, column {error.colno:,}{hint}."
        ) from error
    except RecursionError as error:
        raise InputError(f"{name} is not valid caption data: its JSON is nested too deeply.") from error
    except ValueError as error:
        raise InputError(f"{name} is not valid JSON: {error}.") from error
