"""Pairs of captions of which people prefer one, and how agreement with them is counted."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Literal

import numpy as np
import numpy.typing as npt

from caplens.arrays import Floats
from caplens.meta.outcome import LeftOut
from caplens.readers.records import Record

Ties = Literal["right", "wrong", "half"]


@dataclass(frozen=True, eq=False)
class JudgedPairs:
    """Pairs of captions for an image, with people's votes.

    Attributes
    ----------
    ids : list of str
        One id per pair, all different; its captions are ``ID a`` and ``ID b``.
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
    images_of : str or None
        Which images these are, where they were chosen from a larger set.
    """

    ids: list[str]
    images: list[str]
    first: list[str]
    second: list[str]
    references: list[tuple[str, ...]]
    votes: dict[str, Floats]
    categories: list[str] | None = None
    left_out: tuple[LeftOut, ...] = ()
    images_of: str | None = None

    def __len__(self) -> int:
        return len(self.ids)

    @property
    def labels(self) -> list[str]:
        """The category of each pair; ``all`` where there are none."""
        return self.categories or ["all"] * len(self)

    def counts(self) -> dict[str, int]:
        """Return the number of pairs of each category."""
        return {category: self.labels.count(category) for category in dict.fromkeys(self.labels)}

    def items(self) -> list[Record]:
        """Return the captions as rows of a file, for a metric of the user's own; with all references."""
        return [
            {"id": f"{self.ids[row]} {letter}", "image": self.images[row], "candidate": captions[row]}
            | {"references": list(self.references[row])}
            | ({"kind": self.categories[row]} if self.categories else {})
            for row in range(len(self))
            for letter, captions in (("a", self.first), ("b", self.second))
        ]

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
            images_of=self.images_of,
        )


def draw_references(pairs: JudgedPairs, number: int | None, seed: int, draw: int | None) -> JudgedPairs:
    """Return the pairs with some of their references; all pairs of an image with the same ones.

    Parameters
    ----------
    pairs : JudgedPairs
        The pairs.
    number : int or None
        How many references each keeps; None or more than there are keeps all.
    seed : int
        Of the random choice.
    draw : int or None
        The number of the draw; None takes the first ``number``.
    """
    if number is None:
        return pairs
    chosen: dict[tuple[str, tuple[str, ...]], tuple[str, ...]] = {}
    generator = np.random.default_rng([seed, draw or 0])
    for image, references in zip(pairs.images, pairs.references, strict=True):
        if (image, references) not in chosen:
            order = np.arange(len(references)) if draw is None else generator.permutation(len(references))
            chosen[image, references] = tuple(references[place] for place in sorted(order[:number].tolist()))
    kept = [chosen[key] for key in zip(pairs.images, pairs.references, strict=True)]
    return replace(pairs, references=kept)


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
