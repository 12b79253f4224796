"""Captions taken in: text, or scene graphs given as tuples, which are stored as text; what is odd is said."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from caplens.corpus.findings import notices_of
from caplens.errors import InputError, Notice, counted, name_some
from caplens.text import given_tuples
from caplens.text.captions import Captions, Finding


def take(texts: list[Any], side: str, identifier: Callable[[int], str]) -> tuple[Captions, tuple[Notice, ...]]:
    """Take the captions of one side in.

    Parameters
    ----------
    texts : list
        Captions; a list of tuples is a scene graph.
    side : str
        What they are, for messages: ``"candidate"`` or ``"reference"``.
    identifier : callable
        Returns the id of a place, for messages.

    Examples
    --------
    >>> captions, _ = take(["a tall man", [("man",), ("Man", "tall")]], "reference", str)
    >>> list(captions)
    ['a tall man', '[["man"],["man","tall"]]']
    """
    captions, found = Captions.from_texts(texts)
    lists = [
        place for place in np.flatnonzero(found & Finding.NOT_TEXT).tolist() if isinstance(texts[place], list | tuple)
    ]
    written = given_tuples.places_to_rewrite(captions)
    if lists or written:
        captions, found = Captions.from_texts(_with_graphs_as_text(texts, [*lists, *written], side, identifier))
    return captions, tuple(notices_of(found, side, identifier))


def _with_graphs_as_text(texts: list[Any], places: list[int], side: str, identifier: Callable[[int], str]) -> list[Any]:
    rewritten = list(texts)
    refused: dict[int, InputError] = {}
    for place in sorted(places):
        given = texts[place]
        try:
            rewritten[place] = given_tuples.rewrite(given) if isinstance(given, str) else given_tuples.write(given)
        except InputError as error:
            refused[place] = error
    if refused:
        ids = list(dict.fromkeys(identifier(place) for place in refused))
        are = "is neither text nor a scene graph" if len(refused) == 1 else "are neither text nor scene graphs"
        raise InputError(f"{counted(len(refused), side)} {are} (id {name_some(ids)}): {next(iter(refused.values()))}")
    return rewritten
