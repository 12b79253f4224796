"""The socket that the server listens on, and the garbage of a process that goes on for long."""

from __future__ import annotations

import gc
import socket

import pytest

from caplens.server import running
from caplens.server.limits import Limits
from caplens.server.running import listen, settle


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_answers_are_sent_at_once(host):
    """asyncio turns Nagle's algorithm off only for sockets whose protocol is named: answers would wait 40 ms."""
    if host == "::1" and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    with listen(host, 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP


def test_garbage_is_looked_for_while_the_server_runs(monkeypatch):
    """Commands, which end soon, hardly look for it; what closed connections leave behind would add up."""
    found = []

    def serve(server, sockets):
        settle()
        found.append((gc.get_threshold(), gc.get_freeze_count() > 0))

    before = gc.get_threshold()
    monkeypatch.setattr(running.uvicorn.Server, "run", serve)
    gc.set_threshold(200_000, 20, 20)
    try:
        running.run(None, listen("127.0.0.1", 0), Limits(), lambda: None)
        assert (found, gc.get_threshold(), gc.get_freeze_count()) == ([((700, 10, 10), True)], (200_000, 20, 20), 0)
    finally:
        gc.set_threshold(*before)
