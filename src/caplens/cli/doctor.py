"""``caplens doctor``."""

from __future__ import annotations


def doctor() -> None:
    """Show versions, what is missing, and how to get it."""
    from caplens.api.checkup import checkup
    from caplens.cli.console import show
    from caplens.writers.terminal import text_table

    show(text_table(("what", "state", "details"), checkup()))
