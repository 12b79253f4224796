"""Every example of the documentation runs, or is marked and at least parses."""

from __future__ import annotations

import ast
import json
import os
import re
import shutil
import sys
import tomllib
from importlib import import_module
from pathlib import Path

import click
import pytest

import caplens
import caplens.compat
from caplens.api.examples import write_example
from caplens.cli.app import app
from caplens.core import registry as core_registry
from caplens.scenegraph.parser import registry as parser_registry
from caplens.text import tokenizers, transformations
from tests.docs.pages import PAGES, ROOT, Block, blocks, commands, escaping, shown_in_order

BLOCKS = {path.relative_to(ROOT).as_posix(): blocks(path) for path in PAGES}
# Names that files of the example have in the documentation.
COPIES = {
    "human.json": ("candidates.json", "captions.json", "ours.json", "results.json"),
    "degraded.json": ("theirs.json", *(f"{name}{number}.json" for name in ("seed", "b") for number in (1, 2, 3))),
    "references.json": ("captions_val2014.json", "annotations.json", "captions_train2014.json", "captions_train.json"),
}


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder with the captions that examples speak of, in which all of a page's blocks run."""
    folder = tmp_path_factory.mktemp("examples")
    write_example(folder)
    for name, copies in COPIES.items():
        for copy in copies:
            shutil.copy(folder / name, folder / copy)
    return folder


@pytest.fixture(autouse=True)
def own_registries(monkeypatch):
    """What an example registers is gone after it."""
    for module in (core_registry, parser_registry, tokenizers, transformations):
        monkeypatch.setattr(module, "_registered", dict(module._registered))


@pytest.fixture
def names(folder):
    """What blocks of Python may use without defining it."""
    human, degraded = (
        {row["image_id"]: row["caption"] for row in json.loads((folder / name).read_text(encoding="utf-8"))}
        for name in ("human.json", "degraded.json")
    )
    references: dict[int, list[str]] = {}
    for row in json.loads((folder / "references.json").read_text(encoding="utf-8"))["annotations"]:
        references.setdefault(row["image_id"], []).append(row["caption"])
    some = list(human)[:50]
    chosen = {name: references[name] for name in some}
    chosen |= {7: ["a dog on a beach"], 391895: ["a man on a motorcycle"]}  # what single captions are explained with
    theirs = {name: degraded[name] for name in some}
    return {
        "__name__": "example",
        "caplens": caplens,
        "candidates": {name: human[name] for name in some},
        "ours": {name: human[name] for name in some},
        "theirs": theirs,
        "references": chosen,
        "caption": "a man rides a horse",
        "sampled_captions": [human[name] for name in some[:4]],
        "image_ids": some[:4],
        **{f"{name}{number}": theirs for name in ("run", "seed", "b") for number in (1, 2, 3)},
    }


def run_caplens(words: list[str], capfd) -> str:
    """Run a command in this process; return what it printed."""
    capfd.readouterr()
    code = app.main(words, prog_name="caplens", standalone_mode=False)
    assert not code, f"it ends with {code}"
    return capfd.readouterr().out


def parse_caplens(words: list[str]) -> None:
    """Let the command line read a command without running it."""
    command: click.Command = app
    context = click.Context(app, info_name="caplens")
    while isinstance(command, click.Group) and words and not words[0].startswith("-"):
        name, *words = words
        found = command.get_command(context, name)
        assert found is not None, f"there is no command {name!r}"
        command, context = found, click.Context(found, info_name=name, parent=context)
    if not isinstance(command, click.Group):
        command.make_context(context.info_name, words, parent=context.parent)


def check_other(words: list[str]) -> None:
    """Look at a command that is not caplens': extras, targets and files that it names must exist."""
    text = " ".join(words)
    project = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    for extras in re.findall(r"caplens\[([\w,]+)\]", text):
        assert set(extras.split(",")) <= set(project["optional-dependencies"]), text
    if words[0] == "make":
        targets = re.findall(r"^([\w-]+):", (ROOT / "Makefile").read_text(encoding="utf-8"), re.MULTILINE)
        assert words[1] in targets, text
    for name in re.findall(r"\b(?:benchmarks|training|examples|tests|packages)/[\w./-]+\.(?:py|sh|ipynb)\b", text):
        assert (ROOT / name).is_file(), f"{name} does not exist"


def parse(block: Block) -> None:
    """Check a block that is not run."""
    if block.language == "python":
        for node in ast.walk(ast.parse(block.code)):
            if isinstance(node, ast.Attribute) and isinstance(node.value, ast.Name) and node.value.id == "caplens":
                assert hasattr(caplens, node.attr) or import_module(f"caplens.{node.attr}")
        return
    for words in commands(block.code):
        if words[0] == "caplens":
            parse_caplens(words[1:])
        else:
            check_other(words)


def run_block(block: Block, names: dict[str, object], capfd) -> None:
    """Run a block; what it is shown to print must be printed."""
    if block.language == "python":
        exec(compile(block.code, str(block), "exec", dont_inherit=True), names)
        return
    printed = ""
    for words in commands(block.code):
        if words[0] == "caplens":
            printed += run_caplens(words[1:], capfd)
        else:
            check_other(words)
    if block.printed is not None:
        missing = shown_in_order(block.printed, printed)
        assert missing is None, f"not printed: {missing!r}; printed:\n{printed}"


@pytest.mark.parametrize("page", [page for page in BLOCKS if BLOCKS[page]])
def test_examples_of_a_page(page, folder, names, monkeypatch, capfd, tmp_path):
    monkeypatch.chdir(folder)
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setenv("CAPLENS_DF", str(tmp_path / "df"))
    monkeypatch.setenv("NO_COLOR", "1")
    monkeypatch.setattr(sys, "argv", ["caplens"])
    failures = []
    for block in BLOCKS[page]:
        try:
            run_block(block, names, capfd) if block.not_run is None else parse(block)
        except (Exception, SystemExit) as error:
            failures.append(f"{block}: {type(error).__name__}: {error}")
        finally:
            caplens.compat.uninstall()  # what a page installs is for its own readers
    assert not failures, "\n".join(failures)


@pytest.mark.parametrize("path", PAGES, ids=lambda path: path.relative_to(ROOT).as_posix())
def test_no_example_escapes(path):
    """Another language, a list around it or no language at all would hide code from the tests above."""
    assert not escaping(path.read_text(encoding="utf-8"))


def test_most_examples_are_run():
    counted = [block.not_run is None for path, found in BLOCKS.items() if path != "docs/papers.md" for block in found]
    assert sum(counted) >= 45


def test_the_folder_is_left(folder):
    assert Path.cwd() != folder
    assert os.environ.get("CAPLENS_DF", "") != str(folder)
