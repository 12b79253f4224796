"""``caplens compare``."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer

from caplens.cli import options
from caplens.errors import UsageError
from caplens.stats import SEED


def compare(
    systems: Annotated[list[str], typer.Argument(help="Caption files, one a system; NAME=FILE names it.")],
    references: options.References = None,
    metrics: options.Metrics = "coco",
    output: options.Output = None,
    baseline: Annotated[
        str | None, typer.Option(help="Test the others against this system only.", metavar="NAME")
    ] = None,
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
    """Compare systems on their common ids: intervals, paired tests."""
    from caplens.api.comparing import compare as compare_systems
    from caplens.api.loading import load_candidates, load_references
    from caplens.cli.console import progress, show, warn
    from caplens.readers import ReadOptions
    from caplens.writers.files import check_output, write_comparison
    from caplens.writers.terminal import comparison_view

    if not references:
        raise UsageError("A comparison needs references: -r REFERENCES.")
    if output:
        check_output(output)
    named = name_systems(systems)
    if baseline is not None and baseline not in named:
        baseline = next((name for name, path in named.items() if path == baseline), baseline)
    reading = ReadOptions(input_format, options.parse_columns(columns), split)
    with progress(quiet):
        comparison = compare_systems(
            {name: load_candidates(path, reading) for name, path in named.items()},
            load_references(references, reading),
            metrics,
            baseline=baseline,
            tokenizer=tokenizer.value,
            missing=missing.value,
            jobs=jobs,
            cache=cache,
            seed=seed,
        )
        data = comparison.to_dict()
        if output:
            write_comparison(data, output)
    warn(comparison.warnings, quiet)
    show(comparison_view(data))


def name_systems(arguments: Sequence[str]) -> dict[str, str]:
    """Name each file: as given (NAME=FILE), else by its name without suffixes.

    Examples
    --------
    >>> name_systems(["runs/updown.json.gz", "m2=runs/old/captions.json"])
    {'updown': 'runs/updown.json.gz', 'm2': 'runs/old/captions.json'}
    """
    named: dict[str, str] = {}
    for argument in arguments:
        name, separator, path = argument.partition("=")
        if not separator or Path(argument).exists():
            name, path = Path(argument).name.split(".")[0] or argument, argument
        if name in named:
            raise UsageError(f"Two systems would be called {name!r}: write NAME=FILE to name them.")
        named[name] = path
    return named
