"""``caplens explain``."""

from __future__ import annotations

from typing import Annotated

import typer

from caplens.cli import options
from caplens.errors import UsageError

SUFFIXES = (".json", ".svg")


def explain(
    caption: Annotated[str, typer.Argument(help="A caption, or (with --id) a file of candidates.")],
    reference: Annotated[
        list[str] | None, typer.Option(help="A reference caption; repeat for several.", metavar="TEXT")
    ] = None,
    references: options.References = None,
    identifier: Annotated[
        str | None, typer.Option("--id", help="Which row of the file to explain.", metavar="ID")
    ] = None,
    metrics: options.Metrics = "bleu",
    output: Annotated[
        str | None,
        typer.Option(
            "-o", "--output", help="Write the explanations as .json, or SPICE's graphs as .svg.", metavar="OUT"
        ),
    ] = None,
    tokenizer: options.Tokenizer = options.TokenizerName.ptb,
    missing: options.Missing = options.MissingPolicy.error,
    input_format: options.InputFormat = None,
    columns: options.Columns = None,
    split: options.Split = None,
    cache: options.Cache = None,
    quiet: options.Quiet = False,
) -> None:
    """Say why a caption has its score."""
    from rich.console import Group

    from caplens.api.explaining import explain_by_all
    from caplens.api.inputs import corpus_of
    from caplens.api.loading import load_corpus
    from caplens.cli.console import progress, show, warn
    from caplens.core.registry import select
    from caplens.output.scene.svg import write_scene_graphs
    from caplens.readers import ReadOptions
    from caplens.writers.files import check_output, check_suffix, write_explanations
    from caplens.writers.terminal import explanation_view

    if output:
        check_output(output, SUFFIXES)
    selection = select(metrics, tokenizer=tokenizer.value)
    with progress(quiet):
        if reference and (identifier is not None or references):
            raise UsageError("Give either --reference, or --id with a file: its rows have their own references.")
        if identifier is not None:
            reading = ReadOptions(input_format, options.parse_columns(columns), split)
            corpus = load_corpus(caption, references, reading, missing.value)
        elif reference:
            corpus, identifier = corpus_of([caption], [reference]), "0"
        else:
            raise UsageError('Name what to compare with: --reference "TEXT" ..., or FILE -r REFERENCES --id ID.')
        explanations = explain_by_all(corpus, identifier, selection.metrics, cache)
        if output and check_suffix(output, SUFFIXES) == ".svg":
            write_scene_graphs(explanations, output)
        elif output:
            write_explanations([explanation.to_dict() for explanation in explanations], output)
    warn((*corpus.notices, *selection.left_out), quiet)
    show(Group(*(explanation_view(explanation) for explanation in explanations)))
