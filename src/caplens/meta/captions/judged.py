"""Captions that people judged."""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt

from caplens.arrays import Floats
from caplens.meta.outcome import LeftOut
from caplens.text.tokenizers import get_tokenizer


@dataclass(frozen=True, eq=False)
class JudgedCaptions:
    """Captions with references and human ratings.

    Attributes
    ----------
    ids : list of str
        One id per caption, all different: what a file of the user's own scores is matched by.
    images : list of str
        The image of each caption; intervals resample images.
    candidates : list of str
        The captions.
    references : list of tuple of str
        The references of each caption.
    ratings : dict of str to numpy.ndarray
        By aspect (such as correctness): one row per caption, one column a rater, NaN where a rater gave none.
    own : numpy.ndarray of bool
        Whether the candidate is among its references, as far as the data says so.
    systems : list of str or None
        Who wrote each caption.
    left_out : tuple of LeftOut
        What was left out so far.
    """

    ids: list[str]
    images: list[str]
    candidates: list[str]
    references: list[tuple[str, ...]]
    ratings: dict[str, Floats]
    own: npt.NDArray[np.bool_]
    systems: list[str] | None = None
    left_out: tuple[LeftOut, ...] = ()

    def __len__(self) -> int:
        return len(self.ids)

    def leave_out(self, rows: npt.NDArray[np.bool_], code: str, why: str) -> JudgedCaptions:
        """Return the captions without some rows, which are listed as left out."""
        if not rows.any():
            return self
        kept = np.flatnonzero(~rows).tolist()
        gone = LeftOut(code, why, tuple(self.ids[row] for row in np.flatnonzero(rows).tolist()))
        return JudgedCaptions(
            ids=[self.ids[row] for row in kept],
            images=[self.images[row] for row in kept],
            candidates=[self.candidates[row] for row in kept],
            references=[self.references[row] for row in kept],
            ratings={aspect: values[kept] for aspect, values in self.ratings.items()},
            own=self.own[kept],
            systems=None if self.systems is None else [self.systems[row] for row in kept],
            left_out=(*self.left_out, gone),
        )


def equal_words() -> Callable[[str], tuple[str, ...]]:
    """Return a function whose values are equal where captions have the same words, whatever case and punctuation."""
    tokenize = get_tokenizer("ptb").tokenize
    known: dict[str, tuple[str, ...]] = {}

    def words(caption: str) -> tuple[str, ...]:
        if caption not in known:
            known[caption] = tuple(word for word in tokenize(caption) if any(map(str.isalnum, word)))
        return known[caption]

    return words


def letters_and_digits(caption: str) -> str:
    """Return what makes two captions the same: their letters and digits, whatever case, spaces and punctuation.

    Words would not do: data sets write one caption in several ways, which tokenizers cut differently.

    Examples
    --------
    >>> letters_and_digits("A t - shirt.") == letters_and_digits("a t-shirt")
    True
    """
    plain = unicodedata.normalize("NFC", caption).casefold()
    # Marks (M) are letters too: without them, different words of Hindi would be the same.
    return "".join(mark for mark in plain if mark.isalnum() or unicodedata.category(mark).startswith("M"))


def among_references(candidates: Iterable[str], references: Iterable[Sequence[str]]) -> npt.NDArray[np.bool_]:
    """Tell for each caption whether it is one of its references, by `letters_and_digits`.

    Examples
    --------
    >>> among_references(["a dog .", "a cat"], [["A dog."], ["A dog."]]).tolist()
    [True, False]
    """
    spelled = cache(letters_and_digits)
    found = [
        any(spelled(candidate) == spelled(reference) for reference in theirs)
        for candidate, theirs in zip(candidates, references, strict=True)
    ]
    return np.array(found, dtype=bool)


def without_candidates(candidates: Iterable[str], references: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the references of each caption, without those that are the candidate, by `letters_and_digits`."""
    spelled = cache(letters_and_digits)
    return [
        tuple(reference for reference in theirs if spelled(reference) != spelled(candidate))
        for candidate, theirs in zip(candidates, references, strict=True)
    ]
