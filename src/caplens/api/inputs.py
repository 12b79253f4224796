"""What callers pass: captions in Python, or a corpus that was loaded before."""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from pathlib import Path

from caplens.corpus import CaptionTable, Corpus, GivenTuples, Missing, pair, reference_table, table_of
from caplens.errors import InputError, UsageError
from caplens.files.paths import exists, is_folder

Identifier = str | int
Caption = str | GivenTuples
"""A caption, or a scene graph instead: a list of tuples."""

Candidates = (
    Sequence[Caption] | Mapping[str, Caption] | Mapping[int, Caption] | Mapping[Identifier, Caption] | CaptionTable
)
References = (
    Sequence[Sequence[Caption]]
    | Mapping[str, Sequence[Caption]]
    | Mapping[int, Sequence[Caption]]
    | Mapping[Identifier, Sequence[Caption]]
    | CaptionTable
)


def corpus_of(candidates: object, references: object | None, missing: Missing = "error") -> Corpus:
    """Validate and match both sides."""
    if isinstance(candidates, Corpus):
        if references is not None:
            raise UsageError("A corpus carries its references; do not pass others beside it.")
        return candidates
    if references is None:
        raise InputError("There are no references: pass them as the second argument, or a corpus that carries them.")
    ours = table_of(candidates, "The candidates")
    theirs = reference_table(references)
    return pair(ours, theirs, missing)


def check_at_least(least: int, **numbers: int | None) -> None:
    """Refuse numbers that are too small, or too large for 63 bits; None stands for a default."""
    for name, number in numbers.items():
        if number is not None and not least <= number < 1 << 63:
            raise UsageError(f"`{name}` must be at least {least} and less than 2**63, not {number}.")


def cache_folder(cache: str | os.PathLike[str] | None) -> Path | None:
    """Return the folder that a user named for parses; it need not exist.

    Examples
    --------
    >>> cache_folder("parses").name
    'parses'
    """
    if cache is None:
        return None
    try:
        folder = Path(cache).expanduser()
    except RuntimeError as error:
        raise UsageError(f"The cache {os.fspath(cache)} cannot be found: there is no such home directory.") from error
    if exists(folder) and not is_folder(folder):
        raise UsageError(f"The cache {folder} is a file: name a folder, which is made if it does not exist.")
    return folder
