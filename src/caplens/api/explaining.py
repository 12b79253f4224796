"""Explain one caption's score."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from caplens.api.inputs import corpus_of
from caplens.api.scoring import metric as make_metric
from caplens.corpus import Corpus, normalise_id
from caplens.errors import InputError, name_some
from caplens.metrics.base import Metric
from caplens.metrics.explanation import Explanation as _Explanation
from caplens.metrics.plan import fit
from caplens.prepared import Usage, prepare


class Explanation(_Explanation):
    """An explanation that prints itself."""

    def __str__(self) -> str:
        from caplens.writers.terminal import as_text, explanation_view

        return as_text(explanation_view(self))


def explain(
    candidate: str, references: Sequence[str], metric: str | Metric = "bleu", *, tokenizer: str = "ptb"
) -> Explanation:
    """Say why a caption has its score.

    Parameters
    ----------
    candidate : str
        The caption.
    references : sequence of str
        Its references.
    metric : str or Metric
        One metric in the metric grammar.
    tokenizer : str
        Used where the metric names none.

    Examples
    --------
    >>> explanation = explain("a man rides a horse", ["a man on a horse"], metric="rouge")
    >>> round(explanation.scores["ROUGE_L"], 3), explanation.sections[1].rows[0][1]
    (0.8, 'a man a horse')
    """
    if isinstance(references, str):
        raise InputError("The references of a caption are a list of captions, not a single string.")
    return explain_item(corpus_of([candidate], [list(references)]), "0", metric, tokenizer=tokenizer)


def explain_item(
    corpus: Corpus, identifier: str | int, metric: str | Metric = "bleu", *, tokenizer: str = "ptb"
) -> Explanation:
    """Say why one row of a corpus has its score; document frequencies are those of the whole corpus."""
    chosen = make_metric(metric, tokenizer=tokenizer) if isinstance(metric, str) else metric
    return explain_by_all(corpus, identifier, [chosen])[0]


def explain_by_all(corpus: Corpus, identifier: str | int, metrics: Sequence[Metric]) -> list[Explanation]:
    """Explain one row by several metrics, which share the prepared corpus."""
    wanted = normalise_id(identifier)
    if wanted not in corpus.ids:
        raise InputError(f"There is no row with the id {wanted!r}; there are {name_some(corpus.ids)}.")
    states = fit(metrics, prepare(corpus).references, Usage.of(corpus))
    row = prepare(corpus.select(np.array([corpus.ids.index(wanted)])))
    explanations = []
    for metric in metrics:
        found = metric.explain(row, states[metric], 0)
        notes = (*found.notes, *(str(notice) for notice in states[metric].notices))
        explanations.append(
            Explanation(
                found.metric, found.candidate, found.references, found.scores, found.facts, found.sections, notes
            )
        )
    return explanations
