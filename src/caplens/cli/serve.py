"""``caplens serve``."""

from __future__ import annotations

from dataclasses import dataclass
from importlib.util import find_spec
from typing import TYPE_CHECKING

from caplens.cli import framework, options
from caplens.cli.framework import argument, option
from caplens.errors import MissingDataError, UsageError

if TYPE_CHECKING:
    from caplens.server.loaded import Loaded

PACKAGES = ("starlette", "uvicorn", "jinja2")


@dataclass(frozen=True, kw_only=True)
class ServeOptions(
    options.References,
    options.Metrics,
    options.Tokenizer,
    options.Missing,
    options.Reading,
    options.Quiet,
):
    """What ``caplens serve`` takes."""

    files: tuple[str, ...] = argument(
        "Files to show as a report: a file that caplens wrote with --with-captions, or candidates with -r REFERENCES.",
        (),
        metavar="[FILES]...",
    )
    host: str = option(
        "127.0.0.1", "Address to listen on; 0.0.0.0 accepts connections from other machines.", metavar="ADDRESS"
    )
    port: int = option(8642, "Port to listen on; 0: any free port.", least=0, most=65535)
    allow_host: tuple[str, ...] = option((), "Additional host name to accept; can be repeated.", metavar="NAME")
    seconds: float = option(30.0, "Time limit for a request, in seconds.", least=0.1, most=3600)
    workers: int | None = option(None, "Number of threads. Default: all CPUs available to the process.", least=1)
    pictures: str = option("", "URL of the pictures in the report, with {id} for the image id.", metavar="URL")


def serve(given: ServeOptions) -> None:
    """Serve a playground, reports and a JSON API to the browser.

    The playground shows scores and explanations as you type.
    """
    missing = [name for name in PACKAGES if find_spec(name) is None]
    if missing:
        raise MissingDataError(f'The playground needs {", ".join(missing)}: pip install "caplens[serve]".')
    from caplens.server.app import create_app
    from caplens.server.limits import Limits
    from caplens.server.running import address, listen, run, settle

    workers = {} if given.workers is None else {"workers": given.workers}
    limits = Limits(seconds=given.seconds, **workers)
    listening = listen(given.host, given.port)
    with listening:
        loaded = _loaded(given)
        app = create_app(
            loaded,
            limits=limits,
            host=given.host,
            allowed_hosts=given.allow_host,
            pictures=_origin(given.pictures),
            when_warm=settle,
        )
        page = f"{address(listening)}{'report' if loaded is not None else ''}"
        run(app, listening, limits, lambda: _tell(f"{page}  (Ctrl-C stops the server)"))


def _tell(line: str) -> None:
    """Print where the server is, at once: whoever reads it through a pipe waits for it."""
    from caplens.cli.console import show_text
    from caplens.cli.streams import flush_stdout

    show_text(line)
    flush_stdout()


def _loaded(given: ServeOptions) -> Loaded | None:
    """Load the files, if there are some."""
    if not given.files:
        if given.references:
            raise UsageError("References were given, but no candidates: caplens serve CANDIDATES -r REFERENCES.")
        return None
    from caplens.cli.console import progress, warn
    from caplens.core.plan import columns_of
    from caplens.core.selection import select
    from caplens.server.loaded import load

    selection = select(given.metrics, allow_code=given.allow_code, tokenizer=given.tokenizer)
    reading = given.reading(columns_of(selection.metrics))
    with progress(given.quiet):
        loaded, notices = load(given.files, given.references, selection, reading, given.missing, given.pictures)
    warn(notices, given.quiet)
    return loaded


def _origin(pictures: str) -> str:
    """Return the origin of the pictures, which the page may then load from."""
    from urllib.parse import urlsplit

    parts = urlsplit(pictures)
    return f"{parts.scheme}://{parts.netloc}" if parts.scheme in ("http", "https") and parts.netloc else ""


command = framework.command(
    ServeOptions,
    serve,
    examples=[
        "caplens serve",
        "caplens serve scores.json",
        "caplens serve ours.json theirs.json -r annotations.json --port 9000",
    ],
)
