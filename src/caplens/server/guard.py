"""What stands before every route: who may ask (Host, Origin), how much (body), and the headers of every answer."""

from __future__ import annotations

import asyncio
import ipaddress
from collections.abc import Iterable
from urllib.parse import urlsplit

from starlette.datastructures import Headers, MutableHeaders
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from caplens.output.document import encode
from caplens.server.limits import Limits

CONTENT_SECURITY_POLICY = "; ".join(
    [
        "default-src 'none'",
        "script-src 'self'",
        "style-src 'self'",
        "connect-src 'self'",
        "img-src {pictures}",
        "base-uri 'none'",
        "form-action 'none'",
        "frame-ancestors 'none'",
    ]
)
_HEADERS = {
    "X-Content-Type-Options": "nosniff",
    "X-Frame-Options": "DENY",
    "Referrer-Policy": "no-referrer",
    "Cross-Origin-Opener-Policy": "same-origin",
    "Cross-Origin-Resource-Policy": "same-origin",
    "Cache-Control": "no-store",
}
_LOOPBACK = "localhost"
_ANYWHERE = ("0.0.0.0", "::")


class RefusedError(Exception):
    """A request that is not answered, with the status that says so."""

    def __init__(self, status: int, sentence: str, **headers: str) -> None:
        super().__init__(sentence)
        self.status = status
        self.headers = headers


def problem(status: int, sentence: str, headers: dict[str, str] | None = None) -> Response:
    """Return an answer that says what is wrong."""
    return Response(encode({"error": sentence}), status, headers, "application/json")


class Guard:
    """Checks every request before it reaches a route, and puts the headers on every answer.

    A page elsewhere on the web can send a browser here under a name of its own (DNS rebinding), or post a form: the
    names of hosts are therefore checked, and so is the origin of whatever a browser sends.

    Parameters
    ----------
    app : ASGI application
        What to guard.
    host : str
        The address that the server listens on.
    names : iterable of str
        Additional host names to accept.
    pictures : str
        The origin of pictures, if a report shows some.
    """

    def __init__(self, app: ASGIApp, host: str = "127.0.0.1", names: Iterable[str] = (), pictures: str = "") -> None:
        self._app = app
        self._host = host.lower()
        self._names = {_LOOPBACK, self._host, *(name.lower() for name in names)} - set(_ANYWHERE)
        self._policy = CONTENT_SECURITY_POLICY.format(pictures=f"'self' data: {pictures}".strip())

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Answer a request, or refuse it."""
        if scope["type"] != "http":
            if scope["type"] == "websocket":
                await send({"type": "websocket.close", "code": 1008})
            else:
                await self._app(scope, receive, send)
            return

        async def send_guarded(message: Message) -> None:
            if message["type"] == "http.response.start":
                headers = MutableHeaders(scope=message)
                for name, value in _HEADERS.items():
                    headers.setdefault(name, value)
                headers["Content-Security-Policy"] = self._policy
            await send(message)

        reason = self._refusal(Headers(scope=scope))
        app = self._app if reason is None else problem(403, reason)
        await app(scope, receive, send_guarded)

    def _refusal(self, headers: Headers) -> str | None:
        host = headers.get("host", "")
        if len(headers.getlist("host")) != 1 or not self._is_ours(host):
            return "This server does not accept that host name (caplens serve --allow-host NAME)."
        origin = headers.get("origin")
        if origin is not None and not _same_origin(origin, host):
            return "This server answers its own pages only, not those of another origin."
        if headers.get("sec-fetch-site") in ("cross-site", "same-site") and headers.get("sec-fetch-mode") != "navigate":
            return "This server answers its own pages only, not those of another site."
        return None

    def _is_ours(self, host: str) -> bool:
        try:
            name = (urlsplit(f"//{host}").hostname or "").lower()
            _ = urlsplit(f"//{host}").port
        except ValueError:
            return False
        if any(mark in host for mark in "/?#@\\"):
            return False
        if name in self._names:
            return True
        try:
            address = ipaddress.ip_address(name)
        except ValueError:
            return False
        # Nobody can make a name of their own out of an address.
        return address.is_loopback or self._host in _ANYWHERE


def _same_origin(origin: str, host: str) -> bool:
    """Whether a page of some origin is one of ours; a proxy may add TLS, so the scheme is not compared.

    Examples
    --------
    >>> _same_origin("http://localhost:8642", "localhost:8642"), _same_origin("null", "localhost:8642")
    (True, False)
    """
    try:
        parts = urlsplit(origin)
    except ValueError:
        return False
    return parts.scheme in ("http", "https") and parts.netloc.lower() == host.lower()


async def read_body(request: Request, limits: Limits) -> bytes:
    """Return the body of a request of JSON; one that is too large, too slow or of another type is refused."""
    kind = request.headers.get("content-type", "").partition(";")[0].strip().lower()
    if kind != "application/json":
        raise RefusedError(415, "Send JSON, with the header Content-Type: application/json.")
    too_large = RefusedError(413, f"The body of a request can have at most {limits.body_bytes:,} bytes.")
    announced = request.headers.get("content-length", "")
    if announced.isdecimal() and int(announced) > limits.body_bytes:
        raise too_large
    body = bytearray()
    try:
        async with asyncio.timeout(limits.body_seconds):
            async for chunk in request.stream():
                body += chunk
                if len(body) > limits.body_bytes:
                    raise too_large
    except TimeoutError:
        raise RefusedError(408, f"The body did not arrive within {limits.body_seconds:g} s.") from None
    except ClientDisconnect:
        raise RefusedError(400, "The client disconnected before the body was complete.") from None
    return bytes(body)
