"""Captions that people judged, and the conventions (presets) by which papers turn them into rows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal, Protocol, TypeVar

import numpy as np
import numpy.typing as npt

from caplens.errors import InputError, UsageError
from caplens.text.tokenizers import get_tokenizer

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class LeftOut:
    """Rows that a study does not use.

    Attributes
    ----------
    code : str
        A stable short name.
    why : str
        The reason, for people.
    ids : tuple of str
        All of them.
    """

    code: str
    why: str
    ids: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        return {"count": len(self.ids), "why": self.why, "ids": list(self.ids)}


@dataclass(frozen=True)
class Preset:
    """How a paper or tool correlates scores of captions with people.

    Attributes
    ----------
    name, source : str
        What it is called, and whose convention it is.
    coefficient : str
        The coefficient that the paper reports; the others are computed too.
    rows : {"captions", "judgments"}
        Whether a row is a caption with its mean rating, or a single judgment.
    own : {"kept", "left out", "reference removed"}
        What happens to a candidate that is among its own references.
    aspects : tuple of str
        The ratings to use; of several, the mean of the correlations is reported. Empty: the only one there is.
    factor : int
        The paper prints coefficients times this.
    without : tuple of str
        Systems whose captions are left out.
    printed : mapping of str to float
        What the paper prints, by the key of the score.
    note : str
        What else should be known.
    """

    name: str
    source: str
    coefficient: str
    rows: Literal["captions", "judgments"] = "captions"
    own: Literal["kept", "left out", "reference removed"] = "kept"
    aspects: tuple[str, ...] = ()
    factor: int = 1
    without: tuple[str, ...] = ()
    printed: Mapping[str, float] = field(default_factory=dict)
    note: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return plain data."""
        data = {**self.__dict__, "aspects": list(self.aspects), "without": list(self.without)}
        data["printed"] = dict(self.printed)
        return data


@dataclass(frozen=True, eq=False)
class JudgedCaptions:
    """Captions with references and human ratings.

    Attributes
    ----------
    ids : list of str
        One id a caption, all different: what a file of the user's own scores is matched by.
    images : list of str
        The image of each caption; intervals resample images.
    candidates : list of str
        The captions.
    references : list of tuple of str
        The references of each caption.
    ratings : dict of str to numpy.ndarray
        By aspect (such as correctness): one row a caption, one column a rater, NaN where a rater gave none.
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


def apply_preset(judged: JudgedCaptions, preset: Preset) -> JudgedCaptions:
    """Keep the captions, references and ratings that a preset uses."""
    aspects = preset.aspects or tuple(judged.ratings)[:1]
    unknown = [aspect for aspect in aspects if aspect not in judged.ratings]
    if unknown:
        raise InputError(
            f"The preset {preset.name!r} needs ratings of {unknown[0]}; the data only has {', '.join(judged.ratings)}."
        )
    judged = replace(judged, ratings={aspect: judged.ratings[aspect] for aspect in aspects})
    if preset.without and judged.systems is not None:
        theirs = np.array([system in preset.without for system in judged.systems])
        judged = judged.leave_out(theirs, "system", f"captions by {' and '.join(preset.without)}")
    rated = np.logical_and.reduce([np.isfinite(values).any(axis=1) for values in judged.ratings.values()])
    judged = judged.leave_out(~rated, "no-rating", "captions without a rating")
    if preset.own == "left out":
        judged = judged.leave_out(judged.own, "own-reference", "the candidate is among the image's own references")
    elif preset.own == "reference removed":
        judged = replace(judged, references=without_candidates(judged.candidates, judged.references))
    lonely = np.array([not references for references in judged.references], dtype=bool)
    judged = judged.leave_out(lonely, "no-reference", "captions without a reference (other than themselves)")
    if not len(judged):
        raise InputError("No judged caption is left: see the preset, and whether references match the judgments.")
    return judged


def equal_words() -> Callable[[str], tuple[str, ...]]:
    """Return a function whose values are equal where captions have the same words, whatever case and punctuation."""
    tokenize = get_tokenizer("ptb").tokenize
    known: dict[str, tuple[str, ...]] = {}

    def words(caption: str) -> tuple[str, ...]:
        if caption not in known:
            known[caption] = tuple(word for word in tokenize(caption) if any(map(str.isalnum, word)))
        return known[caption]

    return words


def among_references(candidates: Iterable[str], references: Iterable[Sequence[str]]) -> npt.NDArray[np.bool_]:
    """Tell for each caption whether one of its references has the same words.

    Examples
    --------
    >>> among_references(["a dog .", "a cat"], [["A dog."], ["A dog."]]).tolist()
    [True, False]
    """
    words = equal_words()
    found = [
        any(words(candidate) == words(reference) for reference in theirs)
        for candidate, theirs in zip(candidates, references, strict=True)
    ]
    return np.array(found, dtype=bool)


def without_candidates(candidates: Iterable[str], references: Iterable[Sequence[str]]) -> list[tuple[str, ...]]:
    """Return the references of each caption, without those that have the candidate's words."""
    words = equal_words()
    return [
        tuple(reference for reference in theirs if words(reference) != words(candidate))
        for candidate, theirs in zip(candidates, references, strict=True)
    ]


class Named(Protocol):
    """Something with a name."""

    @property
    def name(self) -> str:
        """The name."""


AnyPreset = TypeVar("AnyPreset", bound=Named)


def choose_preset(presets: Sequence[AnyPreset], name: str | None) -> AnyPreset:
    """Return a preset by name; the first is the default."""
    if name is None:
        return presets[0]
    for preset in presets:
        if preset.name == name.lower():
            return preset
    raise UsageError(f"There is no preset {name!r} here: choose from {', '.join(preset.name for preset in presets)}.")
