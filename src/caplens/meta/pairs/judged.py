"""Pairs of captions of which people prefer one, and the conventions by which papers count agreement."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from caplens.errors import InputError, UsageError
from caplens.meta.captions.judged import LeftOut

Floats = npt.NDArray[np.float64]
Ties = Literal["right", "wrong", "half"]
TIES: tuple[str, ...] = get_args(Ties)


@dataclass(frozen=True)
class PairPreset:
    """How a paper counts agreement with people on pairs.

    Attributes
    ----------
    name, source : str
        What it is called, and whose convention it is.
    ties : {"right", "wrong", "half"}
        What two equal scores count.
    votes : str
        Which votes say what people prefer, where the data has several.
    references : int or None
        How many references are drawn for each image; None for all.
    categories : tuple of str
        The categories that are used; empty for all.
    printed : mapping
        What the paper prints in percent: by the key of the score, then by category.
    note : str
        What else should be known.
    """

    name: str
    source: str
    ties: Ties
    votes: str = "votes"
    references: int | None = 5
    categories: tuple[str, ...] = ()
    printed: Mapping[str, Mapping[str, float]] = field(default_factory=dict)
    note: str = ""

    def changed(self, ties: str | None = None, references: int | None = None) -> PairPreset:
        """Return the preset with what the user asked for instead."""
        if ties is not None and ties not in TIES:
            raise UsageError(f"Ties count {', '.join(TIES)}, not {ties!r}.")
        if references is not None and references < 1:
            raise UsageError(f"There must be at least one reference, not {references}.")
        chosen: Any = ties or self.ties
        return replace(self, ties=chosen, references=references or self.references)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {
            **self.__dict__,
            "categories": list(self.categories),
            "printed": {key: dict(shares) for key, shares in self.printed.items()},
        }


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """Pairs of captions for an image, with people's votes.

    Attributes
    ----------
    ids : list of str
        One id a pair, all different; its captions are ``ID a`` and ``ID b``.
    images : list of str
        The image of each pair.
    first, second : list of str
        The captions.
    references : list of tuple of str
        The references of each pair.
    votes : dict of str to numpy.ndarray
        By kind of vote: how many prefer the first and how many the second caption, shape (pairs, 2).
    categories : list of str or None
        The kind of each pair, such as HC or MM.
    left_out : tuple of LeftOut
        What was left out so far.
    """

    ids: list[str]
    images: list[str]
    first: list[str]
    second: list[str]
    references: list[tuple[str, ...]]
    votes: dict[str, Floats]
    categories: list[str] | None = None
    left_out: tuple[LeftOut, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def leave_out(self, rows: npt.NDArray[np.bool_], code: str, why: str) -> JudgedPairs:
        """Return the pairs without some rows, which are listed as left out."""
        if not rows.any():
            return self
        kept = np.flatnonzero(~rows).tolist()
        gone = LeftOut(code, why, tuple(self.ids[row] for row in np.flatnonzero(rows).tolist()))
        return JudgedPairs(
            ids=[self.ids[row] for row in kept],
            images=[self.images[row] for row in kept],
            first=[self.first[row] for row in kept],
            second=[self.second[row] for row in kept],
            references=[self.references[row] for row in kept],
            votes={kind: votes[kept] for kind, votes in self.votes.items()},
            categories=None if self.categories is None else [self.categories[row] for row in kept],
            left_out=(*self.left_out, gone),
        )


def apply_pair_preset(pairs: JudgedPairs, preset: PairPreset) -> JudgedPairs:
    """Keep the votes that a preset uses, and the pairs that they decide."""
    if preset.votes not in pairs.votes:
        raise InputError(
            f"The preset {preset.name!r} needs the votes {preset.votes!r}; the data only has {', '.join(pairs.votes)}."
        )
    votes = pairs.votes[preset.votes]
    pairs = replace(pairs, votes={preset.votes: votes})
    if preset.categories and pairs.categories is not None:
        others = np.array([category not in preset.categories for category in pairs.categories])
        pairs = pairs.leave_out(others, "other-kind", f"kinds other than {', '.join(preset.categories)}")
        votes = pairs.votes[preset.votes]
    pairs = pairs.leave_out(votes[:, 0] == votes[:, 1], "tied-votes", "the votes for both captions are equal")
    if not len(pairs):
        raise InputError("No pair is left: the votes decide none.")
    return pairs


def agreement(first: Floats, second: Floats, prefers_first: npt.NDArray[np.bool_], ties: Ties) -> Floats:
    """Return for each pair 1 where the score prefers the caption that people prefer, else 0; ties as asked for.

    NaN where a score does not exist.

    Examples
    --------
    >>> first, second = np.array([0.3, 0.2, 0.5]), np.array([0.1, 0.4, 0.5])
    >>> agreement(first, second, np.array([True, True, True]), "half").tolist()
    [1.0, 0.0, 0.5]
    """
    # Sums in another order make scores that should be equal differ in their last digits.
    margin = 1e-12 * np.maximum(np.abs(first), np.abs(second))
    difference = np.where(prefers_first, first - second, second - first)
    tie = {"right": 1.0, "wrong": 0.0, "half": 0.5}[ties]
    found = np.where(np.abs(difference) <= margin, tie, (difference > 0).astype(np.float64))
    return np.where(np.isfinite(difference), found, np.nan)
