"""``caplens vectors``."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from caplens.cli import options

app = typer.Typer(help="Word vectors for WMD and WEmbSim.", invoke_without_command=True)


class VectorKind(StrEnum):
    """What made a file of vectors."""

    glove = "glove"
    word2vec = "word2vec"
    fasttext = "fasttext"


@app.callback()
def _group(context: typer.Context) -> None:
    """Word vectors for WMD and WEmbSim."""
    options.show_help_without_command(context)


@app.command("import")
def import_(
    file: Annotated[str, typer.Argument(help="word2vec (text, binary), GloVe or fastText (.vec, .bin); gzip works.")],
    name: Annotated[str | None, typer.Option(help="Name of the table; by default that of the file.")] = None,
    limit: Annotated[int | None, typer.Option(min=1, help="Take only the first words.", metavar="K")] = None,
    half: Annotated[bool, typer.Option("--half", help="Store 16 bits a number instead of 32.")] = False,
    kind: Annotated[VectorKind | None, typer.Option(help="What made the file, where it does not tell.")] = None,
    quiet: options.Quiet = False,
) -> None:
    """Import a file of word vectors, for wmd(vectors=NAME) and wembsim(vectors=NAME)."""
    from caplens.cli.console import progress
    from caplens.embeddings.importing import import_vectors

    with progress(quiet):
        done = import_vectors(file, name=name, limit=limit, half=half, kind=kind.value if kind else None)
    if not quiet:
        twice = f", {done.repeated:,} of them repeated and left out" if done.repeated else ""
        typer.echo(
            f"{done.name}: {done.words:,} words, {done.dimensions} dimensions ({done.kind}){twice}, in {done.path}"
        )


@app.command("list")
def list_() -> None:
    """List the tables of word vectors."""
    from caplens.cli.console import show
    from caplens.embeddings.library import entries
    from caplens.writers.terminal import text_table

    rows = [
        (entry.name, entry.kind, f"{entry.words:,}", str(entry.dimensions), entry.fault or entry.place)
        for entry in entries()
    ]
    show(text_table(("name", "kind", "words", "dimensions", "where"), rows))
