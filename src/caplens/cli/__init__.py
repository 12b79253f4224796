"""The command line: one file a command, no logic."""

from __future__ import annotations

import io
import os
import sys

from caplens.errors import CaplensError

BAD_INPUT = 2
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code; a user never sees a traceback for a user's mistake."""
    try:
        if isinstance(sys.stdout, io.TextIOWrapper):
            sys.stdout.reconfigure(errors="backslashreplace")  # a poor locale must not cost a result
        code = _run(arguments)
        sys.stdout.flush()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except CaplensError as error:
        _say(str(error))
        code = BAD_INPUT
    except (BrokenPipeError, SystemExit) as error:
        # The reader has seen enough (`| head`); Typer and rich make an exit of that.
        if not isinstance(error, BrokenPipeError) and not isinstance(error.__context__, BrokenPipeError):
            raise
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())  # nothing more can be flushed to it
        code = 0
    except Exception as error:
        # Newer versions of Typer carry a click of their own: usage errors are known by what they can do.
        if not hasattr(error, "format_message"):
            raise
        command = getattr(getattr(error, "ctx", None), "command_path", "caplens")
        _say(f"{error.format_message().rstrip('.')}. Try: {command} --help")
        code = BAD_INPUT
    sys.exit(code)


def _run(arguments: list[str] | None) -> int:
    import typer

    from caplens.cli.app import app

    try:
        return app(args=arguments, prog_name="caplens", standalone_mode=False) or 0
    except typer.Abort:
        return INTERRUPTED


def _say(sentence: str) -> None:
    sys.stderr.write(f"caplens: {sentence}\n")
