"""What callers may pass as candidates and references."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caplens.corpus.graphs import GivenTuples
from caplens.corpus.tables import CaptionTable

Identifier = str | int
Caption = str | GivenTuples
"""A caption, or a scene graph instead: a list of tuples."""

Candidates = (
    Sequence[Caption] | Mapping[str, Caption] | Mapping[int, Caption] | Mapping[Identifier, Caption] | CaptionTable
)
References = (
    Sequence[Sequence[Caption]]
    | Mapping[str, Sequence[Caption]]
    | Mapping[int, Sequence[Caption]]
    | Mapping[Identifier, Sequence[Caption]]
    | CaptionTable
)
