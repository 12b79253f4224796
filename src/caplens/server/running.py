"""Starting and stopping the server."""

from __future__ import annotations

import gc
import signal
import socket
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

import uvicorn
from starlette.applications import Starlette

from caplens.errors import InputError, UsageError, reason_of
from caplens.server.limits import Limits

_PATIENCE = 10  # seconds for requests that are being answered when the server is told to stop
_GARBAGE = (700, 10, 10)  # CPython's own thresholds


def listen(host: str, port: int) -> socket.socket:
    """Return a socket that listens; port 0 stands for any that is free."""
    family = socket.AF_INET6 if ":" in host else socket.AF_INET
    # asyncio sends small answers at once (TCP_NODELAY) only where the protocol is named; else they wait 40 ms.
    listening = socket.socket(family, socket.SOCK_STREAM, socket.IPPROTO_TCP)
    try:
        listening.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listening.bind((host, port))
    except socket.gaierror as error:
        listening.close()
        raise UsageError(f"{host!r} is not an address of this machine: {reason_of(error)}.") from error
    except OSError as error:
        listening.close()
        raise InputError(
            f"The server cannot listen on {host}, port {port} ({reason_of(error)}): choose another with --port."
        ) from error
    return listening


def address(listening: socket.socket) -> str:
    """Return where a browser finds the server."""
    host, port = listening.getsockname()[:2]
    return f"http://{f'[{host}]' if ':' in host else host}:{port}/"


class _Server(uvicorn.Server):
    """A server that tells when it is ready."""

    def __init__(self, config: uvicorn.Config, ready: Callable[[], None]) -> None:
        super().__init__(config)
        self._ready = ready

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Start, then tell."""
        await super().startup(sockets)
        self._ready()


@contextmanager
def _collecting() -> Iterator[None]:
    """Look for garbage as often as Python does by itself, not as seldom as commands do that end soon.

    Every closed connection leaves a cycle behind (asyncio's transport); they would add up.
    """
    before = gc.get_threshold()
    gc.set_threshold(*_GARBAGE)
    try:
        yield
    finally:
        gc.set_threshold(*before)
        gc.unfreeze()


def settle() -> None:
    """Look for garbage once more, then never again among what is loaded now: models and tables stay until the end.

    Half a million objects are no longer visited, so that looking takes no time that a request would notice.
    """
    gc.collect()
    gc.freeze()


def run(app: Starlette, listening: socket.socket, limits: Limits, ready: Callable[[], None]) -> None:
    """Answer requests until SIGINT (Ctrl-C) or SIGTERM; requests that are being answered are finished first."""
    config = uvicorn.Config(
        app,
        log_level="warning",
        access_log=False,
        lifespan="on",
        limit_concurrency=limits.connections,
        timeout_keep_alive=30,
        timeout_graceful_shutdown=_PATIENCE,
        server_header=False,
        ws="none",
        proxy_headers=False,
    )
    # uvicorn raises the signals again that it caught, for whoever was there before: both mean a clean end here.
    before = signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        with suppress(KeyboardInterrupt), _collecting():
            _Server(config, ready).run([listening])
    finally:
        signal.signal(signal.SIGTERM, before)
        listening.close()
