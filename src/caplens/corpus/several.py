"""Several candidates for one image: a list under one id, repeated ids, or rows that share an image."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal, TypeVar, cast, get_args

from caplens.corpus.core import Corpus
from caplens.corpus.graphs import is_scene_graph
from caplens.corpus.tables import CaptionTable, PairedTable, normalise_ids, take_columns
from caplens.errors import UsageError
from caplens.files.telling import said

Several = Literal["each", "mean", "best"]
"""What to do with several candidates of an image: score each as a row, take means per image, or the best per metric."""

Made = TypeVar("Made", bound=CaptionTable | PairedTable)


def several_hint() -> str:
    """Return how to ask for several candidates per image."""
    return said("--several each, mean or best", "several='each', 'mean' or 'best'")


def spread(table: Made, several: Several | None) -> Made:
    """Give every candidate a row and an id of its own, ``ID#1``, ``ID#2``, if several per image were asked for.

    Ids that do not repeat stay as they are. ``images`` then tells which rows belong together.

    Examples
    --------
    >>> table = spread(CaptionTable(["7", "7", "9"], ["a dog", "two dogs", "a cat"], "file"), "mean")
    >>> table.ids, table.images
    (['7#1', '7#2', '9#1'], ['7', '7', '9'])
    """
    if several is None:
        return table
    if several not in get_args(Several):
        raise UsageError(f"`several` must be one of {', '.join(get_args(Several))}, not {several!r}.")
    if isinstance(table, PairedTable):
        return cast("Made", _numbered(_one_candidate_each(table), several))
    return _numbered(table, several)


def _numbered(table: Made, several: Several) -> Made:
    names = normalise_ids(table.ids)
    if len(set(names)) == len(names):
        return replace(table, several=several)
    seen: Counter[str] = Counter()
    numbered: list[Any] = []
    for name in names:
        seen[name] += 1
        numbered.append(f"{name}#{seen[name]}")
    images = list(table.ids if table.images is None else table.images)
    return replace(table, ids=numbered, images=images, several=several)


def marked(corpus: Corpus, table: CaptionTable | PairedTable) -> Corpus:
    """Let a corpus know that its rows, which are those of a table, are several candidates of images."""
    if table.several is None:
        return corpus
    images = list(table.ids if table.images is None else table.images)
    return replace(corpus, several=table.several, images=images if table.keeps_ids else normalise_ids(images))


def image_counts(table: CaptionTable) -> Counter[str]:
    """Return how many candidates each image has."""
    return Counter(normalise_ids(table.ids if table.images is None else table.images))


def has_lists(candidates: Sequence[Any]) -> bool:
    """Tell whether a row has a list of candidates."""
    return any(type(value) is list and not is_scene_graph(value) for value in candidates)


def _one_candidate_each(table: PairedTable) -> PairedTable:
    """Turn rows that have a list of candidates into a row for each of them."""
    if not has_lists(table.candidates):
        return table
    lists = [value if type(value) is list and not is_scene_graph(value) else [value] for value in table.candidates]
    rows = [row for row, texts in enumerate(lists) for _ in texts]
    return replace(
        table.take(rows),
        candidates=[text for texts in lists for text in texts],
        columns=take_columns(table.columns, rows),
    )
