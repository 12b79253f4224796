"""Rows inside a larger JSON document: under a key beside other information, or by id."""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

from caplens.errors import InputError, name_some
from caplens.files.opening import HEAD_BYTES, Content
from caplens.files.telling import setting
from caplens.readers.base import Glance, ReadOptions, Table
from caplens.readers.decoding import decode, parse
from caplens.readers.outline import ELEMENT
from caplens.readers.rows import Rows

SEPARATOR = "/"
"""Stands between the keys that lead to captions inside a JSON document."""


class WrappedRows:
    """An object that holds rows: a list of them under one of its keys, or one object per id.

    Rows are recognised by their columns of candidates or references, so the rest of the document (source, licence,
    settings, scores) does not matter. Result files written with captions are such documents.
    """

    name = "json"
    example = '{"images": [{"id": 391895, "candidate": "...", "references": ["..."]}], ...}'

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """See a list of rows under a key, or an object of rows by id."""
        look = glance.outline
        if look is None or look.kind() != "object" or look.is_followed:
            return False
        keys = look.keys()
        listed = [key for key in keys if look.kind(key, ELEMENT) == "object"]
        if any(_is_row(look.keys(key, ELEMENT), options) for key in listed):
            return True
        by_id = [key for key in keys if look.kind(key) == "object"]
        return len(by_id) == len(keys) and any(_is_row(look.keys(key), options) for key in by_id)

    def read(self, content: Content, options: ReadOptions) -> Table:
        """Read the rows."""
        document = decode(content.read(), dict[str, Any], content.name, f"an object that contains rows, {self.example}")
        found = {key: value for key, value in document.items() if _is_list_of_rows(value, options)}
        if len(found) > 1:
            raise InputError(
                f"{content.name} contains rows under several keys ({name_some(list(found))}): choose one with "
                f"{setting('at', 'KEY')}."
            )
        rows = next(iter(found.values()), None)
        if rows is None:
            rows = rows_by_id(document)
        if rows is None:
            raise InputError(f"{content.name} is not an object that contains rows, {self.example}.")
        return Rows().read(content_of(rows, content.name), options)


def inside(content: Content, at: str, *, optional: bool = False) -> Content:
    """Return what a JSON document holds at a path of keys, ``KEY/KEY``, as if it were a file of its own.

    Parameters
    ----------
    content : Content
        The document.
    at : str
        The keys, from the outermost; a number counts the elements of a list, from 0.
    optional : bool
        Whether a document without these keys is taken as a whole.
    """
    data = content.read()
    value = parse(data, content.name)
    for key in at.split(SEPARATOR):
        if isinstance(value, dict) and key in value:
            value = value[key]
        elif isinstance(value, list) and key.isdecimal() and int(key) < len(value):
            value = value[int(key)]
        elif optional:
            return _content(data, content.name)
        else:
            there = f"there are {name_some(list(value))}" if isinstance(value, dict) and value else "there are no keys"
            raise InputError(f"{content.name} has no {key!r} ({setting('at', at)}): {there}.")
    rows = rows_by_id(value) if isinstance(value, dict) else None
    return content_of(value if rows is None else rows, f"{content.name} ({at})")


def rows_by_id(value: dict[str, Any]) -> list[dict[str, Any]] | None:
    """Return an object of rows by id as a list of rows, None if it is something else.

    Examples
    --------
    >>> rows_by_id({"8": {"candidate": "a dog"}})
    [{'id': '8', 'candidate': 'a dog'}]
    """
    if not value or not all(isinstance(row, dict) for row in value.values()):
        return None
    return [{"id": key, **row} for key, row in value.items()]


def content_of(value: object, name: str) -> Content:
    """Return a JSON value as the content of a file."""
    import json

    return _content(json.dumps(value).encode(), name)


def _content(data: bytes, name: str) -> Content:
    return Content(name, data[:HEAD_BYTES], io.BufferedReader(io.BytesIO(data)))


def _is_row(keys: Iterable[str], options: ReadOptions) -> bool:
    """Tell whether an object with these keys has a candidate or references; a caption alone may be anything."""
    known = {name for role in ("candidate", "references") for name in options.names(role)}
    return not known.isdisjoint(keys)


def _is_list_of_rows(value: object, options: ReadOptions) -> bool:
    return isinstance(value, list) and bool(value) and isinstance(value[0], dict) and _is_row(value[0], options)
