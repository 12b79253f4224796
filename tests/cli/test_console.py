"""What is printed where there is no terminal."""

from __future__ import annotations

import io
import os
import subprocess
import sys

import pytest

from caplens.cli.console import scores_view, show, show_line, takes_plain_text
from caplens.output.presentation import Presentation

METRICS = {"CIDEr": {"score": 0.5, "interval": [0.4, 0.6]}}
COLOURS = ("FORCE_COLOR", "TTY_COMPATIBLE", "TTY_INTERACTIVE")


def stream(encoding="utf-8"):
    return io.TextIOWrapper(io.BytesIO(), encoding=encoding)


def printed(monkeypatch, out):
    monkeypatch.setattr(sys, "stdout", out)
    show(scores_view(METRICS, Presentation()))
    show_line("rouge(beta=1.2)|rows:1 [/b]")
    out.flush()
    return out.buffer.getvalue().decode(out.encoding)


@pytest.fixture(autouse=True)
def _nobody_asks_for_colours(monkeypatch):
    for name in (*COLOURS, "COLUMNS"):
        monkeypatch.delenv(name, raising=False)


def test_files_and_pipes_take_plain_text(monkeypatch):
    text = printed(monkeypatch, stream())
    assert text.splitlines()[1:] == [
        " metric   score     95 % interval ",
        " ──────────────────────────────── ",
        " CIDEr   0.5000  0.4000 .. 0.6000 ",
        " " * 34,
        "rouge(beta=1.2)|rows:1 [/b]",
    ]


def test_text_and_what_rich_draws_are_the_same(monkeypatch):
    plain = printed(monkeypatch, stream())
    monkeypatch.setenv("TTY_INTERACTIVE", "0")  # asks rich
    assert not takes_plain_text()
    assert printed(monkeypatch, stream()) == plain


def test_poor_encodings_get_other_lines(monkeypatch):
    text = printed(monkeypatch, stream("ascii"))
    assert "|CIDEr | 0.5000|" in text
    assert "─" not in text


def test_colours_on_request(monkeypatch):
    monkeypatch.setenv("FORCE_COLOR", "1")
    assert "\x1b[" in printed(monkeypatch, stream())


SCORING = """
import sys
from caplens.cli import main
try:
    main(["score", sys.argv[1], "-m", "rouge"])
finally:
    import os
    print(*(name for name in ("rich.console", "numpy") if name in sys.modules), os.environ.get("OPENBLAS_NUM_THREADS"))
"""


@pytest.mark.parametrize("threads", [None, "3"])
def test_scoring_loads_little_and_leaves_the_environment_alone(tmp_path, threads):
    rows = tmp_path / "rows.jsonl"
    rows.write_text('{"id": 1, "candidate": "a dog", "references": ["a dog"]}\n')
    environment = {key: value for key, value in os.environ.items() if key not in (*COLOURS, "OPENBLAS_NUM_THREADS")}
    environment |= {"PYTHONIOENCODING": "utf-8"} | ({} if threads is None else {"OPENBLAS_NUM_THREADS": threads})
    command = [sys.executable, "-c", SCORING, str(rows)]
    done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8", check=False)
    assert done.stdout.splitlines()[-1] == f"numpy {threads}", done.stderr
