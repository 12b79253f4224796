"""``caplens df``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework, options
from caplens.cli.framework import argument, option
from caplens.errors import UsageError, counted, reason_of


@dataclass(frozen=True, kw_only=True)
class BuildOptions(options.Tokenizer, options.Reading, options.MaxWords, options.Quiet):
    """What ``caplens df build`` takes."""

    references: tuple[str, ...] = argument(
        "Reference files to count; several files are combined.", metavar="REFERENCES..."
    )
    output: str | None = option(None, "Output file (.safetensors or .parquet).", "-o", "--output", metavar="OUT")
    name: str | None = option(None, "Name to store them under, for cider(df=NAME).", metavar="NAME")
    shard_out: str | None = option(
        None, "Write one shard per file to this folder; combine them with caplens df merge.", metavar="DIR"
    )
    stem: bool = option(False, "Stem words, as cider(variant=plain) requires.")
    max_order: int = option(4, "Maximum n-gram length.", "--n", least=1, most=9)


def build_frequencies(given: BuildOptions) -> None:
    """Count the images in which each n-gram occurs.

    Use the result as cider(df=OUT) or cider(df=NAME).
    """
    from caplens.api import frequencies
    from caplens.api.loading import load_references
    from caplens.cli.console import progress, show_text, warn
    from caplens.metrics.cider.frequency_files import SUFFIXES
    from caplens.output.writing import check_file

    if given.shard_out is not None:
        _build_shards(given)
        return
    target = _target(given)
    check_file(target, SUFFIXES)
    reading = given.reading()
    with progress(given.quiet):
        table = load_references(given.references, reading)
        summary = frequencies.build_frequencies(
            table,
            target,
            tokenizer=given.tokenizer,
            stem=given.stem,
            max_order=given.max_order,
            max_words=given.max_words,
        )
    warn(summary.warnings, given.quiet)
    if not given.quiet:
        shown = given.output or f"{given.name} ({target})"
        show_text(f"{shown}: {summary.ngrams:,} n-grams of {summary.documents:,} documents")


def _target(given: BuildOptions | MergeOptions) -> str:
    """Return the file to write: as given, or that of the name, whose folder is made."""
    from caplens.metrics.cider import library

    if (given.output is None) == (given.name is None):
        raise UsageError("Specify where to store the document frequencies: either -o OUT or --name NAME.")
    if given.output is not None:
        return given.output
    path = library.path_for(str(given.name))
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        place = f"set {library.VARIABLE} to another folder"
        raise UsageError(f"{path} cannot be written: {reason_of(error)}; {place}.") from error
    return str(path)


@dataclass(frozen=True)
class ListOptions:
    """``caplens df list`` takes no options."""


def list_frequencies(given: ListOptions) -> None:
    """List the document frequencies available as cider(df=NAME)."""
    from caplens.cli.console import show
    from caplens.metrics.cider.library import entries
    from caplens.output.terminal import text_table

    rows = [
        (entry.name, f"{entry.documents:,}", f"{entry.ngrams:,}", entry.rules, entry.fingerprint,
         entry.fault or entry.place)
        for entry in entries()
    ]  # fmt: skip
    show(text_table(("name", "documents", "n-grams", "words", "hash", "where"), rows))


@dataclass(frozen=True, kw_only=True)
class RemoveOptions(options.Quiet):
    """What ``caplens df remove`` takes."""

    name: str = argument("Name of the document frequencies.")


def remove_frequencies(given: RemoveOptions) -> None:
    """Remove named document frequencies."""
    from caplens.cli.console import show_text
    from caplens.metrics.cider import library

    place = library.remove(given.name)
    if not given.quiet:
        show_text(f"{given.name}: removed from {place.parent}")


def _build_shards(given: BuildOptions) -> None:
    from caplens.cli.console import progress, show_text
    from caplens.scale.frequencies import Counting, build_shards

    if given.output is not None or given.name is not None:
        raise UsageError("--shard-out only writes shards; pass -o or --name to caplens df merge instead.")
    counting = Counting(
        tokenizer=given.tokenizer,
        stem=given.stem,
        max_order=given.max_order,
        max_words=given.max_words,
        reading=given.reading(),
    )
    with progress(given.quiet):
        report = build_shards(given.references, given.shard_out or "", counting)
    if not given.quiet:
        done = f"{counted(len(report.scored), 'shard')} counted, {len(report.found):,} already complete"
        busy = f", {len(report.busy):,} left to other processes" if report.busy else ""
        show_text(f"{given.shard_out}: {done}{busy}")


@dataclass(frozen=True, kw_only=True)
class MergeOptions(options.Quiet):
    """What ``caplens df merge`` takes."""

    folder: str = argument("Folder of shards.", metavar="DIR")
    output: str | None = option(None, "Output file (.safetensors or .parquet).", "-o", "--output", metavar="OUT")
    name: str | None = option(None, "Name to store them under, for cider(df=NAME).", metavar="NAME")


def merge_frequencies(given: MergeOptions) -> None:
    """Combine the shards written by caplens df build.

    Use the result as cider(df=OUT) or cider(df=NAME).
    """
    from caplens.cli.console import progress, show_text, warn
    from caplens.scale.frequencies import merge_shards

    target = _target(given)
    with progress(given.quiet):
        summary = merge_shards(given.folder, target)
    warn(summary.warnings, given.quiet)
    if not given.quiet:
        show_text(f"{given.output or given.name}: {summary.ngrams:,} n-grams of {summary.documents:,} documents")


build_command = framework.command(
    BuildOptions,
    build_frequencies,
    name="build",
    examples=[
        "caplens df build annotations.json -o df.safetensors",
        "caplens df build captions_train.json --name my-train",
        "caplens df build part-0007.parquet --shard-out shards",
    ],
)
list_command = framework.command(ListOptions, list_frequencies, name="list", examples=["caplens df list"])
remove_command = framework.command(
    RemoveOptions, remove_frequencies, name="remove", examples=["caplens df remove my-train"]
)
merge_command = framework.command(
    MergeOptions, merge_frequencies, name="merge", examples=["caplens df merge shards -o df.safetensors"]
)
group = framework.group(
    "df",
    "Document frequencies for CIDEr.",
    {verb: f"caplens.cli.df:{verb}_command" for verb in ("build", "merge", "list", "remove")},
)
