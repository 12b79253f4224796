"""``caplens metrics``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework
from caplens.cli.framework import argument


@dataclass(frozen=True)
class MetricsOptions:
    """What ``caplens metrics`` takes."""

    name: str | None = argument("Show the options of one metric.", None)


def metrics(given: MetricsOptions) -> None:
    """List the metrics, or the options of one: origin, idea, needs."""
    from caplens.cli.console import show
    from caplens.core.registry import describe_metric, describe_metrics
    from caplens.output.terminal import text_table

    if given.name is None:
        columns = ("name", "results", "origin", "idea", "needs")
        show(text_table(columns, describe_metrics()))
    else:
        show(text_table(("option", "default", "meaning"), describe_metric(given.name.lower())))


command = framework.command(MetricsOptions, metrics, examples=["caplens metrics", "caplens metrics cider"])
