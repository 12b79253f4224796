"""Requests made up from the description of the API: no answer but those that it declares."""

from __future__ import annotations

import pytest

schemathesis = pytest.importorskip("schemathesis", reason="schemathesis is not installed (pip install schemathesis)")
from hypothesis import HealthCheck, Phase, settings  # noqa: E402

from caplens.server import openapi  # noqa: E402

described = openapi.description()
# A metric is a text in a grammar of its own: made-up ones are nearly always refused, so most requests get a real one.
for _request in ("ExplainRequest", "ScoreRequest"):
    described["components"]["schemas"][_request]["properties"]["metrics"] = {
        "enum": ["rouge", "bleu, fluency", "spice", "nothing("]
    }
schema = schemathesis.openapi.from_dict(described)


@schema.parametrize()
@settings(
    max_examples=25,
    deadline=None,
    derandomize=True,
    phases=[Phase.generate],
    suppress_health_check=list(HealthCheck),
)
def test_answers_are_those_that_are_declared(client, case):
    sent = case.as_transport_kwargs(base_url="http://127.0.0.1:8642")
    body = {"json": sent["json"]} if sent.get("json") is not None else {"content": sent.get("data") or b""}
    answer = client.request(
        sent["method"], sent["url"], headers=dict(sent["headers"]), params=sent.get("params"), **body
    )
    assert answer.status_code in {int(code) for code in case.operation.definition.raw["responses"]}, answer.text
    case.operation.validate_response(schemathesis.Response.from_httpx(answer, verify=False))
