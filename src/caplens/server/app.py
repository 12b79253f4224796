"""The routes: a page to try captions on, the report of loaded files, and the JSON API."""

from __future__ import annotations

import contextlib
import logging
import math
from collections.abc import AsyncIterator, Callable, Iterable
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any, Protocol, TypeVar

import msgspec
from jinja2 import Environment, FileSystemLoader, select_autoescape
from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response
from starlette.routing import Mount, Route
from starlette.staticfiles import StaticFiles

from caplens._version import __version__
from caplens.errors import CaplensError
from caplens.output.document import encode
from caplens.server import computing, openapi
from caplens.server.guard import Guard, RefusedError, problem, read_body
from caplens.server.limits import Limits
from caplens.server.messages import ExplainRequest, RowRequest, ScoreRequest
from caplens.server.workers import BusyError, GoneError, TimeIsUpError, Workers

FOLDER = Path(__file__).parent
JSON = "application/json"
SVG = "image/svg+xml"
_COLD = 4.0  # times the limit: what is asked before everything is loaded waits for that, too
_CLIENT_LEFT = 499  # nobody reads the answer; the number that nginx logs

Body = TypeVar("Body")
_log = logging.getLogger("caplens.server")


class Loaded(Protocol):
    """Files that the server was started with, see `caplens.server.loaded`."""

    page: bytes

    def explain(self, request: RowRequest) -> bytes:
        """Explain a row of them."""

    def warm_up(self) -> None:
        """Get ready for the first row."""


class Playground:
    """What the routes do.

    Parameters
    ----------
    loaded : Loaded, optional
        The files that the server was started with.
    limits : Limits
        Limits for requests.
    when_warm : callable
        Called once, when everything is loaded.
    """

    def __init__(self, loaded: Loaded | None, limits: Limits, when_warm: Callable[[], None]) -> None:
        self._loaded = loaded
        self._limits = limits
        self._when_warm = when_warm
        self._workers = Workers(limits)
        self._warming = Workers(replace(limits, workers=1))  # its own thread: requests need not wait for everything
        self._is_warm = False
        self._pages = Environment(
            loader=FileSystemLoader(FOLDER / "templates"), autoescape=select_autoescape(), auto_reload=False
        )

    def routes(self) -> list[Route | Mount]:
        """Return the addresses and what answers there."""
        posted: list[tuple[str, type[Any], Callable[[Any], bytes], str]] = [
            ("/api/explain", ExplainRequest, computing.explain_caption, JSON),
            ("/api/graph", ExplainRequest, computing.draw_caption, SVG),
            ("/api/score", ScoreRequest, computing.score_captions, JSON),
            ("/api/report/explain", RowRequest, self._explain_row, JSON),
        ]
        return [
            Route("/", self._page),
            Route("/report", self._report),
            Route("/health", self._health),
            Route("/api/metrics", self._metrics),
            Route("/api/openapi.json", self._openapi),
            *(
                Route(path, self._computing(kind, work, media_type), methods=["POST"])
                for path, kind, work, media_type in posted
            ),
            Mount("/static/report", StaticFiles(directory=FOLDER.parent / "report" / "static", check_dir=False)),
            Mount("/static", StaticFiles(directory=FOLDER / "static")),
        ]

    @contextlib.asynccontextmanager
    async def lifespan(self, app: Starlette) -> AsyncIterator[None]:
        """Load everything in the background when the server starts, stop the work when it ends."""
        import asyncio

        warming = asyncio.ensure_future(self._warm_up())
        try:
            yield
        finally:
            warming.cancel()
            for workers in (self._warming, self._workers):
                await asyncio.to_thread(workers.close)

    async def _warm_up(self) -> None:
        def work() -> None:
            computing.warm_up()
            if self._loaded is not None:
                self._loaded.warm_up()

        try:
            await self._warming.run(work, patience=math.inf)
        except GoneError:  # the server stops
            return
        except CaplensError as error:  # a request that needs it will say so
            _log.warning("not everything could be loaded: %s", error)
        self._when_warm()
        self._is_warm = True

    def _computing(self, kind: type[Body], work: Callable[[Body], bytes], media_type: str) -> Callable[..., Any]:
        decoder = msgspec.json.Decoder(kind)

        async def answer(request: Request) -> Response:
            try:
                body = decoder.decode(await read_body(request, self._limits))
            except msgspec.DecodeError as error:
                return problem(400, f"{str(error).rstrip('.')}.")
            except UnicodeDecodeError:
                return problem(400, "The body is not UTF-8.")
            return await self._compute(request, lambda: work(body), media_type)

        return answer

    async def _compute(self, request: Request, work: Callable[[], bytes], media_type: str = JSON) -> Response:
        patience = 1.0 if self._is_warm else _COLD
        try:
            return Response(await self._workers.run(work, _gone(request), patience), media_type=media_type)
        except CaplensError as error:
            return problem(400, str(error))
        except BusyError:
            return problem(503, "Too many requests are waiting: try again in a second.", {"Retry-After": "1"})
        except TimeIsUpError:
            return problem(504, f"The request took more than {patience * self._limits.seconds:g} s and was stopped.")
        except GoneError:
            return problem(_CLIENT_LEFT, "The client disconnected.")

    def _explain_row(self, request: RowRequest) -> bytes:
        if self._loaded is None:
            raise CaplensError("The server was started without files: caplens serve FILES -r REFERENCES.")
        return self._loaded.explain(request)

    async def _page(self, request: Request) -> Response:
        return HTMLResponse(
            self._pages.get_template("playground.html").render(version=__version__, has_report=self._loaded is not None)
        )

    async def _report(self, request: Request) -> Response:
        if self._loaded is None:
            return problem(404, "The server was started without files: caplens serve FILES -r REFERENCES.")
        return HTMLResponse(self._loaded.page)

    async def _health(self, request: Request) -> Response:
        return Response(encode({"status": "ok", "caplens": __version__, "warm": self._is_warm}), media_type=JSON)

    async def _metrics(self, request: Request) -> Response:
        return await self._compute(request, _metrics)

    async def _openapi(self, request: Request) -> Response:
        return Response(encode(openapi.description()), media_type=JSON)


@cache
def _metrics() -> bytes:
    return computing.list_metrics()


async def _gone(request: Request) -> None:
    """Wait until the client leaves."""
    while (await request.receive())["type"] != "http.disconnect":
        pass


async def _refused(request: Request, error: Exception) -> Response:
    if isinstance(error, RefusedError):
        return problem(error.status, str(error), error.headers)
    if isinstance(error, HTTPException):
        sentences = {404: "There is nothing at this address.", 405: "This address does not support this method."}
        return problem(error.status_code, sentences.get(error.status_code, error.detail), dict(error.headers or {}))
    return problem(500, "Internal error in caplens; see the server's log.")


def create_app(
    loaded: Loaded | None = None,
    *,
    limits: Limits | None = None,
    host: str = "127.0.0.1",
    allowed_hosts: Iterable[str] = (),
    pictures: str = "",
    when_warm: Callable[[], None] = lambda: None,
) -> Starlette:
    """Return the application, for `uvicorn` or another ASGI server.

    Parameters
    ----------
    loaded : Loaded, optional
        The files to show under ``/report``.
    limits : Limits, optional
        Limits for requests.
    host : str
        The address that the server listens on.
    allowed_hosts : iterable of str
        Additional host names to accept.
    pictures : str
        The origin (``https://images.example.org``) of the pictures in the report, if any.
    when_warm : callable
        Called once, when everything is loaded.
    """
    playground = Playground(loaded, limits or Limits(), when_warm)
    return Starlette(
        routes=playground.routes(),
        lifespan=playground.lifespan,
        middleware=[Middleware(Guard, host=host, names=tuple(allowed_hosts), pictures=pictures)],
        exception_handlers={RefusedError: _refused, HTTPException: _refused, Exception: _refused},
    )
