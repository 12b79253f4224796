"""Scene graphs that are given instead of captions: tuples, stored among the captions as text.

People write the relation in the middle, ``("man", "ride", "horse")``, and so does the text; `read` returns them as the
rules for parsed captions do, with the relation last.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from caplens.errors import InputError
from caplens.text.captions import Captions

GivenTuples: TypeAlias = Sequence[Sequence[str]]

_OPENING, _CLOSING = '[["', '"]]'
_EXAMPLE = '[["man"], ["man", "tall"], ["man", "ride", "horse"]]'
_SHORTEST = len(_OPENING) + len(_CLOSING) + 1
_ANY_SPACING = re.compile(r'\[\s*\[\s*".*"\s*\]\s*\]\s*', re.DOTALL)


def write(tuples: object) -> str:
    """Return tuples as text: JSON, lower-cased, with single spaces.

    Parameters
    ----------
    tuples : sequence of sequences of str
        Objects, ``("man",)``, attributes, ``("man", "tall")``, and relations, ``("man", "ride", "horse")``.

    Raises
    ------
    InputError
        If they are something else.

    Examples
    --------
    >>> write([("man",), ("Man", "very  tall"), ("man", "ride", "horse")])
    '[["man"],["man","very tall"],["man","ride","horse"]]'
    >>> write([("man", "")])
    Traceback (most recent call last):
    ...
    caplens.errors.InputError: ('man', '') has an empty part: write each part as at least one word.
    """
    if not isinstance(tuples, list | tuple) or not tuples:
        raise InputError(f"{_shown(tuples)} is not a list of tuples such as {_EXAMPLE}.")
    return json.dumps([_normalised(entry) for entry in tuples], ensure_ascii=False, separators=(",", ":"))


def is_given(text: str) -> bool:
    """Tell whether a text is what `write` returns.

    Examples
    --------
    >>> is_given('[["man","tall"]]'), is_given("[[man]] a tall man")
    (True, False)
    """
    return text.startswith(_OPENING) and text.endswith(_CLOSING)


def read(text: str) -> list[tuple[str, ...]]:
    """Return the tuples of a text of `write` as proposals: the relation last.

    Examples
    --------
    >>> read('[["man"],["man","tall"],["man","ride","horse"]]')
    [('man',), ('man', 'tall'), ('man', 'horse', 'ride')]
    """
    return [(entry[0], entry[2], entry[1]) if len(entry) == 3 else tuple(entry) for entry in json.loads(text)]


def places(captions: Captions) -> npt.NDArray[np.int64]:
    """Return the places of captions that are given tuples.

    Examples
    --------
    >>> places(Captions.from_texts(["a man", '[["man"]]'])[0]).tolist()
    [1]
    """
    return np.array([place for place in _bracketed(captions) if is_given(captions[place])], dtype=np.int64)


def places_to_rewrite(captions: Captions) -> list[int]:
    """Return the places of captions that are tuples as JSON, whatever their spacing: `rewrite` does the rest.

    Examples
    --------
    >>> places_to_rewrite(Captions.from_texts(["a man", '[ ["Man"] ]', "[man]"])[0])
    [1]
    """
    return [place for place in _bracketed(captions) if _ANY_SPACING.fullmatch(captions[place])]


def rewrite(text: str) -> str:
    """Return tuples written as JSON in the form of `write`.

    Examples
    --------
    >>> rewrite('[ ["Man"], ["man", "tall"] ]')
    '[["man"],["man","tall"]]'
    """
    try:
        tuples = json.loads(text)
    except (ValueError, RecursionError):
        raise InputError(f"{_shown(text)} begins like a list of tuples but is not valid JSON.") from None
    return write(tuples)


def _bracketed(captions: Captions) -> list[int]:
    """Return the places of captions that begin with a bracket: ordinary captions are told apart without a loop."""
    # An empty caption at the end starts where no byte is: it takes the last one, and is too short below.
    first_bytes = captions.buffer.take(captions.offsets[:-1], mode="clip") if len(captions.buffer) else captions.buffer
    bracketed = np.flatnonzero(first_bytes == ord("["))
    sizes = captions.offsets[bracketed + 1] - captions.offsets[bracketed]
    long_enough: list[int] = bracketed[sizes >= _SHORTEST].tolist()
    return long_enough


def _normalised(entry: object) -> list[str]:
    if isinstance(entry, str):
        raise InputError(
            f"{_shown(entry)} stands where a tuple should: a scene graph is a list of tuples, such as {_EXAMPLE}, so "
            "one pair of brackets may be missing."
        )
    if not isinstance(entry, list | tuple) or not all(isinstance(part, str) for part in entry):
        raise InputError(f"{_shown(entry)} is not a tuple of strings.")
    if not 1 <= len(entry) <= 3:
        raise InputError(
            f"{_shown(entry)} has {len(entry)} parts: a tuple has one (object), two (object, attribute) or three "
            "(subject, relation, object)."
        )
    parts = [" ".join(part.lower().split()) for part in entry]
    if not all(parts):
        raise InputError(f"{_shown(entry)} has an empty part: write each part as at least one word.")
    return parts


def _shown(value: object) -> str:
    """Return the beginning of a value as Python writes it."""
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:60]}..."
