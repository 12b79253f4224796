"""The description of the API (OpenAPI 3.1), made from the types that requests are checked against."""

from __future__ import annotations

from typing import Any

import msgspec

from caplens._version import __version__
from caplens.server import messages

_TEMPLATE = "#/components/schemas/{name}"
_REQUESTS = (messages.ExplainRequest, messages.ScoreRequest, messages.RowRequest)
_ANSWERS = (messages.Explanations, messages.Scores, messages.Metrics, messages.Health, messages.Problem)
_REFUSALS = {
    "400": "The request is invalid or cannot be scored; `error` gives the reason in one sentence.",
    "403": "The host name or the origin does not match this server.",
    "404": "There is nothing at this address.",
    "405": "The address does not support this method.",
    "408": "The body did not arrive in time.",
    "413": "The body is too large.",
    "415": "The body is not JSON.",
    "503": "Too many requests are waiting; `Retry-After` says when to try again.",
    "504": "The request took too long and was stopped.",
}


def _answers(kind: str, content: str = "application/json", *, body: bool = True) -> dict[str, Any]:
    schema: dict[str, Any] = {"$ref": f"#/components/schemas/{kind}"} if kind else {"type": "string"}
    found = {"200": {"description": "The result.", "content": {content: {"schema": schema}}}}
    refusal = {"application/json": {"schema": {"$ref": "#/components/schemas/Problem"}}}
    wanted = _REFUSALS if body else ("400", "403", "503", "504")
    return found | {code: {"description": _REFUSALS[code], "content": refusal} for code in wanted}


def _posted(summary: str, request: str, answers: dict[str, Any], example: dict[str, Any]) -> dict[str, Any]:
    schema = {"$ref": f"#/components/schemas/{request}"}
    body = {"required": True, "content": {"application/json": {"schema": schema, "example": example}}}
    return {"post": {"summary": summary, "operationId": request, "requestBody": body, "responses": answers}}


def description() -> dict[str, Any]:
    """Return the description of the API as plain data.

    Examples
    --------
    >>> sorted(description()["paths"])[:2]
    ['/api/explain', '/api/graph']
    """
    _, components = msgspec.json.schema_components((*_REQUESTS, *_ANSWERS), ref_template=_TEMPLATE)
    captions = {"candidate": "a man rides a horse", "references": ["a person on a horse"]}
    paths = {
        "/api/explain": _posted(
            "Explain the score of a caption under each requested metric",
            "ExplainRequest",
            _answers("Explanations"),
            {**captions, "metrics": "spice, meteor"},
        ),
        "/api/graph": _posted(
            "Draw the scene graphs of a caption and its references",
            "ExplainRequest",
            _answers("", "image/svg+xml"),
            {**captions, "metrics": "spice"},
        ),
        "/api/score": _posted(
            "Score a batch of captions",
            "ScoreRequest",
            _answers("Scores"),
            {"candidates": ["a man rides a horse"], "references": [["a person on a horse"]], "metrics": "rouge"},
        ),
        "/api/report/explain": _posted(
            "Explain a row of the files that the server was started with",
            "RowRequest",
            _answers("Explanations"),
            {"system": "ours", "id": "391895"},
        ),
        "/api/metrics": {"get": {"summary": "List the metrics", "responses": _answers("Metrics", body=False)}},
        "/health": {"get": {"summary": "Report the state of the server", "responses": _answers("Health", body=False)}},
    }
    paths["/api/graph"]["post"]["operationId"] = "Graph"
    about = {
        "title": "caplens",
        "version": __version__,
        "description": "Image-caption metrics and their explanations, served by a process with all models loaded.",
        "license": {"name": "Apache-2.0", "identifier": "Apache-2.0"},
    }
    return {"openapi": "3.1.0", "info": about, "paths": paths, "components": {"schemas": components}}


if __name__ == "__main__":
    import sys

    sys.stdout.write(f"{msgspec.json.format(msgspec.json.encode(description()), indent=1).decode()}\n")
