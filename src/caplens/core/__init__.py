"""The framework of metrics: what a metric is, what it needs, how it is asked for, run and reported."""

DEFAULT_METRICS = "coco, lens"
"""The request where nothing was requested."""
