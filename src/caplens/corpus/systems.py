"""Several systems' captions, restricted to the items that all of them have."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace

from caplens.corpus.core import Corpus
from caplens.corpus.matching import unique_ids
from caplens.corpus.several import Several, image_counts, spread
from caplens.corpus.tables import CaptionTable, normalise_ids, table_of
from caplens.errors import SHOWN_IDS, InputError, Notice, counted
from caplens.files.telling import setting

Match = Callable[[Sequence[CaptionTable], list[str]], Sequence[Corpus]]
"""Matches systems' captions, all in the order of some ids, with references."""


def common_corpora(systems: Mapping[str, object], match: Match, several: Several | None = None) -> dict[str, Corpus]:
    """Restrict every system to the ids that all have, in the order of the first, and match it with its references.

    With ``several``, systems may have several candidates per image; see `caplens.corpus.several`.
    """
    tables = {name: table_of(captions, f"System {name!r}", f"system {name!r}") for name, captions in systems.items()}
    tables = {name: spread(table, several) for name, table in tables.items()}
    _check_kinds(tables)
    if several in ("mean", "best"):
        return _common_images(tables, match)
    if several == "each":
        _check_counts(tables)
    rows = {name: {key: row for row, key in enumerate(unique_ids(table))} for name, table in tables.items()}
    shared = set.intersection(*(set(places) for places in rows.values()))
    common = [identifier for identifier in next(iter(rows.values())) if identifier in shared]
    if not common:
        raise InputError("The systems have no ids in common.")
    notices = tuple(_left_out(rows, shared))
    restricted = [tables[name].take([places[identifier] for identifier in common]) for name, places in rows.items()]
    corpora = dict(zip(tables, match(restricted, common), strict=True))
    return {name: replace(corpus, notices=(*notices, *corpus.notices)) for name, corpus in corpora.items()}


def _common_images(tables: Mapping[str, CaptionTable], match: Match) -> dict[str, Corpus]:
    """Restrict every system to the images that all have; each may have any number of candidates for an image."""
    rows: dict[str, dict[str, list[int]]] = {}
    for name, table in tables.items():
        unique_ids(table)
        rows[name] = {}
        for row, image in enumerate(normalise_ids(table.ids if table.images is None else table.images)):
            rows[name].setdefault(image, []).append(row)
    shared = set.intersection(*(set(places) for places in rows.values()))
    common = [image for image in next(iter(rows.values())) if image in shared]
    if not common:
        raise InputError("The systems have no ids in common.")
    firsts = {name: {image: places[0] for image, places in found.items()} for name, found in rows.items()}
    notices = tuple(_left_out(firsts, shared))
    corpora = {}
    for name, table in tables.items():
        chosen = table.take([row for image in common for row in rows[name][image]])
        corpora[name] = match([chosen], unique_ids(chosen))[0]
    references = next(iter(corpora.values())).references
    return {
        name: replace(corpus, references=references, notices=(*notices, *corpus.notices))
        for name, corpus in corpora.items()
    }


def _check_counts(tables: Mapping[str, CaptionTable]) -> None:
    """Refuse to compare row by row where two systems have different numbers of candidates for an image."""
    first, *others = tables
    counts = image_counts(tables[first])
    for name in others:
        theirs = image_counts(tables[name])
        image = next((image for image in counts if theirs.get(image, counts[image]) != counts[image]), None)
        if image is not None:
            raise InputError(
                f"{first} has {counted(counts[image], 'candidate')} for {image!r} but {name} has {theirs[image]:,}: to "
                f"compare systems with different numbers of candidates, use {setting('several', 'mean')} or "
                f"{setting('several', 'best')}."
            )


def notices_of_systems(corpora: Mapping[str, Corpus]) -> list[Notice]:
    """Return what was odd: about all systems first, then about some, with their names."""
    about_all = set.intersection(*(set(corpus.notices) for corpus in corpora.values()))
    return [
        *(notice for notice in next(iter(corpora.values())).notices if notice in about_all),
        *(
            replace(notice, message=f"{name}: {notice.message}")
            for name, corpus in corpora.items()
            for notice in corpus.notices
            if notice not in about_all
        ),
    ]


def _left_out(rows: Mapping[str, Mapping[str, int]], shared: set[str]) -> list[Notice]:
    notices = []
    for name, places in rows.items():
        left_out = [identifier for identifier in places if identifier not in shared]
        if left_out:
            share = f"{len(left_out):,} of {len(places):,} items"
            message = f"{share} of {name} are excluded because another system lacks them"
            notices.append(Notice("not-common", message, len(left_out), tuple(left_out[:SHOWN_IDS])))
    return notices


def _check_kinds(tables: Mapping[str, CaptionTable]) -> None:
    """Refuse systems by position beside systems by id, and lists of different lengths."""
    first = next(iter(tables))
    for name, table in tables.items():
        if table.by_position != tables[first].by_position:
            by_position, by_id = (first, name) if tables[first].by_position else (name, first)
            raise InputError(
                f"The captions of {by_position} are given by position but those of {by_id} by id: use the same for all."
            )
        if table.by_position and len(table.ids) != len(tables[first].ids):
            raise InputError(
                f"{first} has {counted(len(tables[first].ids), 'caption')} but {name} has {len(table.ids):,}: to match "
                f"by position, the numbers must be equal."
            )
