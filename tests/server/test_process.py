"""The command, as a process of its own."""

from __future__ import annotations

import http.client
import json
import re
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from caplens.cli.serve import PACKAGES

CAPLENS = [sys.executable, "-m", "caplens"]


def started(*arguments):
    process = subprocess.Popen(
        [*CAPLENS, "serve", "--port", "0", *arguments], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    line = process.stdout.readline()
    found = re.match(r"http://127\.0\.0\.1:(\d+)/", line)
    assert found, line + process.stderr.read()
    return process, int(found[1])


def ask(port, method, path, body=None):
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=60)
    connection.request(method, path, body, {"Content-Type": "application/json"} if body else {})
    answer = connection.getresponse()
    content = answer.read()
    connection.close()
    return answer.status, content


@pytest.mark.parametrize("stop", [signal.SIGINT, signal.SIGTERM])
def test_it_starts_answers_and_stops_cleanly(stop):
    process, port = started()
    try:
        request = json.dumps({"candidate": "a dog", "references": ["a dog"], "metrics": "rouge"})
        status, content = ask(port, "POST", "/api/explain", request)
        assert (status, json.loads(content)["explanations"][0]["scores"]) == (200, {"ROUGE_L": 1.0})
        assert ask(port, "GET", "/")[0] == 200
    finally:
        process.send_signal(stop)
        out, err = process.communicate(timeout=60)
    assert (process.returncode, out, err) == (0, "", "")


def test_a_request_that_is_being_answered_is_finished_first():
    process, port = started()
    text = " ".join(f"dog{number}" for number in range(60))
    body = json.dumps({"candidate": text, "references": [text] * 3, "metrics": "bleu, rouge, spice"}).encode()
    with socket.create_connection(("127.0.0.1", port), timeout=60) as connection:
        head = f"POST /api/explain HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\nContent-Type: application/json\r\n"
        connection.sendall(f"{head}Content-Length: {len(body)}\r\nConnection: close\r\n\r\n".encode() + body)
        time.sleep(0.2)
        process.send_signal(signal.SIGINT)
        assert connection.makefile("rb").readline() == b"HTTP/1.1 200 OK\r\n"
    process.communicate(timeout=60)
    assert process.returncode == 0


def refused(*arguments):
    run = subprocess.run([*CAPLENS, "serve", *arguments], capture_output=True, text=True, timeout=60, check=False)
    assert run.returncode == 2
    assert run.stderr.count("\n") == 1, run.stderr
    return run.stderr


def test_a_port_that_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = str(taken.getsockname()[1])
        assert f"cannot listen on 127.0.0.1, port {port} (Address already in use)" in refused("--port", port)


def test_the_extra_is_named_where_it_is_missing(monkeypatch):
    from caplens.cli import serve
    from caplens.errors import MissingDataError

    monkeypatch.setattr(serve, "find_spec", lambda name: None)
    with pytest.raises(MissingDataError, match=r'needs starlette, uvicorn, jinja2: pip install "caplens\[serve\]"'):
        serve.serve(serve.ServeOptions())
    assert PACKAGES == ("starlette", "uvicorn", "jinja2")
    assert Path(serve.__file__).name == "serve.py"


def test_what_cannot_be_shown(tmp_path):
    assert "no candidates" in refused("-r", "references.json", "--port", "0")
    assert "missing.json" in refused(str(tmp_path / "missing.json"), "--port", "0")
    bad = tmp_path / "bad.json"
    bad.write_text('{"schema":2')
    assert "bad.json" in refused(str(bad), "--port", "0")
