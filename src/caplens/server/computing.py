"""What the routes compute: the same functions as in Python, with requests that may name no files and no code."""

from __future__ import annotations

from typing import Any

from caplens.api.explaining import explain_by_all
from caplens.api.inputs import corpus_of
from caplens.api.scoring import score
from caplens.core.describing import describe_metrics
from caplens.core.registry import GROUPS
from caplens.core.selection import Selection, select
from caplens.corpus import Corpus, batch_table, without_references
from caplens.errors import InputError, UsageError
from caplens.files.threads import hear
from caplens.output.document import document, encode
from caplens.output.explanation import Explanation
from caplens.output.metrics_view import MISSING
from caplens.output.writing import encoded
from caplens.server.messages import ExplainRequest, ScoreRequest

MOST_METRICS = 64
"""Metrics of one request."""
WARMING = (["a man rides a horse"], [["a person on a brown horse"]])
"""What is explained once, so that every model and table is loaded."""


def _selected(metrics: str, tokenizer: str) -> Selection:
    found = select(metrics, allow_code=False, allow_files=False, tokenizer=tokenizer)
    if len(found.metrics) > MOST_METRICS:
        raise UsageError(f"A request can name at most {MOST_METRICS} metrics, not {len(found.metrics)}.")
    return found


def _explained(request: ExplainRequest) -> tuple[list[Explanation], Selection, Corpus]:
    selection = _selected(request.metrics, request.tokenizer)
    if request.references:
        corpus = corpus_of([request.candidate], [request.references])
    elif selection.needs_references:
        needing = [metric.name for metric in selection.metrics if metric.needs_references]
        verb = "compares" if len(needing) == 1 else "compare"
        raise InputError(f"There are no references, which {', '.join(needing)} {verb} with: pass at least one.")
    else:
        corpus = without_references(batch_table([request.candidate]))
    found = explain_by_all(corpus, "0", selection, max_words=request.max_words)
    return found, selection, corpus


def explain_caption(request: ExplainRequest) -> bytes:
    """Explain one caption by several metrics.

    Examples
    --------
    >>> b'"ROUGE_L":1.0' in explain_caption(ExplainRequest("a dog", ["a dog"], "rouge"))
    True
    """
    found, selection, corpus = _explained(request)
    body = {"explanations": [each.to_dict() for each in found]}
    return encode(document(body, (*corpus.notices, *selection.left_out)))


def draw_caption(request: ExplainRequest) -> bytes:
    """Draw the scene graphs (SPICE) of a caption and its references as SVG."""
    found, _, _ = _explained(request)
    drawn = [each for each in found if each.scene_graphs()]
    if not drawn:
        raise UsageError("These metrics have no drawing: request spice.")
    return encoded(drawn[:1], "svg")


def score_captions(request: ScoreRequest) -> bytes:
    """Score captions.

    Examples
    --------
    >>> b'"scores":{"ROUGE_L":1.0}' in score_captions(ScoreRequest(["a dog"], [["a dog"]], "rouge"))
    True
    """
    selection = _selected(request.metrics, request.tokenizer)
    result = score(
        request.candidates, request.references, selection, jobs=1, max_words=request.max_words, progress=False
    )
    return encode(result.to_dict(intervals=request.intervals))


def list_metrics() -> bytes:
    """Return all metrics, and whether they are ready here."""
    rows: list[dict[str, Any]] = []
    for name, scores, origin, idea, needs in describe_metrics():
        ready = not needs.startswith(MISSING)
        rows.append({"name": name, "scores": scores, "origin": origin, "idea": idea, "needs": needs, "ready": ready})
    return encode({"metrics": rows, "groups": {name: list(members) for name, members in GROUPS.items()}})


def warm_up() -> None:
    """Load what metrics need, once and before the first request."""
    for metric in select("all").metrics:
        hear()  # whoever stops the server need not wait for all of them
        explain_by_all(corpus_of(*WARMING), "0", [metric])
