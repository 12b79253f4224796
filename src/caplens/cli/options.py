"""Options that several commands share."""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated

import typer

from caplens.errors import UsageError


class TokenizerName(StrEnum):
    """Tokenizers by name."""

    ptb = "ptb"
    none = "none"
    intl = "intl"
    char = "char"


class MissingPolicy(StrEnum):
    """What to do with candidates that have no references."""

    error = "error"
    skip = "skip"
    zero = "zero"


References = Annotated[
    list[str] | None,
    typer.Option("-r", "--references", help="References; repeat for several plain-text files.", metavar="FILE"),
]
Metrics = Annotated[
    str, typer.Option("-m", "--metrics", help='Such as "bleu, cider(df=coco.parquet)".', metavar="METRICS")
]
Output = Annotated[
    str | None, typer.Option("-o", "--output", help="Write .json, .jsonl, .csv or .parquet.", metavar="OUT")
]
Tokenizer = Annotated[TokenizerName, typer.Option(case_sensitive=False, help="How captions are cut into words.")]
Missing = Annotated[
    MissingPolicy, typer.Option(case_sensitive=False, help="What to do with candidates that have no references.")
]
InputFormat = Annotated[
    str | None, typer.Option(help="Take files as this format instead of recognising them.", metavar="FORMAT")
]
Columns = Annotated[
    str | None, typer.Option(help="Names of columns or keys: id=...,candidate=...,references=...", metavar="NAMES")
]
Split = Annotated[str | None, typer.Option(help="Split of a Karpathy file.", metavar="NAME")]
Jobs = Annotated[int | None, typer.Option(min=1, help="Threads; by default the CPUs this process may use.")]
Cache = Annotated[
    str | None,
    typer.Option(
        help="Keep SPICE's parses in this folder for later runs. (Compiled data is elsewhere: CAPLENS_CACHE.)",
        metavar="DIR",
    ),
]
Seed = Annotated[int, typer.Option(min=0, help="Seed of resampling.")]
Quiet = Annotated[bool, typer.Option("-q", "--quiet", help="Results only: no progress, no warnings.")]


def show_help_without_command(context: typer.Context) -> None:
    """Answer a bare ``caplens`` or ``caplens df`` with its help."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def parse_columns(text: str | None) -> dict[str, str]:
    """Turn ``id=image,candidate=text`` into a mapping.

    Examples
    --------
    >>> parse_columns("id=image, candidate=text")
    {'id': 'image', 'candidate': 'text'}
    """
    columns: dict[str, str] = {}
    for part in text.split(",") if text else ():
        key, separator, name = part.partition("=")
        if not separator or not name.strip():
            raise UsageError(f"--columns takes pairs such as id=image,candidate=text, not {part.strip()!r}.")
        columns[key.strip()] = name.strip()
    return columns
