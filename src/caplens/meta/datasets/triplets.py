"""Triplets: is B or C more similar to the reference A? The votes of 48 references decide a pair."""

from __future__ import annotations

import io
import math
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import groupby
from pathlib import Path
from typing import Any

import numpy as np

from caplens.errors import InputError, MissingDataError
from caplens.files.opening import opened
from caplens.readers.records import numbers, read_records, require_columns

Triplet = tuple[str, str, str, float]
# The fields of the original files: a reference, the two captions, and the vote.
_FIELDS = ("A", "B", "C", "rating")


@dataclass(frozen=True)
class VotedPair:
    """Two captions, the references that they were compared with, and the votes."""

    first: str
    second: str
    references: tuple[str, ...]
    votes: tuple[int, int]

    def votes_for(self, caption: str) -> float:
        """Return how many votes a caption has; NaN where the triplets are not about it."""
        found = [place for place, other in enumerate((self.first, self.second)) if other.split() == caption.split()]
        return float(self.votes[found[0]]) if found else math.nan


def matlab(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Read variables from a MATLAB file, plain or gzip."""
    try:
        from scipy.io import loadmat
        from scipy.io.matlab import MatReadError
    except ImportError:
        raise MissingDataError(f'{path} is a MATLAB file, which needs scipy: pip install "caplens[matlab]".') from None
    with opened(path) as content:
        data = io.BytesIO(content.read())
    try:
        found: dict[str, Any] = loadmat(data, variable_names=list(names))
    except (MatReadError, ValueError, TypeError, KeyError, NotImplementedError, OSError, zlib.error) as error:
        raise InputError(f"{path} cannot be read as a MATLAB file: {error}.") from error
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(f"{path} has no variable {missing[0]!r}.")
    return found


def read_triplets(path: Path, number: int | None = None) -> list[VotedPair]:
    """Read triplets from JSON rows (``ref``, ``b``, ``c``, ``vote``) or from the original MATLAB file.

    A vote of 1 is for B, -1 for C.

    Parameters
    ----------
    path : pathlib.Path
        The file: ABSTRACT-50S and PASCAL-50S have the same layout.
    number : int, optional
        How many pairs there are, each with as many triplets; else consecutive triplets with the same B and C are one.
    """
    triplets = _triplets(path)
    if number is None:
        return [_pair(list(group)) for _, group in groupby(triplets, key=lambda triplet: triplet[1:3])]
    each, left = divmod(len(triplets), number)
    if left or not each:
        raise InputError(f"{path} has {len(triplets):,} triplets, which is not a multiple of the {number:,} pairs.")
    return [_pair(triplets[first : first + each]) for first in range(0, len(triplets), each)]


def _pair(triplets: list[Triplet]) -> VotedPair:
    _, first, second, _ = triplets[0]
    votes = [vote for *_, vote in triplets]
    references = tuple(reference for reference, *_ in triplets)
    return VotedPair(first, second, references, (sum(vote > 0 for vote in votes), sum(vote < 0 for vote in votes)))


def _triplets(path: Path) -> list[Triplet]:
    if ".mat" in path.suffixes:
        rows = np.ravel(matlab(path, ("triplets",))["triplets"])
        if not len(rows) or len(rows.dtype.names or ()) != len(_FIELDS):
            raise InputError(f"The triplets in {path} are not a structure of {', '.join(_FIELDS)}.")
        return [
            (text_of(row[0]), text_of(row[1]), text_of(row[2]), float(np.ravel(row[3])[0])) for row in rows.tolist()
        ]
    table = read_records(path)
    require_columns(table, ["ref", "b", "c", "vote"], path)
    votes = numbers(table, "vote", path)
    return [
        (str(row["ref"]).strip(), str(row["b"]).strip(), str(row["c"]).strip(), vote)
        for row, vote in zip(table, votes, strict=True)
    ]


def text_of(value: object) -> str:
    """Return the text inside arrays of one element."""
    while isinstance(value, np.ndarray):
        value = np.ravel(value)[0] if value.size else ""
    return str(value).strip()
