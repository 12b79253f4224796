"""The socket that the server listens on."""

from __future__ import annotations

import socket

import pytest

from caplens.server.running import listen


@pytest.mark.parametrize("host", ["127.0.0.1", "::1"])
def test_answers_are_sent_at_once(host):
    """asyncio turns Nagle's algorithm off only for sockets whose protocol is named: answers would wait 40 ms."""
    if host == "::1" and not socket.has_ipv6:
        pytest.skip("this machine has no IPv6")
    with listen(host, 0) as listening:
        assert listening.proto == socket.IPPROTO_TCP
