"""Captions as readers and callers hand them over: with ids, not validated."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain
from typing import Any, overload

import numpy as np
import numpy.typing as npt

from caplens.corpus.graphs import is_scene_graph
from caplens.errors import InputError, Notice, counted
from caplens.text.captions import Texts

Column = Sequence[Any] | npt.NDArray[Any]


class Numbers(Sequence[int]):
    """Whole numbers that are ids, in an array: a list that makes a Python number only of what is looked at.

    Examples
    --------
    >>> numbers = Numbers(np.array([42, 7]))
    >>> numbers, numbers[-1], numbers == [42, 7]
    ([42, 7], 7, True)
    """

    __slots__ = ("values",)
    __hash__ = None  # type: ignore[assignment]  # as of a list

    def __init__(self, values: npt.NDArray[np.int64]) -> None:
        self.values = values

    def __len__(self) -> int:
        return len(self.values)

    @overload
    def __getitem__(self, index: int) -> int: ...
    @overload
    def __getitem__(self, index: slice) -> list[int]: ...
    def __getitem__(self, index: int | slice) -> int | list[int]:
        found: int | list[int] = self.values[index].tolist()
        return found

    def __iter__(self) -> Iterator[int]:
        return iter(self.values.tolist())

    def __eq__(self, other: object) -> bool:
        return list(self) == list(other) if isinstance(other, Numbers | list) else NotImplemented

    def __repr__(self) -> str:
        return repr(list(self))

    def take(self, places: npt.NDArray[np.int64]) -> Numbers:
        """Return some of them, in that order."""
        return Numbers(self.values[places])


def choose(values: Sequence[Any], rows: Sequence[int] | npt.NDArray[np.int64]) -> Sequence[Any]:
    """Return some entries of a column, in that order.

    Examples
    --------
    >>> choose("abc", [2, 0])
    ['c', 'a']
    """
    if isinstance(rows, np.ndarray) and np.array_equal(rows, np.arange(len(values))):
        return values
    if isinstance(values, Numbers | Texts):
        return values.take(np.asarray(rows, dtype=np.int64))
    return [values[row] for row in (rows.tolist() if isinstance(rows, np.ndarray) else rows)]


@dataclass(repr=False)
class CaptionTable:
    """Captions with the ids they belong to, as a reader found them: not validated, an id may repeat.

    Attributes
    ----------
    ids : list or Numbers
        One id (str or int) a caption.
    captions : list or Texts
        One caption each, or a list of tuples instead (a scene graph); what is neither is reported by validation.
    source : str
        The file they came from, for messages; empty for captions given in Python.
    by_position : bool
        The ids only count positions (plain text, Python lists).
    positions : int, optional
        How many positions there are, where one may have no caption at all (an empty list of references).
    other_ids : dict of str to list
        Further ids that the file offers for the same captions; whichever matches the other side is used.
    images : list, optional
        The image of each caption, where several captions share one; references may be given by image.
    groups : list, optional
        Labels of the captions that are resampled together; by default those of one image.
    columns : dict of str to sequence
        Further columns, one entry per caption.
    notices : tuple of Notice
        What was odd about the file.
    keeps_ids : bool
        Results have the ids as they are here, such as numbers of a Python caller; those of files become text.
    several : str, optional
        What is done with several candidates of an image, see `caplens.corpus.several`.
    """

    ids: Sequence[Any]
    captions: Sequence[Any]
    source: str
    by_position: bool = False
    positions: int | None = None
    other_ids: dict[str, list[Any]] = field(default_factory=dict)
    images: list[Any] | None = None
    groups: list[Any] | None = None
    columns: dict[str, Column] = field(default_factory=dict)
    notices: tuple[Notice, ...] = ()
    keeps_ids: bool = False
    several: str | None = None

    def __repr__(self) -> str:
        ids = "by position" if self.by_position else f"of {counted(len(set(map(str, self.ids))), 'id')}"
        return _shown_table("CaptionTable", self.captions, ids, self.source)

    @property
    def given_ids(self) -> list[Any] | None:
        """The ids as a caller gave them; None for those of a file, which are text in results."""
        return list(self.ids) if self.keeps_ids else None

    def take(self, rows: Sequence[int]) -> CaptionTable:
        """Return the captions of some rows, in that order."""

        def chosen(values: list[Any] | None) -> list[Any] | None:
            return None if values is None else [values[row] for row in rows]

        return replace(
            self,
            ids=choose(self.ids, rows),
            captions=choose(self.captions, rows),
            other_ids={kind: [ids[row] for row in rows] for kind, ids in self.other_ids.items()},
            images=chosen(self.images),
            groups=chosen(self.groups),
            columns=take_columns(self.columns, rows),
        )

    def labelled(self, groups: Sequence[Any] | None, columns: Mapping[str, Column] | None) -> CaptionTable:
        """Add groups and additional columns, if given."""
        found = check_labels(len(self.ids), groups, columns)
        return replace(self, **found) if found else self


@dataclass(repr=False)
class PairedTable:
    """Rows that carry candidate and references together.

    ``images`` names the image of each row where several rows share one; ``notices`` say what was odd about the file;
    ``columns`` are further ones, one entry per row; ``keeps_ids`` is that of `CaptionTable`; ``by_position`` tells that
    the ids only count rows; ``several`` is that of `CaptionTable`.
    """

    ids: list[Any]
    candidates: list[Any]
    references: list[Any]
    source: str
    images: list[Any] | None = None
    notices: tuple[Notice, ...] = ()
    columns: dict[str, Column] = field(default_factory=dict)
    keeps_ids: bool = False
    by_position: bool = False
    several: str | None = None

    def __repr__(self) -> str:
        return _shown_table("PairedTable", self.candidates, "with references", self.source)

    def take(self, rows: Sequence[int]) -> PairedTable:
        """Return some rows, in that order."""
        return replace(
            self,
            ids=[self.ids[row] for row in rows],
            candidates=[self.candidates[row] for row in rows],
            references=[self.references[row] for row in rows],
            images=None if self.images is None else [self.images[row] for row in rows],
            columns=take_columns(self.columns, rows),
        )

    def captions(self) -> CaptionTable:
        """Return the candidates alone, for references from elsewhere."""
        return CaptionTable(
            self.ids,
            self.candidates,
            self.source,
            images=self.images,
            columns=self.columns,
            notices=self.notices,
            keeps_ids=self.keeps_ids,
            several=self.several,
        )


def _shown_table(kind: str, captions: Sequence[Any], ids: str, source: str) -> str:
    """Write a table in a line: how many captions, where from, and the first of them."""
    where = f" from {source}" if source else ""
    first = f": {str(captions[0])[:60]!r}{', ...' if len(captions) > 1 else ''}" if captions else ""
    return f"{kind}({counted(len(captions), 'caption')} {ids}{where}{first})"


def take_columns(columns: Mapping[str, Column], rows: Sequence[int] | npt.NDArray[np.int64]) -> dict[str, Column]:
    """Return some rows of columns."""
    return {
        name: column[rows] if isinstance(column, np.ndarray) else [column[row] for row in rows]
        for name, column in columns.items()
    }


def check_labels(rows: int, groups: Sequence[Any] | None, columns: Mapping[str, Column] | None) -> dict[str, Any]:
    """Return groups and columns where they are given; they must have one entry per row."""
    found: dict[str, Any] = {}
    if groups is not None:
        if len(groups) != rows:
            raise InputError(f"There are {len(groups):,} group labels for {rows:,} rows.")
        found["groups"] = list(groups)
    for name, column in (columns or {}).items():
        if isinstance(column, str) or len(column) != rows:
            raise InputError(f"The column {name!r} has {len(column):,} entries for {rows:,} rows.")
        found.setdefault("columns", {})[name] = column
    return found


def normalise_id(identifier: object) -> str:
    """Return an id as text: ``1`` and ``"1"`` are the same id.

    Examples
    --------
    >>> normalise_id(391895), normalise_id("391895")
    ('391895', '391895')
    """
    if type(identifier) is str:
        return identifier
    if isinstance(identifier, int | np.integer) and not isinstance(identifier, bool):
        return str(int(identifier))
    if isinstance(identifier, str):
        return str(identifier)
    raise InputError(f"An id must be text or a whole number, not {identifier!r} ({type(identifier).__name__}).")


def normalise_ids(ids: Iterable[object]) -> list[str]:
    """Normalise many ids; the two ordinary types without a call each."""
    if isinstance(ids, Numbers):
        return list(map(str, ids))
    found = [
        identifier
        if type(identifier) is str
        else str(identifier)
        if type(identifier) is int
        else normalise_id(identifier)
        for identifier in ids
    ]
    try:
        "".join(found).encode()
    except UnicodeEncodeError as error:
        odd = next(identifier for identifier in found if not _is_unicode(identifier))
        raise InputError(
            f"The id {odd!r} contains a lone surrogate, which cannot be written to a file: rename it."
        ) from error
    return found


def _is_unicode(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def table_of(captions: object, what: str, source: str = "", *, may_be_none: bool = False) -> CaptionTable:
    """Turn what a caller passed as candidates or references into a table.

    Accepted are sequences (by position) and mappings (by id) of strings or of sequences of strings; an empty sequence
    only with ``may_be_none`` (references). Where a string may stand, a list of tuples may: a scene graph.
    """
    if isinstance(captions, CaptionTable):
        return captions
    if isinstance(captions, str | bytes) or not isinstance(captions, Sequence | Mapping):
        wanted = "a list of captions or a mapping from id to caption"
        raise InputError(f"{what} must be {wanted}, not {type(captions).__name__}.")
    by_position = not isinstance(captions, Mapping)
    owners: Sequence[Any] = range(len(captions)) if by_position else list(captions)
    values: list[Any] = list(captions) if by_position else list(captions.values())  # type: ignore[union-attr]
    kinds = set(map(type, values))
    if kinds == {str}:
        counts, texts = np.ones(len(values), dtype=np.int64), values
    elif may_be_none and kinds <= {list, tuple}:
        counts = np.fromiter(map(len, values), dtype=np.int64, count=len(values))
        texts = list(chain.from_iterable(values))
    else:
        counts, texts = _one_by_one(owners, values, what, may_be_none=may_be_none)
    places = np.repeat(np.arange(len(values)), counts)
    ids = Numbers(places) if by_position else [owners[place] for place in places.tolist()]
    return CaptionTable(ids, texts, source, by_position, len(values) if by_position else None, keeps_ids=True)


def _one_by_one(
    owners: Sequence[Any], values: list[Any], what: str, *, may_be_none: bool
) -> tuple[npt.NDArray[np.int64], list[Any]]:
    """Return how many captions each value holds, and all of them; some are lists, and others scene graphs or texts."""
    counts: list[int] = []
    texts: list[Any] = []
    for owner, value in zip(owners, values, strict=True):
        if isinstance(value, list | tuple) and (may_be_none or not is_scene_graph(value)):
            if not value and not may_be_none:
                raise InputError(f"{what} must have a caption for every id, but {owner!r} has an empty list.")
            counts.append(len(value))
            texts.extend(value)
        else:
            counts.append(1)
            texts.append(value)
    return np.array(counts, dtype=np.int64), texts


def reference_table(references: object) -> CaptionTable:
    """Like `table_of`, for references given in Python: each item must be a sequence of captions."""
    if isinstance(references, Sequence | Mapping) and not isinstance(references, str | bytes):
        values = references.values() if isinstance(references, Mapping) else references
        if any(issubclass(kind, str) for kind in set(map(type, values))):
            alone = next(value for value in values if isinstance(value, str))
            raise InputError(
                "References must be a list of captions for each candidate, but one of them is a single string "
                f'({alone[:40]!r}): wrap it in a list, ["..."].'
            )
    return table_of(references, "The references", may_be_none=True)
