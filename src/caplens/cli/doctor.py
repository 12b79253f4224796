"""``caplens doctor``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework


@dataclass(frozen=True)
class DoctorOptions:
    """``caplens doctor`` takes no options."""


def doctor(given: DoctorOptions) -> None:
    """Show versions, what is missing, and how to get it."""
    from caplens.api.checkup import checkup
    from caplens.cli.console import show
    from caplens.writers.terminal import text_table

    show(text_table(("what", "state", "details"), checkup()))


command = framework.command(DoctorOptions, doctor)
