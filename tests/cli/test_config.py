"""Options from a file."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import pytest
from click.testing import CliRunner
from tests.command_line import refuse, succeed, write_rows

from caplens.cli.framework import Parsed, argument, declared_in, derive, option
from caplens.errors import UsageError


@dataclass(frozen=True, kw_only=True)
class Drawing:
    files: tuple[str, ...] = argument("What to draw.")
    metrics: str = option("coco", "Metrics.", "-m", "--metrics", join=", ")
    label: tuple[str, ...] = option((), "Labels.")
    seed: int = option(1, "Seed.", least=0)
    scale: float = option(1.0, "Scale.")
    frame: bool = option(True, "A frame.")
    allow_code: bool = option(False, "Code.")
    form: Literal["dot", "line"] = option("dot", "How.", "--draw-as")


def started(tmp_path, content, *arguments):
    """Run a command with a file of options; return what it was given."""
    seen: list[Parsed] = []
    (tmp_path / "eval.toml").write_text(content, encoding="utf-8")
    made = derive("draw", declared_in(Drawing), seen.append, explain="Draw.", examples=["caplens draw"])
    done = CliRunner().invoke(made, ["a", *arguments, "--config", str(tmp_path / "eval.toml")])
    if done.exception is not None and not isinstance(done.exception, SystemExit):
        raise done.exception
    return seen[0] if seen else done.output


def test_the_keys_are_the_long_names_of_options(tmp_path):
    content = 'metrics = ["bleu", "cider"]\nlabel = "x"\nseed = 7\nscale = 0.5\nframe = false\ndraw-as = "line"'
    parsed = started(tmp_path, content)
    assert parsed.into(Drawing) == Drawing(
        files=("a",), metrics="bleu, cider", label=("x",), seed=7, scale=0.5, frame=False, form="line"
    )
    assert parsed.given >= {"metrics", "label", "seed", "scale", "frame", "form"}


def test_the_command_line_wins(tmp_path):
    parsed = started(tmp_path, 'metrics = "bleu"\nseed = 7\nframe = false', "-m", "cider", "--seed", "3", "--frame")
    assert (parsed.values["metrics"], parsed.values["seed"], parsed.values["frame"]) == ("cider", 3, True)


@pytest.mark.parametrize(
    ("content", "words"),
    [
        ("allow-code = true", "cannot set allow-code: pass --allow-code on the command line"),
        ("allow_code = true", "has no option 'allow_code'; choose from"),
        ("sede = 1", "has no option 'sede'; did you mean 'seed'\\?"),
        ("files = 1", "has no option 'files'"),
        ("m = 1", "has no option 'm'"),
        ("[draw]\nseed = 1", "has no option 'draw'"),
        ("seed = [1, 2]", r"seed takes one value, not \[1, 2\]"),
        ("seed = true", "seed must be text or a number, not True"),
        ("frame = 1", "frame must be true or false, not 1"),
        ("label = {a = 1}", "label must be text or a number"),
    ],
)
def test_what_a_file_cannot_say(tmp_path, content, words):
    with pytest.raises(UsageError, match=words):
        started(tmp_path, content)


def test_values_are_checked_as_on_the_command_line(tmp_path):
    assert "Invalid value for '--seed': -1 is not in the range" in started(tmp_path, "seed = -1")
    assert "'bar' is not one of" in started(tmp_path, 'draw-as = "bar"')


def test_score_takes_one(tmp_path):
    rows = write_rows(tmp_path / "rows.jsonl", [{"id": 1, "candidate": "a dog", "references": ["a dog"]}])
    (tmp_path / "eval.toml").write_text('metrics = "rouge"\nquiet = true\nformat = "markdown"\nintervals = false')
    text = succeed("score", rows, "--config", tmp_path / "eval.toml")
    assert text.splitlines()[-1] == "| rows | 1.0000 |"
    assert refuse("score", rows, "--config", tmp_path / "nowhere.toml").startswith("There is no file")
    (tmp_path / "eval.toml").write_text("metrics =")
    assert "is not a valid TOML file (Invalid value" in refuse("score", rows, "--config", tmp_path / "eval.toml")
