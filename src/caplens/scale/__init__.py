"""Captions in numbers that no memory holds: files scored part by part, on any machine, and put together.

`caplens.scale.score_files` scores files into a folder, `caplens.scale.merge` makes one result of it, and
`caplens.scale.ray` runs both on a Ray cluster.
"""

from __future__ import annotations

from caplens.scale.merging import MergedResult, merge
from caplens.scale.streaming import score_files
from caplens.scale.task import Task

__all__ = ["MergedResult", "Task", "merge", "score_files"]
