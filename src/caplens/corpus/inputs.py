"""What callers may pass as candidates and references."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any, Protocol

from caplens.corpus.graphs import GivenTuples
from caplens.corpus.tables import CaptionTable

Identifier = str | int
Caption = str | GivenTuples
"""A caption, or a scene graph instead: a list of tuples."""


class ArrowStream(Protocol):
    """A table of Arrow, polars or another library that hands its columns over in Arrow's way."""

    def __arrow_c_stream__(self, requested_schema: object | None = None) -> object:
        """Return the columns."""


Candidates = (
    Sequence[Caption]
    | Mapping[str, Caption]
    | Mapping[int, Caption]
    | Mapping[Identifier, Caption]
    | CaptionTable
    | Iterable[Any]
    | ArrowStream
)
References = (
    Sequence[Sequence[Caption]]
    | Mapping[str, Sequence[Caption]]
    | Mapping[int, Sequence[Caption]]
    | Mapping[Identifier, Sequence[Caption]]
    | CaptionTable
    | Iterable[Any]
    | ArrowStream
)
