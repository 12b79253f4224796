"""The table of scores as plain text: what `caplens.output.terminal` draws where nothing is coloured, folded or cut.

It needs no rich, which takes as long to load as thousands of captions to score.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from caplens.output.presentation import Presentation, several_note
from caplens.output.safety import visible

WIDTH = 120
"""Columns of what is not drawn for a screen."""
GAP = "  "


def score_cells(metrics: Mapping[str, Mapping[str, Any]], wanted: Presentation) -> list[tuple[str, ...]]:
    """Return the headings and the rows of the table of one system's scores (as plain data).

    Examples
    --------
    >>> score_cells({"CIDEr": {"score": 0.5, "interval": [0.4, 0.6]}}, Presentation("coco"))
    [('metric', 'score', '95 % interval'), ('C', '50.0', '40.0 .. 60.0')]
    """
    rows = [("metric", "score", *(["95 % interval"] if wanted.intervals else []))]
    for key in wanted.keys(metrics):
        style = wanted.style.of(metrics[key])
        bounds = metrics[key].get("interval") or ()
        interval = [" .. ".join(map(style.number, bounds))] if wanted.intervals else []
        rows.append((visible(style.name(key)), style.number(metrics[key]["score"]), *interval))
    return rows


def plain_scores(metrics: Mapping[str, Mapping[str, Any]], wanted: Presentation, width: int) -> str | None:
    """Draw the scores of one system; None if that takes more than plain text (too narrow, or wide characters).

    Examples
    --------
    >>> print(plain_scores({"CIDEr": {"score": 0.5}}, Presentation(intervals=False), 80).strip())
    metric   score
     ──────────────
     CIDEr   0.5000
    """
    rows = score_cells(metrics, wanted)
    notes = several_note(metrics)
    widths = [max(map(len, column)) for column in zip(*rows, strict=True)]
    inner = sum(widths) + len(GAP) * (len(widths) - 1)
    if max(inner + 2, *map(len, notes), 0) > width or not all(cell.isascii() for row in rows for cell in row):
        return None
    head, *body = (GAP.join([row[0].ljust(widths[0]), *map(str.rjust, row[1:], widths[1:])]).join("  ") for row in rows)
    edge = " " * (inner + 2)
    return "\n".join([edge, head, ("─" * inner).join("  "), *body, edge, *notes])
