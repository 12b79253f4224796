"""``caplens df``."""

from __future__ import annotations

from dataclasses import MISSING, dataclass

from caplens.cli import framework, options
from caplens.cli.framework import argument, option


@dataclass(frozen=True, kw_only=True)
class BuildOptions(options.Tokenizer, options.Reading, options.MaxWords, options.Quiet):
    """What ``caplens df build`` takes."""

    references: tuple[str, ...] = argument(
        "References to count; several files are taken together.", metavar="REFERENCES..."
    )
    output: str = option(MISSING, "File to write (.parquet).", "-o", "--output", metavar="OUT")
    stem: bool = option(False, "Stem words, for cider(variant=plain).")
    max_order: int = option(4, "Longest n-grams.", "--n", least=1, most=9)


def build_frequencies(given: BuildOptions) -> None:
    """Count in how many images each n-gram occurs, for cider(df=OUT)."""
    from caplens.api import frequencies
    from caplens.api.loading import load_references
    from caplens.cli.console import progress, show_text, warn
    from caplens.output.writing import check_file

    check_file(given.output, (".parquet",))
    reading = given.reading()
    with progress(given.quiet):
        table = load_references(given.references, reading)
        summary = frequencies.build_frequencies(
            table,
            given.output,
            tokenizer=given.tokenizer,
            stem=given.stem,
            max_order=given.max_order,
            max_words=given.max_words,
        )
    warn(summary.warnings, given.quiet)
    if not given.quiet:
        show_text(f"{given.output}: {summary.ngrams:,} n-grams of {summary.documents:,} documents")


build = framework.command(
    BuildOptions, build_frequencies, name="build", examples=["caplens df build annotations.json -o df.parquet"]
)
group = framework.group("df", "Document frequencies for CIDEr.", {"build": "caplens.cli.df:build"})
