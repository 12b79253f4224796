"""The command line: one file per command, no logic."""

from __future__ import annotations

import gc
import os
import sys

from caplens.cli.streams import discard_stdout, flush_stdout, leave, prepare_streams
from caplens.errors import CaplensError
from caplens.files.claims import separate_inputs_and_outputs
from caplens.files.telling import on_command_line

BAD_INPUT = 2
INTERRUPTED = 130
GARBAGE = 200_000
"""New objects after which to look for garbage."""
COMPLETION_VARIABLE = "_CAPLENS_COMPLETE"
"""Set by shells that ask for completions."""


def main(arguments: list[str] | None = None) -> None:
    """Run the command line and leave with its exit code; a user never sees a traceback for a user's mistake.

    ``arguments`` are those of the process by default, which then ends here.
    """
    # Modules and captions are many objects and hardly any garbage: looking for it again and again takes a tenth of a
    # short command's time.
    gc.set_threshold(GARBAGE, 20, 20)
    prepare_streams()
    try:
        with separate_inputs_and_outputs(), on_command_line():
            code = _run(sys.argv[1:] if arguments is None else arguments)
        flush_stdout()
    except KeyboardInterrupt:
        code = INTERRUPTED
    except CaplensError as error:
        code = _refuse(str(error))
    except MemoryError:
        code = _refuse("There is not enough memory for this: score fewer captions or fewer metrics at a time.")
    except (BrokenPipeError, SystemExit) as error:
        # The reader has seen enough (`| head`); rich makes an exit of that.
        if not isinstance(error, BrokenPipeError) and not isinstance(error.__context__, BrokenPipeError):
            raise
        discard_stdout()
        code = 0
    if arguments is None:
        leave(code)
    sys.exit(code)


def _run(arguments: list[str]) -> int:
    import click
    from click.exceptions import Exit

    from caplens.cli.app import app

    if COMPLETION_VARIABLE in os.environ:
        app.main(prog_name="caplens")  # a shell asks for completions; click answers and leaves
    try:
        # Not app.main(): it takes interrupted writing and Ctrl-C for itself, and blanks the line of the latter.
        with app.make_context("caplens", arguments) as context:
            app.invoke(context)
    except Exit as leaving:
        return leaving.exit_code
    except click.ClickException as error:
        failed = getattr(error, "ctx", None)
        message = error.format_message()
        if isinstance(error, click.NoSuchOption) and error.possibilities:  # the closest first, in our own words
            message = f"No such option {error.option_name!r}; did you mean {error.possibilities[0]!r}?"
        sentence = " ".join(message.split()).rstrip(".")
        end = "" if sentence.endswith("?") else "."
        return _refuse(f"{sentence}{end} Try: {failed.command_path if failed else 'caplens'} --help")
    return 0


def _refuse(sentence: str) -> int:
    from caplens.cli.console import tell

    tell(f"caplens: {sentence}")
    discard_stdout()  # what could not be printed must not be tried again on the way out
    return BAD_INPUT
