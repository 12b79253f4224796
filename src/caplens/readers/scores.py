"""Scores of rows that were made elsewhere: a table with a column ``id``, perhaps ``system``, and columns of numbers."""

from __future__ import annotations

from collections.abc import Sequence

from caplens.corpus import normalise_id
from caplens.errors import InputError, counted, name_some
from caplens.readers.records import Record, require_columns

ID = "id"
SYSTEM = "system"


def by_system(rows: Sequence[Record], source: str) -> dict[str, list[Record]]:
    """Divide rows by their column ``system``; without one they all belong to the system without a name.

    Examples
    --------
    >>> by_system([{"id": 1, "system": "a", "clip": 0.5}, {"id": 1, "system": "b", "clip": 0.25}], "scores.csv")
    {'a': [{'id': 1, 'system': 'a', 'clip': 0.5}], 'b': [{'id': 1, 'system': 'b', 'clip': 0.25}]}
    """
    if not any(SYSTEM in row for row in rows):
        return {"": list(rows)}
    require_columns(rows, [SYSTEM], source)
    found: dict[str, list[Record]] = {}
    for row in rows:
        found.setdefault(str(row[SYSTEM]), []).append(row)
    return found


def row_by_id(rows: Sequence[Record], source: str) -> dict[str, int]:
    """Return the row of each id; an id that occurs twice is refused.

    Examples
    --------
    >>> row_by_id([{"id": 7, "clip": 0.5}, {"id": "8", "clip": 0.25}], "scores.csv")
    {'7': 0, '8': 1}
    """
    require_columns(rows, [ID], source)
    found: dict[str, int] = {}
    repeated = []
    for place, row in enumerate(rows):
        key = normalise_id(row[ID])
        if found.setdefault(key, place) != place:
            repeated.append(key)
    if repeated:
        raise InputError(f"{source} has {counted(len(repeated), 'repeated id')} ({name_some(repeated)}).")
    return found
