"""The shape of our JSON files: what all of them hold, how numbers that do not exist are written, the encoding."""

from __future__ import annotations

import math
import os
from collections.abc import Iterable, Mapping
from typing import Any

from caplens._version import __version__
from caplens.errors import InputError, Notice

SCHEMA = 2
"""The number of the shape; it grows when a program that reads the files would have to change."""


def document(body: Mapping[str, Any], warnings: Iterable[Notice] | None = None) -> dict[str, Any]:
    """Return what a file holds: schema and version, the body, and the warnings of a result that can have some.

    Examples
    --------
    >>> list(document({"metrics": {}}, ()))
    ['schema', 'caplens', 'metrics', 'warnings']
    """
    said = {} if warnings is None else {"warnings": [notice.to_dict() for notice in warnings]}
    return {"schema": SCHEMA, "caplens": __version__, **body, **said}


def upgraded(data: object) -> dict[str, Any]:
    """Return the data of a file in the shape of this version, whichever version of caplens wrote it.

    Raises
    ------
    InputError
        If caplens did not write the data, or a newer version did.

    Examples
    --------
    >>> old = {"schema": 1, "items": 3, "systems": {"a": {"CIDEr": {"score": 0.5}}}, "tests": []}
    >>> new = upgraded(old)
    >>> new["n"], new["items"], new["systems"]
    (3, [], {'a': {'metrics': {'CIDEr': {'score': 0.5}}}})
    """
    if isinstance(data, list):  # how explanations were written
        data = {"schema": 1, "explanations": data}
    if not isinstance(data, dict) or not isinstance(data.get("schema"), int):
        raise InputError("This is not a JSON document of caplens: it has no schema number.")
    if data["schema"] > SCHEMA:
        raise InputError(
            f"The document has schema {data['schema']}, but this version of caplens reads up to {SCHEMA}: "
            "pip install --upgrade caplens."
        )
    if data["schema"] == 1 and "tests" in data and "systems" in data:
        systems = {name: {"metrics": metrics} for name, metrics in data["systems"].items()}
        data = {**data, "n": data["items"], "systems": systems, "items": []}
    return {**data, "schema": SCHEMA}


def read_document(path: str | os.PathLike[str]) -> dict[str, Any]:
    """Read a JSON file that caplens wrote (.json, .json.gz), of this or an earlier schema."""
    import msgspec

    from caplens.files.opening import opened

    try:
        with opened(path) as content:
            data = msgspec.json.decode(content.read())
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(f"{path} is not a JSON document, or it is damaged ({str(error).rstrip('.')}).") from error
    return upgraded(data)


def number(value: float) -> float | None:
    """Return a number as a file holds it: None stands for one that does not exist.

    Examples
    --------
    >>> number(0.5), number(math.nan)
    (0.5, None)
    """
    return value if math.isfinite(value) else None


def encode(data: object) -> bytes:
    """Return plain data as JSON.

    Examples
    --------
    >>> encode({"score": None})
    b'{"score":null}'
    """
    import msgspec

    return msgspec.json.encode(data)


def encode_lines(rows: Iterable[object]) -> bytes:
    """Return plain data as JSON, one line per row."""
    return b"".join(encode(row) + b"\n" for row in rows)
