"""Batches against prepared references: the reward of a training loop.

References are tokenised, counted and weighed once; a batch only adds its own words and n-grams, which are thrown away
with it, so a loop of any length needs no more memory than its first batch.
"""

from __future__ import annotations

import os
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

import numpy as np

from caplens.core.metric import Metric, State
from caplens.core.plan import fit, run
from caplens.core.prepared import Prepared, PreparedCaptions, PreparedReferences, Usage
from caplens.core.scores import Scores
from caplens.corpus import collect, normalise_id, reference_table, take_candidates
from caplens.errors import InputError, Notice, UsageError, name_some
from caplens.files.threads import available_cpus


@dataclass(frozen=True, eq=False)
class FittedReferences:
    """References with everything a metric learned from them.

    Examples
    --------
    >>> import caplens
    >>> rouge = caplens.metric("rouge")
    >>> prepared = rouge.prepare({"1": ["a man on a horse"], "2": ["two dogs"]})
    >>> rouge({"2": "two dogs"}, prepared)["ROUGE_L"].item_scores.tolist()
    [1.0]
    """

    metric: Metric
    references: PreparedReferences
    states: Mapping[Metric, State]
    notices: tuple[Notice, ...]
    by_position: bool

    @cached_property
    def position(self) -> dict[str, int]:
        """The place of each reference set by id."""
        return {identifier: place for place, identifier in enumerate(self.references.ids)}

    @cached_property
    def counts(self) -> str:
        """How many references the sets have, for signatures."""
        return span(np.diff(self.references.offsets))


def span(numbers: np.ndarray) -> str:
    """Write the range of some numbers.

    Examples
    --------
    >>> span(np.array([5, 5])), span(np.array([4, 7, 5]))
    ('5', '4-7')
    """
    low, high = int(numbers.min()), int(numbers.max())
    return str(low) if low == high else f"{low}-{high}"


def fit_references(
    metric: Metric, references: object, jobs: int | None = None, cache: str | os.PathLike[str] | None = None
) -> FittedReferences:
    """Prepare references for one metric; every set counts as one document."""
    table = reference_table(references)
    sets, notices = collect(table)
    if table.positions is not None and table.positions > len(sets):
        known = set(sets.ids)
        empty = [place for place in range(table.positions) if str(place) not in known]
        raise InputError(
            f"{len(empty):,} of {table.positions:,} items have no references (positions {name_some(empty)}): leave "
            "them out, or give references by id."
        )
    prepared = PreparedReferences(sets, jobs or available_cpus(), Path(cache) if cache is not None else None)
    states = fit([metric], prepared, Usage.once(len(sets)))
    return FittedReferences(metric, prepared, states, (*notices, *prepared.notices), table.by_position)


def score_batch(
    metric: Metric, candidates: object, prepared: FittedReferences, ids: Sequence[str | int] | None = None
) -> Scores:
    """Score candidates against sets of ``prepared``, chosen by id or by position."""
    if metric != prepared.metric:
        raise UsageError(f"These references were prepared for {prepared.metric.request()}, not {metric.request()}.")
    if isinstance(candidates, Mapping):
        if ids is not None:
            raise UsageError("Give either a mapping from id to caption, or a list of captions with ids, not both.")
        ids, texts = list(candidates), list(candidates.values())
    elif isinstance(candidates, Sequence) and not isinstance(candidates, str):
        texts = list(candidates)
    else:
        raise InputError("A batch must be a list of captions or a mapping from id to caption.")
    if not texts:
        raise InputError("There is nothing to score: the batch has no captions.")
    names = [str(place) for place in range(len(texts))] if ids is None else [normalise_id(name) for name in ids]
    places = _places(names, len(texts), prepared, by_position=ids is None)
    taken = take_candidates(texts, names)
    side = PreparedCaptions(
        taken.captions, base=prepared.references, jobs=prepared.references.jobs, graphs=taken.graphs
    )
    runs = run([metric], Prepared(side, prepared.references, places, ids=names), prepared.states)
    return Scores(names, runs, references=prepared.counts, warnings=(*prepared.notices, *taken.notices, *side.notices))


def _places(names: list[str], count: int, prepared: FittedReferences, *, by_position: bool) -> np.ndarray:
    """Return the reference set of each caption."""
    if by_position:
        if not prepared.by_position:
            raise InputError("The references were prepared by id: pass a mapping from id to caption, or ids=...")
        if count != prepared.references.sets:
            raise InputError(
                f"A batch of {count:,} captions does not fit {prepared.references.sets:,} prepared reference sets; "
                "pass ids=... to say which sets the captions belong to."
            )
        return np.arange(count, dtype=np.int64)
    if len(names) != count:
        raise InputError(f"There are {count:,} captions but {len(names):,} ids.")
    position = prepared.position
    unknown = [name for name in names if name not in position]
    if unknown:
        raise InputError(
            f"{len(unknown):,} of {count:,} ids are not among the prepared references ({name_some(unknown)})."
        )
    return np.array([position[name] for name in names], dtype=np.int64)
