"""The drawing of an explanation: its scene graphs, or what its words cost."""

from __future__ import annotations

from collections.abc import Sequence

from caplens.errors import UsageError
from caplens.output.explanation import Explanation
from caplens.output.scene.svg import scene_graph_svg
from caplens.output.word_costs import word_costs_svg


def explanation_svg(explained: Explanation | Sequence[Explanation]) -> bytes:
    """Return a drawing (SVG) of the one explanation that can be drawn."""
    explanations = [explained] if isinstance(explained, Explanation) else explained
    drawings = [scene_graph_svg(graphs, explained=each) for each in explanations for graphs in each.scene_graphs()]
    drawings += [word_costs_svg(each) for each in explanations if each.word_costs()]
    if len(drawings) != 1:
        metrics = ", ".join(dict.fromkeys(each.metric.partition("(")[0] for each in explanations))
        reason = f"{metrics} has none" if not drawings else f"{metrics} has {len(drawings)} drawings"
        raise UsageError(
            f"A drawing (.svg) shows the scene graphs or word costs of one metric, such as -m spice, but {reason}."
        )
    return drawings[0].encode()
