"""The JSON API, in this process."""

from __future__ import annotations

import json
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import msgspec
import pytest
from starlette.testclient import TestClient
from tests.conftest import needs_meteor
from tests.core.test_registry import HOSTILE

import caplens
from caplens.files.threads import hear
from caplens.server import messages, openapi
from caplens.server.app import create_app
from caplens.server.limits import Limits

CAPTIONS = {"candidate": "a man rides a horse", "references": ["a person on a horse", "a man on a brown horse"]}
NASTY = [
    "<script>alert(1)</script>",
    "<svg onload=alert(1)>",
    "javascript:alert(1)",
    "x" * 10_000,
    "word " * 3_000,
    "\u202eabc",
    "\U0001f600" * 50,
    "",
    "a\tb",
    "{{7*7}} ${7*7} %s %n",
]


def explained(client, **request):
    return client.post("/api/explain", json={**CAPTIONS, **request})


def test_a_caption_is_explained_as_in_python(client):
    answer = explained(client, metrics="rouge, spice, cider").json()
    for metric, found in zip(["rouge", "spice", "cider"], answer["explanations"], strict=True):
        expected = caplens.explain(CAPTIONS["candidate"], CAPTIONS["references"], metric).to_dict()
        assert found == json.loads(msgspec.json.encode(expected))


@needs_meteor
def test_meteor_is_aligned(client):
    (found,) = explained(client, metrics="meteor").json()["explanations"]
    assert any(section["kind"] == "alignment" and section["links"] for section in found["sections"])


def test_captions_are_scored_as_in_python(client):
    candidates = {"1": "a dog", "2": "two cats sit"}
    references = {"1": ["a dog runs"], "2": ["two cats"]}
    request = {"candidates": candidates, "references": references, "metrics": "bleu, cider", "intervals": True}
    answer = client.post("/api/score", json=request).json()
    expected = caplens.score(candidates, references, "bleu, cider")
    assert [item["scores"]["CIDEr"] for item in answer["items"]] == expected["CIDEr"].item_scores.tolist()
    assert answer["metrics"]["Bleu_4"]["interval"] == list(expected["Bleu_4"].interval)
    by_place = {"candidates": [*candidates.values()], "references": [*references.values()], "metrics": "bleu, cider"}
    again = client.post("/api/score", json=by_place).json()
    assert [item["scores"] for item in again["items"]] == [item["scores"] for item in answer["items"]]
    assert "interval" not in again["metrics"]["CIDEr"]


def test_metrics_without_references(client):
    assert explained(client, references=[], metrics="fluency").status_code == 200
    answer = explained(client, references=[], metrics="rouge")
    assert (answer.status_code, answer.json()["error"]) == (
        400,
        "There are no references, which rouge compares with: pass at least one.",
    )


def test_scene_graphs_are_drawn(client):
    answer = client.post("/api/graph", json={**CAPTIONS, "metrics": "spice"})
    assert answer.headers["content-type"] == "image/svg+xml"
    assert answer.text.startswith("<svg")
    hostile = client.post("/api/graph", json={"candidate": NASTY[0], "references": [NASTY[1]], "metrics": "spice"})
    assert "<script" not in hostile.text
    assert "<svg onload" not in hostile.text
    assert client.post("/api/graph", json={**CAPTIONS, "metrics": "rouge"}).status_code == 400


@pytest.mark.parametrize("metrics", HOSTILE)
def test_requests_name_neither_files_nor_code(client, metrics):
    answer = explained(client, metrics=metrics)
    assert answer.status_code == 400
    assert "\n" not in answer.json()["error"]


@pytest.mark.parametrize("text", NASTY)
def test_captions_are_nothing_but_text(client, text):
    answer = explained(client, candidate=text, references=[text, "a dog"], metrics="bleu, rouge, spice")
    assert answer.status_code == 200, answer.text
    assert answer.headers["content-type"] == "application/json"
    assert answer.json()["explanations"][0]["candidate"] == text


@pytest.mark.parametrize(
    ("body", "sentence"),
    [
        (b"", "Input data was truncated."),
        (b"{", "Input data was truncated."),
        (b"[]", "Expected `object`, got `array`."),
        (b'{"candidate": 7}', "Expected `str`, got `int` - at `$.candidate`."),
        (b'{"candidate": "a", "file": "x"}', "Object contains unknown field `file`."),
        (b'{"candidate": "a", "metrics": ""}', "Expected `str` of length >= 1 - at `$.metrics`."),
        (b'{"candidate": "a", "max_words": 0}', "Expected `int` >= 1 - at `$.max_words`."),
        (b'{"candidate": "\xff"}', None),
        (b'{"candidate": "\\ud800"}', None),
        (b'{"candidate": "a", "references": ' + b"[" * 5_000, None),
    ],
)
def test_what_is_not_understood_is_refused_in_one_sentence(client, body, sentence):
    answer = client.post("/api/explain", content=body, headers={"Content-Type": "application/json"})
    assert answer.status_code == 400
    told = answer.json()["error"]
    assert told == sentence if sentence else "\n" not in told


def test_addresses_methods_and_types(client):
    assert client.get("/nothing").json() == {"error": "There is nothing at this address."}
    assert client.get("/api/score").json() == {"error": "This address does not support this method."}
    assert client.post("/api/score", content="candidates=a").status_code == 415
    assert client.get("/report").status_code == 404
    assert client.post("/api/report/explain", json={"system": "a", "id": "1"}).status_code == 400
    for path in ("/static/../app.py", "/static/%2e%2e/app.py", "/static/report/..%2f..%2fserver/app.py"):
        assert client.get(path).status_code == 404


def test_metrics_and_health(client):
    found = client.get("/api/metrics").json()
    assert {"spice", "bleu"} <= {each["name"] for each in found["metrics"] if each["ready"]}
    assert found["groups"]["coco"] == ["bleu", "meteor", "rouge", "cider", "spice"]
    health = client.get("/health").json()
    assert (health["status"], health["caplens"]) == ("ok", caplens.__version__)


def test_answers_have_the_declared_shape(client):
    kinds = {"/api/explain": messages.Explanations, "/api/score": messages.Scores}
    scored = {"candidates": ["a dog", ""], "references": [["a dog"], ["a cat"]], "metrics": "coco, chair"}
    for path, request in {"/api/explain": {**CAPTIONS, "metrics": "all"}, "/api/score": scored}.items():
        msgspec.json.decode(client.post(path, json=request).content, type=kinds[path])
    msgspec.json.decode(client.get("/api/metrics").content, type=messages.Metrics)


def test_the_description_is_that_of_the_routes(client):
    described = client.get("/api/openapi.json").json()
    assert described == json.loads(msgspec.json.encode(openapi.description()))
    routes = {
        (route.path, method.lower())
        for route in client.app.routes
        for method in getattr(route, "methods", None) or ()
        if (route.path.startswith("/api") or route.path == "/health") and method != "HEAD"
    }
    paths = {(path, method) for path, found in described["paths"].items() for method in found}
    assert routes - paths == {("/api/openapi.json", "get")}
    assert paths <= routes
    written = Path(__file__).parents[2] / "docs" / "openapi.json"
    assert json.loads(written.read_text()) == described, "python -m caplens.server.openapi > docs/openapi.json"


def test_many_clients_at_once_get_their_own_scores(client):
    words = ["dog", "cat", "man", "horse", "table", "blue shirt", "two people", "pizza"]
    pairs = [(f"a {one} near a {other}", f"the {other} and a {one}") for one in words for other in words]
    expected = [caplens.explain(first, [second], "spice").scores["SPICE"] for first, second in pairs]

    def ask(pair):
        answer = client.post(
            "/api/explain", json={"candidate": pair[0], "references": [pair[1]], "metrics": "spice, bleu, cider"}
        )
        return answer.json()["explanations"][0]["scores"]["SPICE"]

    with ThreadPoolExecutor(16) as pool:
        assert list(pool.map(ask, pairs)) == expected


def wait_until_warm(client):
    while not client.get("/health").json()["warm"]:
        time.sleep(0.01)


def test_loading_has_no_time_limit_and_leaves_the_workers_to_requests(monkeypatch, caplog):
    loaded, told = threading.Event(), []
    monkeypatch.setattr("caplens.server.computing.warm_up", loaded.wait)
    app = create_app(limits=Limits(seconds=0.05, workers=1), when_warm=lambda: told.append(True))
    with TestClient(app, base_url="http://127.0.0.1") as client:
        time.sleep(0.1)
        assert client.get("/api/metrics").status_code == 200
        assert client.get("/health").json()["warm"] is False
        loaded.set()
        wait_until_warm(client)
    assert (told, caplog.messages) == ([True], [])


def test_the_server_stops_while_it_loads(monkeypatch, caplog):
    started = threading.Event()

    def load():
        started.set()
        while True:
            time.sleep(0.001)
            hear()

    monkeypatch.setattr("caplens.server.computing.warm_up", load)
    with TestClient(create_app(limits=Limits(workers=1)), base_url="http://127.0.0.1"):
        assert started.wait(60)
    assert caplog.messages == []


def test_limits():
    limits = Limits(body_bytes=1_000, seconds=0.5, workers=1, waiting=0)
    with TestClient(create_app(limits=limits), base_url="http://127.0.0.1") as client:
        assert client.post("/api/explain", json={"candidate": "a" * 2_000}).status_code == 413
    limits = Limits(seconds=0.2, workers=1)
    with TestClient(create_app(limits=limits), base_url="http://127.0.0.1") as client:
        wait_until_warm(client)
        texts = [" ".join(f"{word}{number}" for word in ("dog", "cat") for number in range(900)) for _ in range(40)]
        answer = client.post("/api/explain", json={"candidate": texts[0], "references": texts, "metrics": "all"})
        assert (answer.status_code, answer.json()["error"]) == (
            504,
            "The request took more than 0.2 s and was stopped.",
        )
