"""Compare systems on the same items."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Unpack

from caplens.core.compared import check_systems
from caplens.core.comparison import Comparison
from caplens.core.evaluator import Evaluator
from caplens.core.prepared import Usage
from caplens.core.selection import MetricRequest, select
from caplens.core.settings import Settings, check_settings
from caplens.corpus import (
    Missing,
    Runs,
    Several,
    by_system,
    common_corpora,
    each_run,
    pair_systems,
    reference_table,
    without_references,
)
from caplens.corpus.inputs import Candidates, References
from caplens.readers.objects import plain_captions, plain_systems


def compare(
    systems: Mapping[str, Candidates | Runs],
    references: References | None = None,
    metrics: MetricRequest = None,
    *,
    baseline: str | None = None,
    tokenizer: str = "ptb",
    language: str | None = None,
    missing: Missing = "error",
    several: Several | None = None,
    allow_code: bool = False,
    **settings: Unpack[Settings],
) -> Comparison:
    """Compare systems on the items they have in common.

    Parameters
    ----------
    systems : mapping of str to candidates
        The captions of each system, as for `score`; `caplens.Runs` for several training runs of one: scores are then
        means over the runs, and tests count runs and images.
    references : sequence or mapping
        As for `score`; prepared once for all systems. None for metrics that need none.
    metrics : str or list, optional
        In the metric grammar.
    baseline : str, optional
        Test every system against this one only; by default all pairs are tested.
    tokenizer, language, missing, allow_code
        As for `score`.
    several : {"each", "mean", "best"}, optional
        What to do with several candidates per image, as for `score`; with ``"mean"`` and ``"best"`` systems may have
        different numbers of candidates.
    **settings
        ``jobs``, ``parses``, ``max_words``, ``seed`` and ``progress``, as for `Evaluator`.

    Examples
    --------
    >>> comparison = compare(
    ...     {"a": ["a dog", "two cats"], "b": ["a dog", "a bird"]}, [["a dog"], ["two cats"]], metrics="rouge"
    ... )
    >>> [(test.first, test.second, test.difference) for test in comparison.tests]
    [('a', 'b', 0.5)]
    """
    check_systems(systems, baseline)
    runs = plain_systems(each_run(systems))
    check_settings("compare", settings)
    selection = select(metrics, allow_code=allow_code, language=language, tokenizer=tokenizer)
    if references is None and not selection.needs_references:
        corpora = common_corpora(runs, lambda tables, ids: [without_references(table) for table in tables], several)
    else:
        theirs = reference_table(plain_captions(references, "references"))
        corpora = common_corpora(runs, lambda tables, ids: pair_systems(tables, ids, theirs, missing), several)
    shared = next(iter(corpora.values()))
    evaluator = Evaluator(selection, shared.references, documents=Usage.of(shared), **settings)
    matched = {name: Runs(found) for name, found in by_system(systems, corpora).items()}
    return evaluator.compare(matched, baseline=baseline)
