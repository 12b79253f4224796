"""What is compared: checks of systems, and what to say about them together."""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from dataclasses import replace

from caplens.core.result import Result
from caplens.corpus import Corpus, normalise_ids, notices_of_systems
from caplens.errors import Notice, UsageError, counted

MANY_NOTES = 3
"""From how many systems on a note that each of them has is said once."""


def check_systems(systems: object, baseline: str | None) -> None:
    """Refuse what cannot be compared."""
    if not isinstance(systems, Mapping):
        raise UsageError(f"Systems must be a mapping from name to captions, not {type(systems).__name__}.")
    if len(systems) < 2:
        raise UsageError("A comparison needs at least two systems.")
    if baseline is not None and baseline not in systems:
        raise UsageError(f"The baseline {baseline!r} is not one of the systems: {', '.join(systems)}.")


def compared_ids(corpus: Corpus) -> list[str]:
    """Return the ids of what is compared: rows, or images."""
    if corpus.several in ("mean", "best") and corpus.images is not None:
        return list(dict.fromkeys(normalise_ids(corpus.images)))
    return corpus.ids


def notices_of(corpora: Mapping[str, Corpus], results: Mapping[str, Result]) -> tuple[Notice, ...]:
    """Return what to say about a comparison: the input, what was found on the way, what metrics learned."""
    given = {notice for corpus in corpora.values() for notice in corpus.notices}
    learned = dict.fromkeys(
        notice for state in next(iter(results.values())).states.values() for notice in state.notices
    )
    about_all = set.intersection(*(set(result.warnings) for result in results.values()))
    found = [
        notice if notice in about_all else replace(notice, message=f"{name}: {notice.message}")
        for name, result in results.items()
        for notice in result.warnings
        if notice not in given and notice not in learned
    ]
    return tuple(dict.fromkeys([*notices_of_systems(corpora), *_briefly(found, about_all), *learned]))


def _briefly(notices: Sequence[Notice], about_all: Collection[Notice]) -> list[Notice]:
    """Say a note that several systems have, each with its own numbers, of the first of them only."""
    codes = Counter(notice.code for notice in notices if notice.level == "note" and notice not in about_all)
    told: set[str] = set()
    found = []
    for notice in notices:
        if notice in about_all or notice.level != "note" or codes[notice.code] < MANY_NOTES:
            found.append(notice)
        elif notice.code not in told:
            others = counted(codes[notice.code] - 1, "other system")
            found.append(replace(notice, message=f"{notice.message}; similarly for {others}"))
            told.add(notice.code)
    return found


def same_runs(systems: Mapping[str, Sequence[Corpus]]) -> list[Notice]:
    """Say which systems have the same captions in two runs, for example because a file was named twice."""
    notices = []
    for name, corpora in systems.items():
        if any(one.candidate_graphs is not None for one in corpora):  # scene graphs are not among the captions
            continue
        different = {(one.candidates.buffer.tobytes(), one.candidates.offsets.tobytes()) for one in corpora}
        if len(different) < len(corpora):
            message = f"some of the {len(corpora)} runs of {name} have equal captions, so their spread is too small"
            notices.append(Notice("same-runs", message, len(corpora) - len(different)))
    return notices
