"""Explain one caption's score."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from caplens.api.inputs import corpus_of
from caplens.api.scoring import metric as make_metric
from caplens.core.evaluator import Evaluator
from caplens.core.metric import Metric
from caplens.core.prepared import Usage
from caplens.core.selection import MetricRequest, select
from caplens.corpus import Corpus, batch_table, normalise_id, without_references
from caplens.corpus.inputs import Caption
from caplens.errors import InputError, name_some
from caplens.output.explanation import Explanation
from caplens.readers.objects import plain_labels
from caplens.text import MAX_WORDS


def explain(
    candidate: Caption,
    references: Sequence[Caption] = (),
    metric: str | Metric = "bleu",
    *,
    tokenizer: str = "ptb",
    parses: str | os.PathLike[str] | None = None,
    max_words: int = MAX_WORDS,
    allow_code: bool = False,
) -> Explanation:
    """Explain why a caption has its score.

    Parameters
    ----------
    candidate : str
        The caption.
    references : sequence of str
        Its references; empty for metrics that need none. SPICE also accepts scene graphs (lists of tuples)
        in place of captions.
    metric : str or Metric
        One metric in the metric grammar.
    tokenizer : str
        Tokenizer, if the metric does not specify one.
    parses : path, optional
        Folder in which to keep SPICE's parses for later runs, as for `score`.
    max_words : int
        Maximum number of words per caption, as for `score`.
    allow_code : bool
        Whether ``metric`` may name code, as for `score`.

    Examples
    --------
    >>> explanation = explain("a man rides a horse", ["a man on a horse"], metric="rouge")
    >>> round(explanation.scores["ROUGE_L"], 3), explanation.sections[1].rows[0][1]
    (0.8, 'a man a horse')
    """
    references = plain_labels(references)
    if isinstance(references, str):
        raise InputError("The references of a caption must be a list of captions, not a single string.")
    chosen = make_metric(metric, tokenizer=tokenizer, allow_code=allow_code) if isinstance(metric, str) else metric
    if references or chosen.needs_references:
        corpus = corpus_of([[candidate]], [list(references)])
    else:
        corpus = without_references(batch_table([candidate]))
    return explain_item(corpus, "0", chosen, parses=parses, max_words=max_words)


def explain_item(
    corpus: Corpus,
    identifier: str | int,
    metric: str | Metric = "bleu",
    *,
    tokenizer: str = "ptb",
    parses: str | os.PathLike[str] | None = None,
    max_words: int = MAX_WORDS,
    allow_code: bool = False,
) -> Explanation:
    """Explain why a row of a corpus has its score; document frequencies are those of the whole corpus."""
    chosen = make_metric(metric, tokenizer=tokenizer, allow_code=allow_code) if isinstance(metric, str) else metric
    return explain_by_all(corpus, identifier, [chosen], parses, max_words)[0]


def explain_by_all(
    corpus: Corpus,
    identifier: str | int,
    metrics: MetricRequest,
    parses: str | os.PathLike[str] | None = None,
    max_words: int = MAX_WORDS,
) -> list[Explanation]:
    """Explain one row by several metrics, which share the prepared corpus.

    If it is the only row, a metric that learns from the corpus may use shipped data instead; a note says so.
    """
    wanted = normalise_id(identifier)
    if wanted not in corpus.ids:
        raise InputError(f"There is no row with the id {wanted!r}; there are {name_some(corpus.ids)}.")
    chosen = select(metrics).metrics
    used = [metric.alone() if len(corpus) == 1 else (metric, "") for metric in chosen]
    settings = [metric for metric, _ in used]
    evaluator = Evaluator(settings, corpus.references, documents=Usage.of(corpus), parses=parses, max_words=max_words)
    explained = evaluator.explain_all(corpus.select([corpus.ids.index(wanted)]))[0]
    return [
        replace(each, notes=(note, *each.notes)) if note else each
        for each, (_, note) in zip(explained, used, strict=True)
    ]
