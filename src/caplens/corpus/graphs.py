"""Scene graphs that stand in the place of captions: a typed column of tuples beside the captions.

People write the relation in the middle, ``("man", "ride", "horse")``, and so does the column.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import TypeAlias, TypeGuard

import msgspec
import numpy as np
import numpy.typing as npt

from caplens.errors import InputError
from caplens.text.captions import Captions, as_places

GivenTuples: TypeAlias = Sequence[Sequence[str]]
"""A scene graph as callers and files give it."""

TupleGraph: TypeAlias = tuple[tuple[str, ...], ...]
"""A scene graph that was checked: objects, attributes and relations, lower-cased, with single spaces."""

_EXAMPLE = '[["man"], ["man", "tall"], ["man", "ride", "horse"]]'


class SceneTuples:
    """A column with a scene graph or None at each place; immutable.

    Parameters
    ----------
    graphs : sequence of (tuple or None)
        What `checked_graph` returns, None where a caption stands.

    Examples
    --------
    >>> column = SceneTuples([None, (("man",), ("man", "tall"))])
    >>> column.places.tolist(), column[1]
    ([1], (('man',), ('man', 'tall')))
    """

    def __init__(self, graphs: Sequence[TupleGraph | None]) -> None:
        self._graphs = tuple(graphs)

    def __len__(self) -> int:
        return len(self._graphs)

    def __getitem__(self, place: int) -> TupleGraph | None:
        return self._graphs[place]

    def __iter__(self) -> Iterator[TupleGraph | None]:
        return iter(self._graphs)

    @cached_property
    def places(self) -> npt.NDArray[np.int64]:
        """Where a scene graph stands."""
        return np.array([place for place, graph in enumerate(self._graphs) if graph is not None], dtype=np.int64)

    def take(self, indices: npt.ArrayLike) -> SceneTuples | None:
        """Return the column at ``indices``, in that order (repeats allowed); None if there is no graph among them."""
        chosen = [self._graphs[place] for place in as_places(indices, len(self)).tolist()]
        return None if all(graph is None for graph in chosen) else SceneTuples(chosen)


def cut_large(column: SceneTuples, most: int) -> tuple[SceneTuples, list[int]]:
    """Keep the first ``most`` tuples of each scene graph; also return the places of those that had more.

    Examples
    --------
    >>> column, larger = cut_large(SceneTuples([None, (("man",), ("man", "tall"))]), 1)
    >>> column[1], larger
    ((('man',),), [1])
    """
    larger = [place for place, graph in enumerate(column) if graph is not None and len(graph) > most]
    if not larger:
        return column, larger
    return SceneTuples([None if graph is None else graph[:most] for graph in column]), larger


def is_scene_graph(value: object) -> TypeGuard[GivenTuples]:
    """Tell whether a value is a list of lists of words, as scene graphs are; a list of strings is several captions.

    Examples
    --------
    >>> is_scene_graph([("man",), ("man", "tall")]), is_scene_graph(["a tall man"]), is_scene_graph('[["man"]]')
    (True, False, False)
    """
    if not isinstance(value, list | tuple) or not value or isinstance(value[0], str):
        return False  # at once: almost every list is one of captions
    return all(isinstance(entry, list | tuple) and entry and isinstance(entry[0], str) for entry in value)


def checked_graph(given: object) -> TupleGraph:
    """Check a scene graph, lower-case its words and leave single spaces in them.

    Parameters
    ----------
    given : sequence of sequences of str
        Objects, ``("man",)``, attributes, ``("man", "tall")``, and relations, ``("man", "ride", "horse")``.

    Raises
    ------
    InputError
        If it is something else.

    Examples
    --------
    >>> checked_graph([["man"], ["Man", "very  tall"], ["man", "ride", "horse"]])
    (('man',), ('man', 'very tall'), ('man', 'ride', 'horse'))
    >>> checked_graph([("man", "")])
    Traceback (most recent call last):
    ...
    caplens.errors.InputError: ('man', '') has an empty part: each part must contain at least one word.
    """
    if not isinstance(given, list | tuple) or not given:
        raise InputError(f"{_shown(given)} is not a list of tuples such as {_EXAMPLE}.")
    return tuple(_checked_tuple(entry) for entry in given)


def written_graph(graph: TupleGraph) -> str:
    """Return a scene graph as it is shown to people where a caption would be.

    Examples
    --------
    >>> written_graph((("man",), ("man", "ride", "horse")))
    '[["man"],["man","ride","horse"]]'
    """
    return msgspec.json.encode(graph).decode("utf-8")


def _checked_tuple(entry: object) -> tuple[str, ...]:
    if isinstance(entry, str):
        raise InputError(
            f"{_shown(entry)} is not a tuple: a scene graph is a list of tuples, such as {_EXAMPLE}; a pair of "
            f"brackets may be missing."
        )
    if not isinstance(entry, list | tuple) or not all(isinstance(part, str) for part in entry):
        raise InputError(f"{_shown(entry)} is not a tuple of strings.")
    if not 1 <= len(entry) <= 3:
        raise InputError(
            f"{_shown(entry)} has {len(entry)} parts: a tuple has one (object), two (object, attribute) or three "
            "(subject, relation, object)."
        )
    words = Captions.from_texts(list(entry))[0]  # control characters and the like are cleaned as in captions
    parts = tuple(" ".join(part.lower().split()) for part in words)
    if not all(parts):
        raise InputError(f"{_shown(entry)} has an empty part: each part must contain at least one word.")
    return parts


def _shown(value: object) -> str:
    """Return the beginning of a value as Python writes it."""
    written = repr(value)
    return written if len(written) <= 60 else f"{written[:60]}..."
