"""Captions as readers and callers hand them over: with ids, not validated."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from caplens.corpus.graphs import is_scene_graph
from caplens.errors import InputError


@dataclass
class CaptionTable:
    """Captions with the ids they belong to, as a reader found them: not validated, an id may repeat.

    Attributes
    ----------
    ids : list
        One id (str or int) a caption.
    captions : list
        One caption each, or a list of tuples instead (a scene graph); what is neither is reported by validation.
    source : str
        The file they came from, for messages; empty for captions given in Python.
    by_position : bool
        The ids only count positions (plain text, Python lists).
    positions : int, optional
        How many positions there are, where one may have no caption at all (an empty list of references).
    other_ids : dict of str to list
        Further ids that the file offers for the same captions; whichever matches the other side is used.
    images : list, optional
        The image of each caption, where several captions share one; references may be given by image.
    """

    ids: list[Any]
    captions: list[Any]
    source: str
    by_position: bool = False
    positions: int | None = None
    other_ids: dict[str, list[Any]] = field(default_factory=dict)
    images: list[Any] | None = None


@dataclass
class PairedTable:
    """Rows that carry candidate and references together.

    ``images`` names the image of each row where several rows share one.
    """

    ids: list[Any]
    candidates: list[Any]
    references: list[Any]
    source: str
    images: list[Any] | None = None

    def captions(self) -> CaptionTable:
        """Return the candidates alone, for references from elsewhere."""
        return CaptionTable(self.ids, self.candidates, self.source, images=self.images)


def normalise_id(identifier: object) -> str:
    """Return an id as text: ``1`` and ``"1"`` are the same id.

    Examples
    --------
    >>> normalise_id(391895), normalise_id("391895")
    ('391895', '391895')
    """
    if type(identifier) is str:
        return identifier
    if isinstance(identifier, int | np.integer) and not isinstance(identifier, bool):
        return str(int(identifier))
    if isinstance(identifier, str):
        return str(identifier)
    raise InputError(f"An id must be text or a whole number, not {identifier!r} ({type(identifier).__name__}).")


def normalise_ids(ids: Iterable[object]) -> list[str]:
    """Normalise many ids; the two ordinary types without a call each."""
    return [
        identifier
        if type(identifier) is str
        else str(identifier)
        if type(identifier) is int
        else normalise_id(identifier)
        for identifier in ids
    ]


def table_of(captions: object, what: str, source: str = "", *, may_be_none: bool = False) -> CaptionTable:
    """Turn what a caller passed as candidates or references into a table.

    Accepted are sequences (by position) and mappings (by id) of strings or of sequences of strings; an empty sequence
    only with ``may_be_none`` (references). Where a string may stand, a list of tuples may: a scene graph.
    """
    if isinstance(captions, CaptionTable):
        return captions
    if isinstance(captions, str | bytes) or not isinstance(captions, Sequence | Mapping):
        wanted = "a list of captions or a mapping from id to caption"
        raise InputError(f"{what} must be {wanted}, not {type(captions).__name__}.")
    by_position = not isinstance(captions, Mapping)
    items: Iterable[tuple[Any, Any]] = enumerate(captions) if by_position else captions.items()  # type: ignore[union-attr]
    ids: list[Any] = []
    texts: list[Any] = []
    for identifier, value in items:
        if isinstance(value, list | tuple) and (may_be_none or not is_scene_graph(value)):
            if not value and not may_be_none:
                raise InputError(f"{what} must have a caption for every id, but {identifier!r} has an empty list.")
            ids.extend([identifier] * len(value))
            texts.extend(value)
        else:
            ids.append(identifier)
            texts.append(value)
    return CaptionTable(ids, texts, source, by_position, len(captions) if by_position else None)


def reference_table(references: object) -> CaptionTable:
    """Like `table_of`, for references given in Python: each item must be a sequence of captions."""
    if isinstance(references, Sequence | Mapping) and not isinstance(references, str | bytes):
        values = references.values() if isinstance(references, Mapping) else references
        for value in values:
            if isinstance(value, str):
                raise InputError(
                    "References must be a list of captions for each candidate, but one of them is a single string "
                    f'({value[:40]!r}): write ["..."] around it.'
                )
    return table_of(references, "The references", may_be_none=True)
