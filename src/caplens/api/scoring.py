"""Score one system."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from caplens.api.inputs import Candidates, References, cache_folder, check_at_least, corpus_of
from caplens.api.result import Result
from caplens.core.batch import span
from caplens.core.grammar import parse
from caplens.core.metric import Metric
from caplens.core.plan import fit, run
from caplens.core.prepared import Usage, prepare
from caplens.core.registry import Selection, build, select
from caplens.corpus import Corpus, Missing, normalise_ids
from caplens.errors import InputError, UsageError
from caplens.stats import SEED
from caplens.stats.significance import LEAST_RESAMPLES

MetricRequest = str | Metric | Sequence[str | Metric] | None


def metric(request: str, *, tokenizer: str = "ptb") -> Metric:
    """Make one metric from the metric grammar.

    Parameters
    ----------
    request : str
        Such as ``"cider(df=coco.parquet)"``, or the signature of an earlier score.
    tokenizer : str
        Used where the request names none.

    Examples
    --------
    >>> metric("bleu(n=2)").keys
    ('Bleu_1', 'Bleu_2')
    """
    requests = parse(request)
    if len(requests) != 1:
        raise UsageError(f"One metric was expected, not {len(requests)}: {request!r}.")
    return build(requests[0], tokenizer=tokenizer)


def score(
    candidates: Candidates | Corpus,
    references: References | None = None,
    metrics: MetricRequest = None,
    *,
    tokenizer: str = "ptb",
    missing: Missing = "error",
    groups: Sequence[str | int] | None = None,
    jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    resamples: int = LEAST_RESAMPLES,
    seed: int = SEED,
) -> Result:
    """Score candidates against references.

    Parameters
    ----------
    candidates : sequence or mapping of str, or Corpus
        Captions by position or by id; a corpus carries its references.
    references : sequence or mapping of sequences of str
        The reference captions of each candidate, by the same positions or ids. SPICE also takes scene graphs instead
        of captions: lists of tuples such as ``[("man",), ("man", "tall"), ("man", "ride", "horse")]``.
    metrics : str or list, optional
        In the metric grammar; the COCO metrics by default.
    tokenizer : {"ptb", "none", "intl", "char"}
        How captions are cut into words, unless a metric says otherwise.
    missing : {"error", "skip", "zero"}
        What to do with candidates that have no references.
    groups : sequence, optional
        One label a row (its image): intervals then resample images instead of rows.
    jobs : int, optional
        Threads; by default the CPUs this process may use.
    cache : path, optional
        A folder that keeps SPICE's parses for later runs; it may be deleted at any time. (What is compiled once for
        all, such as METEOR's index, has a place of its own, which ``CAPLENS_CACHE`` changes.)
    resamples, seed : int
        Of the bootstrap behind intervals.

    Examples
    --------
    >>> result = score({1: "a man on a horse"}, {1: ["a man rides a horse"]}, metrics="bleu, rouge")
    >>> round(result["ROUGE_L"].score, 2)
    0.8
    """
    corpus = corpus_of(candidates, references, missing)
    selection = select(metrics, tokenizer=tokenizer)
    return score_corpus(corpus, selection, groups=groups, jobs=jobs, cache=cache, resamples=resamples, seed=seed)


def score_corpus(
    corpus: Corpus,
    selection: Selection,
    *,
    groups: Sequence[str | int] | None = None,
    jobs: int | None = None,
    cache: str | os.PathLike[str] | None = None,
    resamples: int = LEAST_RESAMPLES,
    seed: int = SEED,
) -> Result:
    """Score a corpus with metrics that were selected before."""
    check_at_least(1, jobs=jobs, resamples=resamples)
    check_at_least(0, seed=seed)
    prepared = prepare(corpus, jobs=jobs, cache=cache_folder(cache))
    states = fit(selection.metrics, prepared.references, Usage.of(corpus))
    runs = run(selection.metrics, prepared, states)
    return Result(
        corpus.ids,
        runs,
        references=span(np.diff(corpus.references.offsets)),
        groups=corpus.groups if groups is None else group_labels(groups, len(corpus)),
        warnings=(*corpus.notices, *selection.left_out, *prepared.notices),
        resamples=resamples,
        seed=seed,
        jobs=prepared.jobs,
    )


def group_labels(groups: Sequence[str | int], rows: int) -> list[str]:
    """Return the label of each row's group."""
    if len(groups) != rows:
        raise InputError(f"There are {len(groups):,} group labels for {rows:,} rows.")
    return normalise_ids(groups)
