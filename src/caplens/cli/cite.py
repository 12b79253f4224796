"""``caplens cite``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework
from caplens.cli.framework import argument


@dataclass(frozen=True, kw_only=True)
class CiteOptions:
    """What ``caplens cite`` takes."""

    result: str = argument("A .json file written by caplens score or caplens compare.")


def cite(given: CiteOptions) -> None:
    """Print a methods sentence, signatures and BibTeX for a result."""
    from caplens.api.citing import cite as cite_result
    from caplens.cli.console import show_line

    for line in cite_result(given.result).splitlines():
        show_line(line)


command = framework.command(
    CiteOptions,
    cite,
    examples=["caplens cite scores.json", "caplens cite comparison.json > methods.txt"],
)
