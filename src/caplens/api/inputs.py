"""What callers pass: captions in Python, or a corpus that was loaded before."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import Path

from caplens.corpus import (
    Column,
    Corpus,
    Missing,
    PairedTable,
    Several,
    from_pairs,
    pair,
    reference_table,
    refuse_swapped,
    spread,
    table_of,
)
from caplens.corpus.inputs import Identifier
from caplens.errors import InputError, UsageError
from caplens.files.paths import exists
from caplens.readers.objects import plain_captions, plain_labels

_SUFFIXES = re.compile(r"(\.(json|jsonl|csv|tsv|parquet|txt|gz))+$", re.IGNORECASE)


def corpus_of(
    candidates: object,
    references: object | None,
    missing: Missing = "error",
    groups: Sequence[Identifier] | None = None,
    columns: Mapping[str, Column] | None = None,
    several: Several | None = None,
) -> Corpus:
    """Validate and match both sides."""
    if isinstance(candidates, Corpus):
        if references is not None:
            raise UsageError("A corpus already contains its references; do not pass others with it.")
        if several is not None:
            raise UsageError("Pass `several` when you load the corpus: caplens.load_corpus(..., several=...).")
        return candidates.labelled(groups, columns)
    groups, columns = plain_labels(groups), {name: plain_labels(column) for name, column in (columns or {}).items()}
    ours = plain_captions(candidates, "candidates")
    if isinstance(ours, PairedTable) and references is None:
        return from_pairs(spread(ours, several), missing).labelled(groups, columns)
    if references is None:
        raise InputError(
            "There are no references: pass them as the second argument, or pass a corpus that contains them."
        )
    theirs = plain_captions(references, "references")
    refuse_swapped(ours, theirs)
    table = ours.captions() if isinstance(ours, PairedTable) else table_of(ours, "The candidates")
    return pair(spread(table.labelled(groups, columns), several), reference_table(theirs), missing)


def name_systems(arguments: Sequence[str]) -> dict[str, str]:
    """Name each file: as given (NAME=FILE), else by its name without the suffixes of formats.

    Examples
    --------
    >>> name_systems(["runs/blip2-2.7b.json.gz", "m2=runs/old/captions.json"])
    {'blip2-2.7b': 'runs/blip2-2.7b.json.gz', 'm2': 'runs/old/captions.json'}
    """
    named: dict[str, str] = {}
    for given in arguments:
        name, separator, path = given.partition("=")
        if not separator or exists(given):
            name, path = _SUFFIXES.sub("", Path(given).name) or given, given
        if name in named:
            raise UsageError(f"Two systems have the name {name!r}: write NAME=FILE to rename one.")
        named[name] = path
    return named


def name_runs(arguments: Sequence[str]) -> dict[str, list[str]]:
    """Name systems as `name_systems` does; NAME=FILE,FILE are several training runs of one.

    A file whose very name has commas is one run.

    Examples
    --------
    >>> name_runs(["ours=a1.json,a2.json", "runs/m2.json"])
    {'ours': ['a1.json', 'a2.json'], 'm2': ['runs/m2.json']}
    """
    found: dict[str, list[str]] = {}
    for name, path in name_systems(arguments).items():
        found[name] = [path] if exists(path) else path.split(",")
        if len(found[name]) > 1 and path in arguments:
            raise UsageError(f"{path!r} is not a file; to compare several runs of a system, write NAME=FILE,FILE.")
        if len(found[name]) > 1 and not all(found[name]):
            raise UsageError(f"One of the runs of {name!r} has no file name: {path!r}.")
    return found
