"""Who may ask, and the headers of every answer."""

from __future__ import annotations

import pytest
from starlette.testclient import TestClient

from caplens.server.app import create_app


def test_every_answer_has_the_headers(client):
    for path in ("/", "/nothing", "/health", "/static/playground.js"):
        headers = client.get(path).headers
        assert "script-src 'self'" in headers["content-security-policy"]
        assert "unsafe" not in headers["content-security-policy"]
        assert headers["x-content-type-options"] == "nosniff"
        assert headers["referrer-policy"] == "no-referrer"
        assert "access-control-allow-origin" not in headers


@pytest.mark.parametrize(
    "host", ["evil.example", "evil.example:8642", "127.0.0.1.evil.example", "a@127.0.0.1", "", "[", "8.8.8.8"]
)
def test_other_hosts_are_refused(client, host):
    assert client.get("/health", headers={"Host": host}).status_code == 403


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost:1", "[::1]:8642", "LOCALHOST"])
def test_names_of_this_machine_are_answered(client, host):
    assert client.get("/health", headers={"Host": host}).status_code == 200


@pytest.mark.parametrize("origin", ["http://evil.example", "null", "http://127.0.0.1:1", "file://", "http://["])
def test_other_origins_are_refused(client, origin):
    assert client.get("/health", headers={"Origin": origin}).status_code == 403
    assert client.post("/api/explain", json={"candidate": "a"}, headers={"Origin": origin}).status_code == 403


def test_its_own_pages_are_answered(client):
    assert client.get("/health", headers={"Origin": "http://127.0.0.1:8642"}).status_code == 200
    assert client.get("/health", headers={"Sec-Fetch-Site": "cross-site"}).status_code == 403
    followed = {"Sec-Fetch-Site": "cross-site", "Sec-Fetch-Mode": "navigate"}
    assert client.get("/", headers=followed).status_code == 200


def test_a_server_for_others_answers_addresses_and_names_that_were_allowed():
    app = create_app(host="0.0.0.0", allowed_hosts=["lab.example"])
    client = TestClient(app, base_url="http://10.0.0.7:8642")
    assert client.get("/health").status_code == 200
    assert client.get("/health", headers={"Host": "lab.example"}).status_code == 200
    assert client.get("/health", headers={"Host": "evil.example"}).status_code == 403


def test_the_page_has_no_inline_scripts_or_styles(client):
    page = client.get("/").text
    assert "<style" not in page
    assert " style=" not in page
    assert page.count("<script") == page.count('src="/static/') == 1
    assert "http://" not in page
    assert "https://" not in page
