"""``caplens score``."""

from __future__ import annotations

from typing import Annotated

import typer

from caplens.cli import options
from caplens.stats import SEED


def score(
    candidates: Annotated[str, typer.Argument(help="Captions to score, or rows with their references; - is stdin.")],
    references: options.References = None,
    metrics: options.Metrics = "coco",
    output: options.Output = None,
    tokenizer: options.Tokenizer = options.TokenizerName.ptb,
    missing: options.Missing = options.MissingPolicy.error,
    input_format: options.InputFormat = None,
    columns: options.Columns = None,
    split: options.Split = None,
    jobs: options.Jobs = None,
    cache: options.Cache = None,
    seed: options.Seed = SEED,
    quiet: options.Quiet = False,
) -> None:
    """Score one system: a table on the screen, and everything in OUT."""
    from caplens.api.loading import load_corpus
    from caplens.api.scoring import score_corpus
    from caplens.cli.console import progress, show, show_line, warn
    from caplens.core.registry import select
    from caplens.readers import ReadOptions
    from caplens.writers.files import check_output
    from caplens.writers.terminal import score_table

    if output:
        check_output(output)
    selection = select(metrics, tokenizer=tokenizer.value)
    reading = ReadOptions(input_format, options.parse_columns(columns), split)
    with progress(quiet):
        corpus = load_corpus(candidates, references, reading, missing.value)
        result = score_corpus(corpus, selection, jobs=jobs, cache=cache, seed=seed)
        table = score_table(result)
        if output:
            result.write(output)
    warn(result.warnings, quiet)
    show(table)
    if not quiet:
        for signature in dict.fromkeys(score.signature for score in result.values()):
            show_line(signature)
