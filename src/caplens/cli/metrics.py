"""``caplens metrics``."""

from __future__ import annotations

from dataclasses import dataclass

from caplens.cli import framework
from caplens.cli.framework import argument


@dataclass(frozen=True)
class MetricsOptions:
    """What ``caplens metrics`` takes."""

    name: str | None = argument("Metric to describe: equation, range, options, paper, example.", None)


def metrics(given: MetricsOptions) -> None:
    """List the metrics, or describe one."""
    from caplens.cli.console import show
    from caplens.core.describing import describe, describe_metrics
    from caplens.output.metrics_view import MetricList, description_view

    if given.name is None:
        show(MetricList(describe_metrics()))
    else:
        show(description_view(describe(given.name.lower())))


command = framework.command(MetricsOptions, metrics, examples=["caplens metrics", "caplens metrics cider"])
