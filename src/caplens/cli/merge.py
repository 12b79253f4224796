"""``caplens merge``."""

from __future__ import annotations

from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from caplens.cli import framework, options, output_options
from caplens.cli.framework import argument

if TYPE_CHECKING:
    from caplens.core.result import Result


@dataclass(frozen=True, kw_only=True)
class MergeOptions(options.AllowCode, output_options.Output, options.Quiet):
    """What ``caplens merge`` takes."""

    folder: str = argument("Folder of shards.", metavar="DIR")


def merge(given: MergeOptions) -> None:
    """Combine shards into the result of a single run over all rows.

    A .json file contains everything but the items; .parquet, .jsonl and .csv files contain
    the items.
    """
    from caplens.cli.console import progress
    from caplens.scale.merging import MergedResult
    from caplens.scale.merging import merge as merge_shards
    from caplens.scale.writing import ITEM_SUFFIXES

    given.check(MergedResult)
    with progress(given.quiet):
        result = merge_shards(given.folder, allow_code=given.allow_code)
        items = [path for path in given.files if Path(path).suffix.lower() in ITEM_SUFFIXES]
        for path in items:
            result.write(path, csv_safe=given.csv_safe)
    others = tuple(path for path in given.output if path not in items)
    deliver(result, replace(given, output=others), given.quiet, Path(given.folder).name)


def deliver(result: Result, given: output_options.Output, quiet: bool, name: str) -> None:
    """Write what is not a table of items; print corpus scores, warnings and signatures."""
    from caplens.cli.console import scores_view, show_line, warn

    warn(result.warnings, quiet)
    given.deliver(
        result,
        lambda form: result.tables(given.wanted, name, form),
        lambda: scores_view(result.summary(), given.wanted),
    )
    if given.table_format == "text" and not quiet and not given.takes_stdout:
        for signature in dict.fromkeys(score.signature for score in result.values()):
            show_line(signature)


command = framework.command(MergeOptions, merge, examples=["caplens merge shards -o result.json"])
