"""The command line: one file a command, no logic."""

from __future__ import annotations

import os
import sys

from caplens.errors import CaplensError

BAD_INPUT = 2
BUG = 1
INTERRUPTED = 130


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code; a user never sees a traceback for a user's mistake."""
    import typer

    from caplens.cli.app import app

    try:
        code = app(args=arguments, prog_name="caplens", standalone_mode=False) or 0
        sys.stdout.flush()
    except (KeyboardInterrupt, typer.Abort):
        code = INTERRUPTED
    except CaplensError as error:
        _say(str(error))
        code = BAD_INPUT
    except BrokenPipeError:
        # The reader has seen enough (`| head`); nothing more can be flushed to it.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
        code = 0
    except Exception as error:
        # Newer versions of Typer carry a click of their own: usage errors are known by what they can do.
        if not hasattr(error, "format_message"):
            raise
        _say(f"{error.format_message().rstrip('.')}. Try: caplens --help")
        code = BAD_INPUT
    sys.exit(code)


def _say(sentence: str) -> None:
    sys.stderr.write(f"caplens: {sentence}\n")
