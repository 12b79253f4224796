"""Score one system."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Unpack

from caplens.api.inputs import corpus_of
from caplens.core.evaluator import Evaluator
from caplens.core.grammar import parse
from caplens.core.metric import Metric
from caplens.core.prepared import Usage
from caplens.core.registry import build
from caplens.core.result import Result
from caplens.core.selection import MetricRequest, select
from caplens.core.settings import Settings, check_settings
from caplens.corpus import Column, Corpus, Missing, Several, batch_table, spread, without_references
from caplens.corpus.inputs import Candidates, Identifier, References
from caplens.errors import UsageError
from caplens.readers.objects import candidates_alone


def metric(request: str, *, tokenizer: str = "ptb", allow_code: bool = False) -> Metric:
    """Make one metric from the metric grammar.

    Parameters
    ----------
    request : str
        Such as ``"cider(df=coco-val2014)"``, or the signature of an earlier score.
    tokenizer : str
        Tokenizer, if the request does not specify one.
    allow_code : bool
        Whether the request may name code, such as a metric ``module:Class``, which is then imported and run. Do not use
        it for requests from untrusted sources.

    Examples
    --------
    >>> metric("bleu(n=2)").keys
    ('Bleu_1', 'Bleu_2')
    """
    requests = parse(request)
    if len(requests) != 1:
        raise UsageError(f"One metric was expected, not {len(requests)}: {request!r}.")
    return build(requests[0], allow_code=allow_code, tokenizer=tokenizer)


def score(
    candidates: Candidates | Corpus,
    references: References | None = None,
    metrics: MetricRequest = None,
    *,
    tokenizer: str = "ptb",
    language: str | None = None,
    missing: Missing = "error",
    groups: Sequence[Identifier] | None = None,
    columns: Mapping[str, Column] | None = None,
    several: Several | None = None,
    allow_code: bool = False,
    **settings: Unpack[Settings],
) -> Result:
    """Score candidates against references.

    Parameters
    ----------
    candidates : sequence or mapping of str, array, series, frame, Arrow column, generator or Corpus
        Captions by position or by id; a corpus, or a frame with a column ``references``, includes its references.
    references : sequence or mapping of sequences of str, or any of the others
        The captions of each item, or scene graphs for SPICE: ``[("man",), ("man", "tall"), ("man", "ride", "horse")]``.
    metrics : str or list, optional
        In the metric grammar; the COCO metrics by default.
    tokenizer : {"ptb", "none", "intl", "char", "zh-char", "zh", "ja", "ko", "th"}
        Tokenizer of metrics that do not specify one.
    language : str, optional
        Language of the captions, such as ``"de"``; selects METEOR's settings and, unless given, the tokenizer.
    missing : {"error", "skip", "zero"}
        What to do with candidates that have no references.
    groups : sequence, optional
        One label per row (its image): intervals then resample images instead of rows.
    columns : mapping of str to sequence, optional
        Additional columns for metrics that request them (image paths, features, categories), one entry per caption.
    several : {"each", "mean", "best"}, optional
        What to do with several candidates per image, given as a list under one id or as repeated ids: score each as a
        row (intervals resample images), average the statistics of an image's candidates, or, for each metric, take
        the candidate with the best item score. By default several candidates are an error.
    allow_code : bool
        Whether ``metrics`` may name code, such as a metric ``module:Class``, which is then imported and run.
    **settings
        ``jobs``, ``parses``, ``max_words``, ``seed`` and ``progress``, as for `Evaluator`.

    Examples
    --------
    >>> result = score({1: "a man on a horse"}, {1: ["a man rides a horse"]}, metrics="bleu, rouge")
    >>> round(result["ROUGE_L"].score, 2)
    0.8
    """
    check_settings("score", settings)
    selection = select(metrics, allow_code=allow_code, language=language, tokenizer=tokenizer)
    if references is None and not isinstance(candidates, Corpus) and not selection.needs_references:
        table = batch_table(candidates_alone(candidates)).labelled(groups, columns)
        corpus = without_references(spread(table, several))
    else:
        corpus = corpus_of(candidates, references, missing, groups, columns, several)
    return Evaluator(selection, corpus.references, documents=Usage.of(corpus), **settings).score(corpus)
