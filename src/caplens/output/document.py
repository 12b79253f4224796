"""The shape of our JSON files: what all of them hold, how numbers that do not exist are written, the encoding."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from caplens._version import __version__
from caplens.errors import Notice

SCHEMA = 1
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
