"""``caplens doctor``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework
from caplens.cli.framework import option


@dataclass(frozen=True)
class DoctorOptions:
    """What ``caplens doctor`` takes."""

    verify: bool = option(False, "Verify the checksums of all stored files.")


def doctor(given: DoctorOptions) -> None:
    """Show what is installed, what is missing and how to get it."""
    from caplens.api.checkup import checkup
    from caplens.cli.console import show
    from caplens.output.terminal import text_table

    show(text_table(("what", "state", "details"), checkup(verify=given.verify)))


command = framework.command(DoctorOptions, doctor, examples=["caplens doctor", "caplens doctor --verify"])
