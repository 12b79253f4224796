"""``caplens serve``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec

from caplens.cli import framework
from caplens.cli.framework import option
from caplens.errors import MissingDataError

PACKAGES = ("starlette", "uvicorn", "jinja2")


@dataclass(frozen=True, kw_only=True)
class ServeOptions:
    """What ``caplens serve`` takes."""

    host: str = option("127.0.0.1", "Address to listen on; 0.0.0.0 lets other machines in.", metavar="ADDRESS")
    port: int = option(8642, "Port to listen on; 0: any that is free.", least=0, most=65535)
    allow_host: tuple[str, ...] = option((), "Further host name to answer under; can be repeated.", metavar="NAME")
    seconds: float = option(30.0, "Longest time that a request may take.", least=0.1, most=3600)
    workers: int | None = option(None, "Threads that compute. Default: all CPUs available to the process.", least=1)


def serve(given: ServeOptions) -> None:
    """Open a playground in the browser: live scores and explanations, a JSON API."""
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise MissingDataError(f'The playground needs {", ".join(missing)}: pip install "caplens[serve]".')
    from caplens.server.app import create_app
    from caplens.server.limits import Limits
    from caplens.server.running import address, listen, run

    workers = {} if given.workers is None else {"workers": given.workers}
    limits = Limits(seconds=given.seconds, **workers)
    listening = listen(given.host, given.port)
    with listening:
        app = create_app(
            limits=limits,
            host=given.host,
            allowed_hosts=given.allow_host,
        )
        page = address(listening)
        run(app, listening, limits, lambda: _tell(f"{page}  (Ctrl-C stops the server)"))


def _tell(line: str) -> None:
    """Print where the server is, at once: whoever reads it through a pipe waits for it."""
    from caplens.cli.console import show_text
    from caplens.cli.streams import flush_stdout

    show_text(line)
    flush_stdout()


command = framework.command(
    ServeOptions,
    serve,
    examples=[
        "caplens serve",
        "caplens serve --port 9000",
    ],
)
