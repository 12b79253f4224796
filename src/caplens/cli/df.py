"""``caplens df``."""

from __future__ import annotations

from typing import Annotated

import typer

from caplens.cli import options

app = typer.Typer(help="Document frequencies for CIDEr.", invoke_without_command=True)


@app.callback()
def _group(context: typer.Context) -> None:
    """Document frequencies for CIDEr."""
    options.show_help_without_command(context)


@app.command()
def build(
    references: Annotated[list[str], typer.Argument(help="References to count; several files are taken together.")],
    output: Annotated[str, typer.Option("-o", "--output", help="File to write (.parquet).", metavar="OUT")],
    tokenizer: options.Tokenizer = options.TokenizerName.ptb,
    stem: Annotated[bool, typer.Option("--stem", help="Stem words, for cider(variant=plain).")] = False,
    max_order: Annotated[int, typer.Option("--n", min=1, max=9, help="Longest n-grams.")] = 4,
    input_format: options.InputFormat = None,
    columns: options.Columns = None,
    split: options.Split = None,
    quiet: options.Quiet = False,
) -> None:
    """Count in how many images each n-gram occurs, for cider(df=OUT)."""
    from caplens.api.frequencies import build_frequencies
    from caplens.api.loading import load_references
    from caplens.cli.console import progress, warn
    from caplens.readers import ReadOptions
    from caplens.writers.files import check_output

    check_output(output, (".parquet",))
    reading = ReadOptions(input_format, options.parse_columns(columns), split)
    with progress(quiet):
        table = load_references(references, reading)
        summary = build_frequencies(table, output, tokenizer=tokenizer.value, stem=stem, max_order=max_order)
    warn(summary.warnings, quiet)
    if not quiet:
        typer.echo(f"{output}: {summary.ngrams:,} n-grams of {summary.documents:,} documents")
