"""Captions taken in: text, or scene graphs in their place, which get a column of their own; what is odd is said."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from caplens.corpus.findings import notices_of
from caplens.corpus.graphs import SceneTuples, TupleGraph, checked_graph, written_graph
from caplens.errors import InputError, Notice, counted, name_some
from caplens.text.captions import Captions, Finding


@dataclass(frozen=True, eq=False)
class TakenCaptions:
    """The captions of one side as they are kept.

    Attributes
    ----------
    captions : Captions
        The texts; where a scene graph stands, how it is shown to people.
    graphs : SceneTuples or None
        The scene graphs; None if there are only captions.
    notices : tuple of Notice
        What was odd.
    """

    captions: Captions
    graphs: SceneTuples | None
    notices: tuple[Notice, ...]


def take(texts: Sequence[Any], side: str, identifier: Callable[[int], str]) -> TakenCaptions:
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
    >>> taken = take(["a tall man", [("man",), ("Man", "tall")]], "reference", str)
    >>> taken.graphs[1], list(taken.captions)
    ((('man',), ('man', 'tall')), ['a tall man', '[["man"],["man","tall"]]'])
    """
    captions, found = Captions.from_texts(texts)
    if not found.any():
        return TakenCaptions(captions, None, ())
    lists = [
        place for place in np.flatnonzero(found & Finding.NOT_TEXT).tolist() if isinstance(texts[place], list | tuple)
    ]
    graphs = None
    if lists:
        column: list[TupleGraph | None] = [None] * len(texts)
        shown = list(texts)
        for place, graph in _checked(texts, lists, side, identifier).items():
            column[place] = graph
            shown[place] = written_graph(graph)
        graphs = SceneTuples(column)
        captions, found = Captions.from_texts(shown)
    return TakenCaptions(captions, graphs, tuple(notices_of(found, side, identifier)))


def _checked(
    texts: Sequence[Any], places: list[int], side: str, identifier: Callable[[int], str]
) -> dict[int, TupleGraph]:
    graphs: dict[int, TupleGraph] = {}
    refused: dict[int, InputError] = {}
    for place in places:
        try:
            graphs[place] = checked_graph(texts[place])
        except InputError as error:
            refused[place] = error
    if refused:
        ids = list(dict.fromkeys(identifier(place) for place in refused))
        are = "is neither text nor a scene graph" if len(refused) == 1 else "are neither text nor scene graphs"
        raise InputError(f"{counted(len(refused), side)} {are} (id {name_some(ids)}): {next(iter(refused.values()))}")
    return graphs
