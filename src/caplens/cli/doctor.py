"""``caplens doctor``."""

from __future__ import annotations


def doctor() -> None:
    """Show versions, data files, and what is missing with the command that mends it."""
    from caplens.api.checkup import checkup
    from caplens.cli.console import show
    from caplens.writers.terminal import text_table

    show(text_table(("what", "state", "details"), checkup()))
