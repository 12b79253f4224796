"""What callers pass: captions in Python, or a corpus that was loaded before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caplens.corpus import CaptionTable, Corpus, Missing, pair, reference_table, table_of
from caplens.errors import InputError, UsageError

Identifier = str | int
Candidates = Sequence[str] | Mapping[str, str] | Mapping[int, str] | Mapping[Identifier, str] | CaptionTable
References = (
    Sequence[Sequence[str]]
    | Mapping[str, Sequence[str]]
    | Mapping[int, Sequence[str]]
    | Mapping[Identifier, Sequence[str]]
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
