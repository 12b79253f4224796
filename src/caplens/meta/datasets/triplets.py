"""Triplets: is B or C more similar to the reference A? The votes of 48 references decide a pair."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from caplens.errors import InputError
from caplens.meta.rows import read_rows, require_columns


@dataclass(frozen=True)
class VotedPair:
    """Two captions, the references that they were compared with, and the votes."""

    first: str
    second: str
    references: tuple[str, ...]
    votes: tuple[int, int]

    def votes_for(self, caption: str) -> float:
        """Return how many votes a caption has."""
        if caption not in (self.first, self.second):
            raise InputError(f"The caption {caption!r} of a pair is not in the triplets at its place.")
        return float(self.votes[0] if caption == self.first else self.votes[1])


def matlab(path: Path, names: Sequence[str]) -> dict[str, Any]:
    """Read variables from a MATLAB file."""
    from scipy.io import loadmat
    from scipy.io.matlab import MatReadError

    try:
        found: dict[str, Any] = loadmat(str(path), variable_names=list(names))
    except (MatReadError, ValueError, NotImplementedError) as error:
        raise InputError(f"{path} cannot be read as a MATLAB file: {error}.") from error
    missing = [name for name in names if name not in found]
    if missing:
        raise InputError(f"{path} has no variable {missing[0]!r}.")
    return found


def read_triplets(path: Path) -> list[VotedPair]:
    """Read triplets from JSON rows (``ref``, ``b``, ``c``, ``vote``) or from the original MATLAB file.

    A vote of 1 is for B, -1 for C. Consecutive triplets with the same B and C are one pair.
    """
    pairs: list[VotedPair] = []
    collected: list[tuple[str, float]] = []
    current: tuple[str, str] | None = None
    for reference, first, second, vote in [*_triplets(path), ("", "", "", 0.0)]:
        if (first, second) != current:
            if current is not None:
                pairs.append(_pair(*current, collected))
            current, collected = (first, second), []
        collected.append((reference, vote))
    return pairs


def _pair(first: str, second: str, triplets: list[tuple[str, float]]) -> VotedPair:
    votes = [vote for _, vote in triplets]
    references = tuple(reference for reference, _ in triplets)
    return VotedPair(first, second, references, (sum(vote > 0 for vote in votes), sum(vote < 0 for vote in votes)))


def _triplets(path: Path) -> list[tuple[str, str, str, float]]:
    if ".mat" in path.suffixes:
        rows = np.ravel(matlab(path, ("triplets",))["triplets"])
        return [(*(text_of(row[place]) for place in range(3)), float(np.ravel(row[3])[0])) for row in rows]  # type: ignore[misc]
    table = read_rows(path)
    require_columns(table, ["ref", "b", "c", "vote"], path)
    return [
        (str(row["ref"]).strip(), str(row["b"]).strip(), str(row["c"]).strip(), float(row["vote"])) for row in table
    ]


def text_of(value: object) -> str:
    """Return the text inside arrays of one element."""
    while isinstance(value, np.ndarray):
        value = np.ravel(value)[0] if value.size else ""
    return str(value).strip()
