"""Run the command as a user does: the console script beside the interpreter, in a process of its own."""

from __future__ import annotations

import io
import json
import subprocess
import sys
from contextlib import chdir, redirect_stderr, redirect_stdout
from pathlib import Path

import pytest

from caplens.cli import main

CAPLENS = str(Path(sys.executable).with_name("caplens"))


def run(*arguments, stdin=None, folder=None):
    """Run ``caplens`` with arguments; stdin is bytes or nothing."""
    return subprocess.run(
        [CAPLENS, *map(str, arguments)],
        input=b"" if stdin is None else stdin,
        capture_output=True,
        cwd=folder,
        check=False,
    )


def succeed(*arguments, **more):
    """Run ``caplens`` and return what it printed; it must not fail."""
    done = run(*arguments, **more)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout.decode()


def refuse(*arguments, folder="."):
    """Run ``caplens`` in this process; return its one sentence of complaint, with exit code 2 and nothing printed."""
    output, errors = io.StringIO(), io.StringIO()
    with chdir(folder), redirect_stdout(output), redirect_stderr(errors), pytest.raises(SystemExit) as left:
        main([str(argument) for argument in arguments])
    text = errors.getvalue()
    assert (left.value.code, output.getvalue()) == (2, ""), text
    assert text.startswith("caplens: ")
    assert text.count("\n") == 1
    assert text.endswith((".\n", "--help\n", "?\n"))
    return text.removeprefix("caplens: ").rstrip("\n")


def write_rows(path, rows):
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path
