"""What callers pass: captions in Python, or a corpus that was loaded before."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from caplens.corpus import Corpus, Missing, PairedTable, from_pairs, pair, reference_table, table_of
from caplens.errors import InputError, UsageError

Identifier = str | int
Candidates = Sequence[str] | Mapping[str, str] | Mapping[int, str] | Mapping[Identifier, str]
References = (
    Sequence[Sequence[str]]
    | Mapping[str, Sequence[str]]
    | Mapping[int, Sequence[str]]
    | Mapping[Identifier, Sequence[str]]
)


def corpus_of(candidates: object, references: object | None, missing: Missing = "error") -> Corpus:
    """Validate and match both sides."""
    if isinstance(candidates, Corpus):
        if references is not None:
            raise UsageError("A corpus carries its references; do not pass others beside it.")
        return candidates
    if isinstance(candidates, PairedTable):
        return from_pairs(candidates, missing)
    if references is None:
        raise InputError("There are no references: pass them as the second argument, or a corpus that carries them.")
    ours = table_of(candidates, "the candidates")
    theirs = reference_table(references, "the references")
    if ours.by_position != theirs.by_position:
        kinds = ("by position", "by id") if ours.by_position else ("by id", "by position")
        raise InputError(f"Candidates are given {kinds[0]} but references {kinds[1]}: use the same for both.")
    if ours.by_position and ours.positions is None and theirs.positions is None and len(set(ours.ids)) < len(ours.ids):
        raise InputError("There are several captions at one position among the candidates.")
    return pair(ours, theirs, missing)
