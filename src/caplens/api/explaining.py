"""Explain one caption's score."""

from __future__ import annotations

import os
from collections.abc import Sequence

import numpy as np

from caplens.api.inputs import Caption, cache_folder, corpus_of
from caplens.api.scoring import metric as make_metric
from caplens.core.metric import Metric
from caplens.core.plan import check_candidates, fit, with_inputs
from caplens.core.prepared import Usage, prepare
from caplens.corpus import Corpus, normalise_id
from caplens.errors import InputError, name_some
from caplens.output.explanation import Explanation as _Explanation


class Explanation(_Explanation):
    """An explanation that prints itself."""

    def __str__(self) -> str:
        from caplens.writers.terminal import as_text, explanation_view

        return as_text(explanation_view(self))


def explain(
    candidate: Caption,
    references: Sequence[Caption],
    metric: str | Metric = "bleu",
    *,
    tokenizer: str = "ptb",
    cache: str | os.PathLike[str] | None = None,
) -> Explanation:
    """Say why a caption has its score.

    Parameters
    ----------
    candidate : str
        The caption.
    references : sequence of str
        Its references. SPICE takes scene graphs (lists of tuples) instead of captions here too.
    metric : str or Metric
        One metric in the metric grammar.
    tokenizer : str
        Used where the metric names none.
    cache : path, optional
        A folder that keeps SPICE's parses for later runs, as for `score`.

    Examples
    --------
    >>> explanation = explain("a man rides a horse", ["a man on a horse"], metric="rouge")
    >>> round(explanation.scores["ROUGE_L"], 3), explanation.sections[1].rows[0][1]
    (0.8, 'a man a horse')
    """
    if isinstance(references, str):
        raise InputError("The references of a caption are a list of captions, not a single string.")
    corpus = corpus_of([[candidate]], [list(references)])
    return explain_item(corpus, "0", metric, tokenizer=tokenizer, cache=cache)


def explain_item(
    corpus: Corpus,
    identifier: str | int,
    metric: str | Metric = "bleu",
    *,
    tokenizer: str = "ptb",
    cache: str | os.PathLike[str] | None = None,
) -> Explanation:
    """Say why one row of a corpus has its score; document frequencies are those of the whole corpus."""
    chosen = make_metric(metric, tokenizer=tokenizer) if isinstance(metric, str) else metric
    return explain_by_all(corpus, identifier, [chosen], cache)[0]


def explain_by_all(
    corpus: Corpus, identifier: str | int, metrics: Sequence[Metric], cache: str | os.PathLike[str] | None = None
) -> list[Explanation]:
    """Explain one row by several metrics, which share the prepared corpus."""
    wanted = normalise_id(identifier)
    if wanted not in corpus.ids:
        raise InputError(f"There is no row with the id {wanted!r}; there are {name_some(corpus.ids)}.")
    folder = cache_folder(cache)
    alone = corpus.select(np.array([corpus.ids.index(wanted)]))
    row, references = prepare(alone, cache=folder), prepare(corpus, cache=folder).references
    states = {
        # Most metrics need not see the other rows, whose parses or vectors would take long.
        **fit([metric for metric in metrics if not metric.learns_from_corpus], row.references, Usage.of(alone)),
        **fit([metric for metric in metrics if metric.learns_from_corpus], references, Usage.of(corpus)),
    }
    check_candidates(with_inputs(metrics), row)
    explanations = []
    for metric in metrics:
        found = metric.explain(row, states[metric], 0)
        notices = dict.fromkeys((*states[metric].notices, *references.notices, *row.notices))
        notes = (*found.notes, *(str(notice) for notice in notices))
        explanations.append(
            Explanation(
                found.metric, found.candidate, found.references, found.scores, found.facts, found.sections, notes
            )
        )
    return explanations
