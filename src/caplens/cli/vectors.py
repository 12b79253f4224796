"""``caplens vectors``."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from caplens.cli import framework, options
from caplens.cli.framework import argument, option


@dataclass(frozen=True, kw_only=True)
class ImportOptions(options.Quiet):
    """What ``caplens vectors import`` takes."""

    file: str = argument("word2vec (text or binary), GloVe or fastText (.vec or .bin) file; can be gzipped.")
    name: str | None = option(None, "Name of the table. Default: the file name.", metavar="NAME")
    limit: int | None = option(None, "Import only the first K words.", least=1, metavar="K")
    half: bool = option(False, "Store numbers in 16 bits instead of 32.")
    kind: Literal["glove", "word2vec", "fasttext"] | None = option(
        None, "Tool that produced the file, if it cannot be detected."
    )


def import_vectors(given: ImportOptions) -> None:
    """Import a file of word vectors.

    Use them as wmd(vectors=NAME) or wembsim(vectors=NAME).
    """
    from caplens.cli.console import progress, show_text
    from caplens.embeddings import importing

    with progress(given.quiet):
        done = importing.import_vectors(
            given.file, name=given.name, limit=given.limit, half=given.half, kind=given.kind
        )
    if not given.quiet:
        twice = f", {done.repeated:,} duplicates skipped" if done.repeated else ""
        show_text(
            f"{done.name}: {done.words:,} words, {done.dimensions} dimensions ({done.kind}){twice}, in {done.path}"
        )


@dataclass(frozen=True)
class ListOptions:
    """``caplens vectors list`` takes no options."""


def list_vectors(given: ListOptions) -> None:
    """List the tables of word vectors."""
    from caplens.cli.console import show
    from caplens.embeddings.library import entries
    from caplens.output.terminal import text_table

    rows = [
        (entry.name, entry.kind, f"{entry.words:,}", str(entry.dimensions), entry.fault or entry.place)
        for entry in entries()
    ]
    show(text_table(("name", "kind", "words", "dimensions", "where"), rows))


@dataclass(frozen=True, kw_only=True)
class RemoveOptions(options.Quiet):
    """What ``caplens vectors remove`` takes."""

    name: str = argument("Name of an imported table.", metavar="NAME")


def remove_vectors(given: RemoveOptions) -> None:
    """Remove an imported table of word vectors."""
    from caplens.cli.console import show_text
    from caplens.embeddings import library

    path = library.remove(given.name)
    if not given.quiet:
        show_text(f"removed {path}")


import_command = framework.command(
    ImportOptions, import_vectors, name="import", examples=["caplens vectors import glove.6B.300d.txt --name glove"]
)
list_command = framework.command(ListOptions, list_vectors, name="list", examples=["caplens vectors list"])
remove_command = framework.command(
    RemoveOptions, remove_vectors, name="remove", examples=["caplens vectors remove glove"]
)
group = framework.group(
    "vectors",
    "Word vectors for WMD and WEmbSim.",
    {verb: f"caplens.cli.vectors:{verb}_command" for verb in ("import", "list", "remove")},
)
