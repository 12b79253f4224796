"""Commands from declarations."""

from __future__ import annotations

import os
import subprocess
from dataclasses import MISSING, dataclass
from typing import Literal

import click
import pytest
from click.testing import CliRunner
from tests.command_line import CAPLENS

from caplens.cli.app import app
from caplens.cli.framework import Group, argument, command, declared_in, derive, group, option


@dataclass(frozen=True, kw_only=True)
class Shared:
    jobs: int | None = option(None, "Threads.", least=1)
    quiet: bool = option(False, "Say less.", "-q", "--quiet")


@dataclass(frozen=True, kw_only=True)
class Drawing(Shared):
    files: tuple[str, ...] = argument("What to draw.", metavar="FILES...")
    output: str = option(MISSING, "Where to.", "-o", "--output", metavar="OUT")
    style: Literal["line", "dot"] = option("line", "How.")
    label: tuple[str, ...] = option((), "May be repeated.")
    scale: float = option(1.0, "How large.", least=0.5, most=2)
    frame: bool = option(True, "A frame around it.")
    sizes: tuple[int, ...] | None = option(
        None, "Numbers.", convert=lambda text: tuple(int(part) for part in text.split(","))
    )


def started(*arguments):
    """Run a command; return what it was given."""
    seen = []

    def draw(given: Drawing) -> None:
        """Draw files."""
        seen.append(given)

    done = CliRunner().invoke(command(Drawing, draw, examples=["draw a.txt -o b.txt"]), [*map(str, arguments)])
    return done, seen


def test_a_command_gets_one_typed_object():
    done, (given,) = started("a", "b", "-o", "x", "--style", "DOT", "--label", 1, "--label", 2, "--no-frame", "c")
    assert done.exit_code == 0
    assert given == Drawing(files=("a", "b", "c"), output="x", style="dot", label=("1", "2"), frame=False)
    assert started("a", "-o", "x", "--sizes", "3,4", "-q", "--jobs", 2)[1] == [
        Drawing(files=("a",), output="x", sizes=(3, 4), quiet=True, jobs=2)
    ]


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (["a"], "Missing option '-o'"),
        (["-o", "x"], "Missing argument 'FILES...'"),
        (["a", "-o", "x", "--style", "bar"], "'bar' is not one of 'line', 'dot'"),
        (["a", "-o", "x", "--scale", "3"], "3.0 is not in the range 0.5<=x<=2"),
        (["a", "-o", "x", "--jobs", "0"], "0 is not in the range x>=1"),
    ],
)
def test_what_was_not_declared_is_refused(arguments, words):
    done, seen = started(*arguments)
    assert (done.exit_code, seen) == (2, [])
    assert words in done.output


def test_own_options_come_first_then_shared_ones():
    names = ["files", "output", "style", "label", "scale", "frame", "sizes", "jobs", "quiet"]
    assert [one.name for one in declared_in(Drawing)] == names


def test_the_help_explains_arguments_and_ends_with_examples():
    text = started("--help")[0].output
    assert "Arguments:\n  FILES...  What to draw.\n" in text
    assert "--frame / --no-frame" in text
    assert text.endswith("Examples:\n  draw a.txt -o b.txt\n")


def test_a_derived_command_learns_what_was_typed():
    """A preset needs to know: what a person typed wins over it, a default does not."""
    seen = []
    made = derive("draw", declared_in(Shared), seen.append, explain="Draw.")
    assert CliRunner().invoke(made, ["-q"]).exit_code == 0
    assert (seen[0].values, seen[0].given) == ({"jobs": None, "quiet": True}, {"quiet"})
    assert seen[0].into(Shared) == Shared(quiet=True)


def test_a_group_loads_only_the_command_that_is_used():
    loaded = []

    def load(name):
        loaded.append(name)
        return click.Command(name, callback=lambda: click.echo(f"this is {name}"))

    studies = Group("meta", "Studies.", ["thumb", "foil"], load, "The study {}.".format, ("study", "studies"))
    assert CliRunner().invoke(studies, ["foil"]).output == "this is foil\n"
    assert loaded == ["foil"]
    listed = CliRunner().invoke(studies, []).output
    assert "Usage: meta [OPTIONS] STUDY ..." in listed
    assert "Studies:\n  thumb  The study thumb.\n  foil   The study foil.\n" in listed
    assert "No such study 'foi'; did you mean 'foil'?" in CliRunner().invoke(studies, ["foi"]).output
    assert loaded == ["foil"]


def test_a_group_of_places():
    made = group("x", "Some.", {"score": "caplens.cli.score:command"})
    assert "CANDIDATES" in CliRunner().invoke(made, ["score", "--help"]).output


def every_command(found=app, path=("caplens",)):
    """All commands and groups with the words that call them."""
    yield path, found
    if isinstance(found, click.Group):
        context = click.Context(found)
        for name in found.list_commands(context):
            yield from every_command(found.get_command(context, name), (*path, name))


@pytest.mark.parametrize(("path", "found"), [pytest.param(*one, id=" ".join(one[0])) for one in every_command()])
def test_every_help_fits_80_columns_and_explains_every_option(path, found):
    with click.Context(found, info_name=" ".join(path)) as context:
        text = found.get_help(context)
        assert max(map(len, text.splitlines())) <= 80
        assert found.help
        assert all(one.help for one in found.get_params(context) if isinstance(one, click.Option))
        if isinstance(found, click.Group):
            assert not any(line.endswith("...") for line in text.partition("\n\n")[2].splitlines())  # whole sentences
        examples = text.partition("\nExamples:\n")[2].splitlines()
        assert examples
        assert all(line.startswith(("  caplens ", '  eval "$(caplens')) for line in examples)


@pytest.mark.parametrize(
    ("words", "answer"),
    [
        ("caplens score --tok", ["plain,--tokenizer"]),
        ("caplens score up", ["file,up"]),
        ("caplens score -m bleu,ci", ["plain,bleu,cider"]),
        ("caplens score --parses ca", ["dir,ca"]),
        ("caplens score --missing s", ["plain,skip"]),
    ],
)
def test_a_shell_can_ask_for_completions(words, answer):
    place = str(len(words.split()) - 1)
    asked = {"_CAPLENS_COMPLETE": "bash_complete", "COMP_WORDS": words, "COMP_CWORD": place}
    done = subprocess.run([CAPLENS], env={**os.environ, **asked}, capture_output=True, text=True, check=False)
    assert done.stdout.split() == answer


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_a_shell(shell):
    done = CliRunner().invoke(app, ["completion", shell])
    assert done.exit_code == 0
    assert f"_CAPLENS_COMPLETE={shell}_complete" in done.output
