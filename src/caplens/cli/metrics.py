"""``caplens metrics``."""

from __future__ import annotations

from typing import Annotated

import typer


def metrics(
    name: Annotated[str | None, typer.Argument(help="Show the options of one metric.")] = None,
) -> None:
    """List the metrics, or the options of one: origin, idea, needs."""
    from caplens.cli.console import show
    from caplens.core.registry import describe_metric, describe_metrics
    from caplens.writers.terminal import text_table

    if name is None:
        columns = ("name", "results", "origin", "idea", "needs")
        show(text_table(columns, describe_metrics()))
    else:
        show(text_table(("option", "default", "meaning"), describe_metric(name.lower())))
