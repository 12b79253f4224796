"""``caplens cache``."""

from __future__ import annotations

from dataclasses import dataclass

import click

from caplens.cli import framework, options
from caplens.cli.framework import option


@dataclass(frozen=True, kw_only=True)
class ListOptions:
    """What ``caplens cache list`` takes."""

    parses: str | None = option(None, "Also list the parses in this folder.", metavar="DIR")


def list_cache(given: ListOptions) -> None:
    """List the files that caplens keeps on disk."""
    from caplens.api.caches import kept_files
    from caplens.cli.console import show
    from caplens.output.terminal import text_table

    rows = [(each.what, f"{each.size / 1e6:,.1f} MB", str(each.path)) for each in kept_files(given.parses)]
    show(text_table(("what", "size", "where"), rows or [("nothing", "", "")]))


@dataclass(frozen=True, kw_only=True)
class ClearOptions(options.Quiet):
    """What ``caplens cache clear`` takes."""

    parses: str | None = option(None, "Also remove the parses in this folder.", metavar="DIR")
    yes: bool = option(False, "Do not ask for confirmation.", "-y", "--yes")


def clear_cache(given: ClearOptions) -> None:
    """Remove files that caplens can regenerate.

    Imported vectors and packs are kept.
    """
    from caplens.api.caches import clear, kept_files
    from caplens.cli.console import show_text
    from caplens.errors import UsageError
    from caplens.output.safety import visible

    found = [each for each in kept_files(given.parses) if each.kind != "import"]
    if found and not given.yes:
        import sys

        names = ", ".join(str(each.path) for each in found)
        if not sys.stdin.isatty():
            raise UsageError(f"Nothing was removed; to remove {names}, add --yes.")
        if not click.confirm(f"Remove {visible(names)}?", err=True):
            return
    removed = list(clear(given.parses))
    if not given.quiet:
        lines = [f"removed {each.what}, {each.size / 1e6:,.1f} MB: {each.path}" for each in removed]
        show_text("\n".join(lines) or "There was nothing to remove.")


list_command = framework.command(
    ListOptions, list_cache, name="list", examples=["caplens cache list", "caplens cache list --parses parses"]
)
clear_command = framework.command(
    ClearOptions, clear_cache, name="clear", examples=["caplens cache clear --parses parses --yes"]
)
group = framework.group(
    "cache",
    "Manage the files that caplens caches on disk.",
    {verb: f"caplens.cli.cache:{verb}_command" for verb in ("list", "clear")},
)
