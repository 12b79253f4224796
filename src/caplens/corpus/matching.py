"""From tables to a corpus: candidates and references matched by id or position, or one sentence why not."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from typing import Any, Literal, get_args

import numpy as np
import numpy.typing as npt

from caplens.corpus.core import Corpus, ReferenceSets, number_labels
from caplens.corpus.graphs import is_scene_graph
from caplens.corpus.grouping import Groups, group
from caplens.corpus.several import has_lists, marked, several_hint
from caplens.corpus.tables import CaptionTable, Numbers, PairedTable, choose, normalise_ids, take_columns
from caplens.corpus.taking import TakenCaptions, take
from caplens.errors import InputError, Notice, UsageError, counted, name_some
from caplens.files.telling import said, setting

Missing = Literal["error", "skip", "zero"]


def pair(candidates: CaptionTable, references: CaptionTable, missing: Missing = "error") -> Corpus:
    """Match candidates with the references of the same id.

    Parameters
    ----------
    candidates, references : CaptionTable
        Candidates must have different ids; references are grouped by id.
    missing : {"error", "skip", "zero"}
        What to do with a candidate that has no references: refuse, leave it out, or score it 0.
    """
    return pair_systems([candidates], unique_ids(candidates, references), references, missing)[0]


def pair_systems(
    systems: Sequence[CaptionTable], ids: list[str], references: CaptionTable, missing: Missing = "error"
) -> list[Corpus]:
    """Match several systems' captions, all in the order of ``ids``, with one side of references."""
    first = systems[0]
    sets = group(_matching_ids(ids, references))
    keys = _keys(ids, first, sets)
    if first.by_position and references.by_position:
        positions = len(sets) if references.positions is None else references.positions
        _check_positions(len(ids) if first.positions is None else first.positions, first, positions, references)
    elif first.by_position != references.by_position:
        _check_kinds(set(keys) == sets.position.keys(), first, references)
    found_sets = sets.find(first.ids if keys is ids and isinstance(first.ids, Numbers) else keys)
    without = [ids[row] for row in np.flatnonzero(found_sets < 0).tolist()]
    if missing == "error" and len(without) == len(ids):
        refuse_strangers(ids, without, list(sets.position))
    notices = list(missing_references(without, len(ids), first, references, missing))
    rows = np.arange(len(ids)) if missing != "skip" or not without else np.flatnonzero(found_sets >= 0)
    kept = [ids[row] for row in rows.tolist()] if len(rows) < len(ids) else ids
    wanted, reference_set, firsts = _distinct(keys, rows, unique=keys is ids)
    chosen_sets = found_sets[firsts]
    unused = len(sets) - int(np.count_nonzero(chosen_sets >= 0))
    if unused:
        message = f"{counted(unused, 'reference set')} without a candidate"
        notices.append(Notice("unused-references", message, unused, level="note"))
    places, offsets = sets.select(chosen_sets)
    reference_sets, found = _reference_sets(wanted, choose(references.captions, places), offsets)
    groups = group_labels(first if len(kept) == len(ids) else first.take(rows.tolist()))
    corpora = []
    for system in systems:
        chosen = system if len(kept) == len(ids) else system.take(rows.tolist())
        taken = take_candidates(chosen.captions, kept)
        said = (*system.notices, *references.notices, *notices, *taken.notices, *found)
        rest = (said, taken.graphs, chosen.columns, chosen.given_ids)
        corpora.append(marked(Corpus(kept, taken.captions, reference_sets, reference_set, groups, *rest), chosen))
    return corpora


def _distinct(
    keys: list[str], rows: npt.NDArray[np.int64], *, unique: bool
) -> tuple[list[str], npt.NDArray[np.int64], npt.NDArray[np.int64]]:
    """Return the different keys of some rows in order of appearance, the number of each row's, and where they are."""
    chosen = [keys[row] for row in rows.tolist()] if len(rows) < len(keys) else keys
    if unique:
        return list(chosen), np.arange(len(rows)), rows
    numbers = number_labels(chosen)
    return list(dict.fromkeys(chosen)), numbers, rows[np.unique(numbers, return_index=True)[1]]


def group_labels(table: CaptionTable) -> list[str] | None:
    """Return the label of each row's group: as given, or its image; None where rows are resampled one by one."""
    labels = table.images if table.groups is None else table.groups
    return None if labels is None else normalise_ids(labels)


def _keys(ids: list[str], candidates: CaptionTable, sets: Groups) -> list[str]:
    """Return what each row is looked up by: its id, or its image where only images have references."""
    if candidates.images is None or (sets.find(ids) >= 0).any():
        return ids
    return normalise_ids(candidates.images)


def from_pairs(table: PairedTable, missing: Missing = "error") -> Corpus:
    """Build a corpus from rows that carry their own references; equal reference lists are stored once."""
    ids = unique_ids(CaptionTable(table.ids, table.candidates, table.source))
    if has_lists(table.candidates):
        raise InputError(
            f"Some rows{_inside(table)} have a list of candidates: use {several_hint()} to score several candidates "
            "per image."
        )
    lists = [[value] if isinstance(value, str) else list(value or ()) for value in table.references]
    without = [identifier for identifier, texts in zip(ids, lists, strict=True) if not texts]
    notices = list(missing_references(without, len(ids), table, table, missing))
    keep = [row for row, texts in enumerate(lists) if texts or missing != "skip"]
    position: dict[object, int] = {}
    reference_set = np.empty(len(keep), dtype=np.int64)
    sets: list[int] = []
    for place, row in enumerate(keep):
        same = tuple(lists[row])
        if {*map(type, same)} != {str}:  # scene graphs, or what is refused later
            same = tuple(text if isinstance(text, str) else (repr(text),) for text in same)
        index = position.setdefault(same, len(sets))
        if index == len(sets):
            sets.append(row)
        reference_set[place] = index
    kept = [ids[row] for row in keep]
    taken = take_candidates([table.candidates[row] for row in keep], kept)
    offsets = np.concatenate([[0], np.cumsum([len(lists[row]) for row in sets])]).astype(np.int64)
    texts = [text for row in sets for text in lists[row]]
    references, found = _reference_sets([ids[row] for row in sets], texts, offsets)
    groups = None
    if table.images is not None:
        groups = normalise_ids(table.images[row] for row in keep)
    elif len(sets) < len(keep):
        groups = _first_labels(kept, reference_set)
    said = (*table.notices, *notices, *taken.notices, *found)
    given_ids = [table.ids[row] for row in keep] if table.keeps_ids else None
    rest = (said, taken.graphs, take_columns(table.columns, keep), given_ids)
    corpus = Corpus(kept, taken.captions, references, reference_set, groups, *rest)
    return marked(corpus, table if len(keep) == len(ids) else table.take(keep))


def collect(references: CaptionTable) -> tuple[ReferenceSets, tuple[Notice, ...]]:
    """Group references by id into sets, all of them."""
    sets = group(references.ids)
    if not sets:
        raise InputError(f"There are no references{_inside(references)}.")
    ids = normalise_ids(sets.names)
    return _reference_sets(ids, choose(references.captions, sets.places), sets.offsets)


def take_candidates(texts: Sequence[Any], ids: Sequence[str]) -> TakenCaptions:
    """Take candidate captions in, and say what is odd about them."""
    return take(texts, "candidate", ids.__getitem__)


def _reference_sets(
    ids: list[str], texts: Sequence[Any], offsets: npt.NDArray[np.int64]
) -> tuple[ReferenceSets, tuple[Notice, ...]]:
    def owner(caption: int) -> str:
        return ids[int(np.searchsorted(offsets, caption, side="right")) - 1]

    taken = take(texts, "reference", owner)
    return ReferenceSets(ids, taken.captions, offsets, taken.graphs), taken.notices


def _check_positions(count: int, candidates: CaptionTable, positions: int, references: CaptionTable) -> None:
    if count != positions:
        raise InputError(
            f"Found {counted(count, 'candidate')}{_inside(candidates)} but "
            f"{counted(positions, 'reference set')}{_inside(references)}: to match by position, the numbers must be "
            "equal."
        )


def _check_kinds(same_ids: bool, candidates: CaptionTable, references: CaptionTable) -> None:
    """Refuse positions on one side and ids on the other, unless the ids are the positions."""
    if not same_ids:
        kinds = ("by position", "by id") if candidates.by_position else ("by id", "by position")
        listed = candidates if candidates.by_position else references
        option = said("--columns id=NAME", "columns={'id': NAME}")
        named = f"; if {listed.source} is a table, name its column of ids ({option})" if listed.source else ""
        raise InputError(
            f"The candidates{_inside(candidates)} are given {kinds[0]} but the references{_inside(references)} "
            f"{kinds[1]}: use the same for both{named}."
        )


def _inside(table: CaptionTable | PairedTable) -> str:
    return f" in {table.source}" if table.source else ""


def _matching_ids(ids: list[str], references: CaptionTable) -> Sequence[Any]:
    """Choose, of the ids that the references offer, the kind that most candidates use."""
    if not references.other_ids:
        return references.ids
    wanted = set(ids)

    def shared(offered: Sequence[Any]) -> int:
        return len(wanted & {str(identifier) for identifier in offered})

    return max([references.ids, *references.other_ids.values()], key=shared)


def refuse_swapped(candidates: object, references: object) -> None:
    """Refuse candidates that look like references where the references look like candidates.

    Examples
    --------
    >>> refuse_swapped([["a dog", "two dogs"]], ["a dog"])
    Traceback (most recent call last):
        ...
    caplens.errors.InputError: Candidates and references seem to be swapped: ...
    """
    ours, theirs = _first_value(candidates), _first_value(references)
    if isinstance(ours, list | tuple) and len(ours) > 1 and not is_scene_graph(ours) and isinstance(theirs, str):
        raise InputError(_swapped())


def _first_value(captions: object) -> object:
    values = captions.values() if isinstance(captions, Mapping) else captions
    return next(iter(values), None) if isinstance(values, Iterable) and not isinstance(values, str) else None


def _are_swapped(ids: list[str], references: CaptionTable) -> bool:
    """Tell whether all of several candidates' ids occur more than once, and those of the references once each."""
    counts = Counter(ids)
    return len(counts) > 1 and min(counts.values()) > 1 and len(set(map(str, references.ids))) == len(references.ids)


def _swapped() -> str:
    right = said("caplens score CANDIDATES -r REFERENCES", "score(candidates, references)")
    return (
        "Candidates and references seem to be swapped: the candidates have several captions per id, the references one "
        f"each. The candidates come first: {right}."
    )


def _count_different(values: npt.NDArray[np.int64]) -> int:
    """Return how many different numbers there are, of one or more; `numpy.unique` loads masked arrays first."""
    return 1 + int(np.count_nonzero(np.diff(np.sort(values))))


def unique_ids(table: CaptionTable, references: CaptionTable | None = None) -> list[str]:
    """Return the ids of candidates as text; they must all be different. The references only help to say why not."""
    ids = normalise_ids(table.ids)
    if not ids:
        raise InputError(f"There is nothing to score: there are no candidates{_inside(table)}.")
    different = _count_different(table.ids.values) if isinstance(table.ids, Numbers) else len(set(ids))
    if different < len(ids):
        seen: set[str] = set()
        repeated = dict.fromkeys(identifier for identifier in ids if identifier in seen or seen.add(identifier))  # type: ignore[func-returns-value]
        if references is not None and _are_swapped(ids, references):
            raise InputError(_swapped())
        raise InputError(
            f"The candidates{_inside(table)} repeat {counted(len(repeated), 'id')} ({name_some(list(repeated))}): "
            f"every row needs its own id (1 and '1' are the same id). If they are several candidates per image, use "
            f"{several_hint()}."
        )
    return ids


def missing_references(
    without: list[str],
    total: int,
    candidates: CaptionTable | PairedTable,
    references: CaptionTable | PairedTable,
    missing: Missing,
) -> Iterable[Notice]:
    """Refuse candidates without references, or say what is done with them."""
    check_missing(missing)
    if not without:
        return
    have = f"{'has' if len(without) == 1 else 'have'} no references"
    if references is not candidates:
        have += _inside(references)
    what = f"{len(without):,} of {total:,} candidates{_inside(candidates)} {have}"
    if missing == "error":
        skip, zero = setting("missing", "skip"), setting("missing", "zero")
        raise InputError(f"{what} ({name_some(without)}): use {skip} to skip them or {zero} to score them 0.")
    if missing == "skip" and len(without) == total:
        raise InputError(f"{what}: nothing is left to score.")
    done = "skipped" if missing == "skip" else "scored 0"
    wording = f"{{0:candidate}} {{0:has|have}} no references; {done}"
    notice = Notice.worded("missing-references", wording, [len(without)], without)
    yield replace(notice, message=f"{what}; {done}")


def refuse_strangers(ids: Sequence[str], without: Sequence[str], known: Sequence[str]) -> None:
    """Say what both sides' ids look like, where not one candidate has references."""
    if not ids or not known or len(without) < len(ids):
        return
    kinds = [_kind(ids[0]), _kind(known[0])]
    compared = f" ({kinds[0]} against {kinds[1]})" if kinds[0] != kinds[1] else ""
    raise InputError(
        f"No candidate has references: their ids never match{compared}. The candidates have ids such as {ids[0]!r}, "
        f"the "
        f"references such as {known[0]!r}; use the same ids for both."
    )


def _kind(identifier: str) -> str:
    """Say what an id looks like.

    Examples
    --------
    >>> _kind("COCO_val2014_000000391895.jpg"), _kind("391895"), _kind("a")
    ('file names', 'numbers', 'names')
    """
    if identifier.isdecimal():
        return "numbers"
    return "file names" if re.search(r"\.\w{3,4}$|/", identifier) else "names"


def _first_labels(ids: list[str], numbers: npt.NDArray[np.int64]) -> list[str]:
    """Name each row's group, of those with one number, by the first of its ids in the order of the alphabet."""
    first: dict[int, str] = {}
    for identifier, number in zip(ids, numbers.tolist(), strict=True):
        first[number] = min(identifier, first.get(number, identifier))
    return [first[number] for number in numbers.tolist()]


def check_missing(missing: str) -> None:
    """Refuse a policy that does not exist."""
    if missing not in get_args(Missing):
        raise UsageError(f"`missing` must be one of {', '.join(get_args(Missing))}, not {missing!r}.")
