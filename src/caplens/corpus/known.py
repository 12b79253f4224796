"""References that were taken in once, for candidates that come later: other systems, batches of a training loop."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any, cast

import numpy as np
import numpy.typing as npt

from caplens.corpus.core import Corpus, ReferenceSets, number_labels
from caplens.corpus.matching import (
    Missing,
    check_missing,
    collect,
    group_labels,
    missing_references,
    refuse_strangers,
    take_candidates,
    unique_ids,
)
from caplens.corpus.several import marked
from caplens.corpus.tables import CaptionTable, normalise_ids, reference_table, table_of
from caplens.errors import InputError, Notice, UsageError, counted, name_some

_DIGITS = 19


@dataclass(frozen=True, eq=False)
class KnownReferences:
    """Reference sets by id, to which captions are assigned.

    Attributes
    ----------
    sets : ReferenceSets
        All of them.
    by_position : bool
        The ids only count positions.
    notices : tuple of Notice
        What was odd about the references.
    other_ids : tuple of dict
        Further ids of the same sets, by kind; whichever most captions use is taken.
    """

    sets: ReferenceSets
    by_position: bool = False
    notices: tuple[Notice, ...] = ()
    other_ids: tuple[dict[str, int], ...] = ()

    @classmethod
    def of(cls, references: object) -> KnownReferences:
        """Take references in, all of them.

        Examples
        --------
        >>> known = KnownReferences.of({1: ["a dog"], 2: ["a cat", "two cats"]})
        >>> known.assign(batch_table(["cats", "a cat"], ids=["2", "2"]), repeats=True).reference_set.tolist()
        [1, 1]
        """
        if isinstance(references, ReferenceSets):
            return cls(references)
        table = reference_table(references)
        sets, notices = collect(table)
        if table.positions is not None and table.positions > len(sets):
            known = set(sets.ids)
            empty = [place for place in range(table.positions) if str(place) not in known]
            raise InputError(
                f"{len(empty):,} of {table.positions:,} items have no references (positions {name_some(empty)}): "
                f"remove them, or pass references by id."
            )
        place = {identifier: number for number, identifier in enumerate(sets.ids)}
        numbers = [place[identifier] for identifier in normalise_ids(table.ids)] if table.other_ids else []
        others = tuple(dict(zip(normalise_ids(ids), numbers, strict=True)) for ids in table.other_ids.values())
        return cls(sets, table.by_position, notices, others)

    @cached_property
    def position(self) -> dict[str, int]:
        """The place of each set by id."""
        return {identifier: place for place, identifier in enumerate(self.sets.ids)}

    @cached_property
    def number_position(self) -> dict[int, int]:
        """The place of each set whose id is a whole number written as Python does, by that number."""
        return {int(identifier): place for place, identifier in enumerate(self.sets.ids) if _is_number(identifier)}

    def __getstate__(self) -> dict[str, Any]:
        """Pickle what the rest follows from."""
        return {key: value for key, value in self.__dict__.items() if key not in ("position", "number_position")}

    def assign(self, candidates: CaptionTable, missing: Missing = "error", *, repeats: bool = False) -> Corpus:
        """Return the corpus of captions with the sets they belong to, chosen by id or by position.

        Parameters
        ----------
        candidates : CaptionTable
            The captions; see `batch_table`.
        missing : {"error", "skip", "zero"}
            What to do with captions that have no references.
        repeats : bool
            Whether a set may be used several times (samples of one image).
        """
        check_missing(missing)
        known = self._places_of_numbers(candidates) if repeats else None
        if known is not None:
            return self.corpus(candidates, [self.sets.ids[place] for place in known], np.array(known, dtype=np.int64))
        names = batch_ids(candidates, repeats=repeats)
        position, keys = self._keys(names, candidates)
        places = [position.get(key, -1) for key in keys]
        if -1 in places:
            return self._with_missing(candidates, names, places, missing)
        return self.corpus(candidates, names, np.array(places, dtype=np.int64))

    def _places_of_numbers(self, table: CaptionTable) -> list[int] | None:
        """Return the sets of captions whose ids are all numbers of sets; None for others, which take longer.

        Image ids are numbers, and a training loop names them again in every batch.
        """
        if table.by_position or table.images is not None or self.other_ids or set(map(type, table.ids)) != {int}:
            return None
        places = list(map(self.number_position.get, table.ids))
        return None if None in places else cast("list[int]", places)

    def _keys(self, names: list[str], table: CaptionTable) -> tuple[dict[str, int], list[str]]:
        """Return where sets are looked up, and by what: ids, or images where only images have references."""
        position = self.position
        owners = names if table.several is None or table.images is None else normalise_ids(table.images)
        if table.by_position and not self.by_position and position.keys() != set(owners):
            raise InputError("The references were prepared by id: pass a mapping from id to caption, or ids=...")
        count = len(names) if table.positions is None else table.positions
        if table.by_position and count != len(self.sets):
            raise InputError(
                f"A batch of {count:,} captions does not match {len(self.sets):,} prepared reference sets; "
                "pass ids=... to say which sets the captions belong to."
            )
        if self.other_ids:
            wanted = set(names)
            position = max((position, *self.other_ids), key=lambda offered: len(wanted & offered.keys()))
        if table.images is None or any(name in position for name in names):
            return position, names
        return position, normalise_ids(table.images)

    def _with_missing(self, table: CaptionTable, names: list[str], places: list[int], missing: Missing) -> Corpus:
        """Leave captions without references out, or give each an empty set."""
        unknown = [row for row, place in enumerate(places) if place < 0]
        without = [names[row] for row in unknown]
        if missing == "error":
            refuse_strangers(names, without, self.sets.ids)
            raise InputError(
                f"{len(without):,} of {counted(len(names), 'id')} {'is' if len(without) == 1 else 'are'} not among the "
                f"prepared references ({name_some(without)})."
            )
        said = tuple(missing_references(without, len(names), table, table, missing))
        if missing == "skip":
            rows = [row for row, place in enumerate(places) if place >= 0]
            kept = np.array([places[row] for row in rows], dtype=np.int64)
            return self.corpus(table.take(rows), [names[row] for row in rows], kept, said)
        empty = {name: len(self.sets) + number for number, name in enumerate(dict.fromkeys(without))}
        offsets = np.append(self.sets.offsets, np.full(len(empty), self.sets.offsets[-1]))
        extended = KnownReferences(
            ReferenceSets([*self.sets.ids, *empty], self.sets.captions, offsets, self.sets.graphs),
            self.by_position,
            self.notices,
        )
        filled = [empty[name] if place < 0 else place for name, place in zip(names, places, strict=True)]
        return extended.corpus(table, names, np.array(filled, dtype=np.int64), said)

    def corpus(
        self,
        table: CaptionTable,
        names: list[str],
        reference_set: npt.NDArray[np.int64],
        said: Sequence[Notice] = (),
    ) -> Corpus:
        """Return the corpus of captions whose sets are known."""
        taken = take_candidates(table.captions, names)
        groups = group_labels(table)
        notices = (*said, *taken.notices, *self.notices)
        rest = (notices, taken.graphs, table.columns, table.given_ids)
        return marked(Corpus(names, taken.captions, self.sets, reference_set, groups, *rest), table)


def without_references(candidates: CaptionTable, *, repeats: bool = False) -> Corpus:
    """Return the corpus of captions that have no references: each id, or image, has an empty set.

    Examples
    --------
    >>> without_references(batch_table({7: "a dog"})).references.offsets.tolist()
    [0, 0]
    """
    names = batch_ids(candidates, repeats=repeats)
    keys = names if candidates.images is None else normalise_ids(candidates.images)
    known = KnownReferences(ReferenceSets.empty(dict.fromkeys(keys)))
    return known.corpus(candidates, names, number_labels(keys))


def batch_table(candidates: object, ids: Sequence[str | int] | None = None) -> CaptionTable:
    """Turn candidates, perhaps with the ids of their reference sets, into a table."""
    if isinstance(candidates, CaptionTable):
        table = candidates
    elif isinstance(candidates, Mapping):
        texts = list(candidates.values())
        if set(map(type, texts)) <= {str}:
            table = CaptionTable(list(candidates), texts, "", keeps_ids=True)
        else:
            table = table_of(candidates, "The candidates")
    elif isinstance(candidates, Sequence) and not isinstance(candidates, str | bytes):
        texts = list(candidates)
        if set(map(type, texts)) <= {str} or ids is not None:
            table = CaptionTable(list(range(len(texts))), texts, "", by_position=True, keeps_ids=True)
        else:
            table = table_of(texts, "The candidates")
    else:
        raise InputError("A batch must be a list of captions or a mapping from id to caption.")
    if not table.captions:
        raise InputError("There is nothing to score: the batch is empty.")
    if ids is None:
        return table
    if not table.by_position:
        raise UsageError("Pass either a mapping from id to caption, or a list of captions with ids, not both.")
    if len(ids) != len(table.captions):
        raise InputError(f"Found {counted(len(table.captions), 'caption')} but {counted(len(ids), 'id')}.")
    return replace(table, ids=list(ids), by_position=False, positions=None)


def batch_ids(table: CaptionTable, *, repeats: bool) -> list[str]:
    """Return the ids of captions as text; they may repeat only where they name sets (samples of one image)."""
    names = normalise_ids(table.ids)
    if not repeats and len(set(names)) < len(names):
        unique_ids(table)
    return names


def _is_number(identifier: str) -> bool:
    """Tell whether an id is a whole number as Python writes it, of a size that ids of images have."""
    ordinary = len(identifier) < _DIGITS and identifier.isascii() and identifier.isdecimal()
    return ordinary and (identifier[0] != "0" or identifier == "0")
