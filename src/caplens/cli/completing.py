"""What a shell completes: files, folders and names of metrics; commands, options and choices follow by themselves."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import click
    from click.shell_completion import CompletionItem

Complete = Callable[["click.Context", "click.Parameter", str], list["CompletionItem"]]
# What an option takes follows from what stands for its value in the help.
_FILES = {"FILE": "file", "OUT": "file", "PATH": "file", "DIR": "dir"}


def completer(metavar: str | None, is_argument: bool) -> Complete | None:
    """Return what completes the values of an option; None where nothing is known about them."""
    if metavar == "METRICS":
        return complete_metrics
    kind = _FILES.get(metavar or "", "file" if is_argument else "")
    if not kind:
        return None

    def complete(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
        from click.shell_completion import CompletionItem

        return [CompletionItem(begun, type=kind)]

    return complete


def complete_metrics(context: click.Context, parameter: click.Parameter, begun: str) -> list[CompletionItem]:
    """Complete the last name of a list of metrics."""
    from click.shell_completion import CompletionItem

    from caplens.core.registry import GROUPS, names, plugged_names

    before, comma, last = begun.rpartition(",")
    known = (*GROUPS, *names(), *plugged_names())
    return [CompletionItem(f"{before}{comma}{name}") for name in known if name.startswith(last.strip().lower())]
