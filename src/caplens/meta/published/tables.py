"""How published tables are written down."""

from __future__ import annotations

import re
from collections.abc import Mapping

Published = Mapping[str, Mapping[str, float]]
"""A published table: by row (usually the key of a score), then by column."""


def table(text: str) -> Published:
    """Read a table whose cells are divided by two spaces or more; the first line names the columns.

    A dash is a cell that the paper does not fill.

    Examples
    --------
    >>> table('''
    ...             M1    M1 p
    ... CIDEr     0.43   0.097
    ... SPICE     0.88       -
    ... ''')
    {'CIDEr': {'M1': 0.43, 'M1 p': 0.097}, 'SPICE': {'M1': 0.88}}
    """
    head, *lines = (re.split(r" {2,}", line.strip()) for line in text.strip().splitlines())
    rows: dict[str, dict[str, float]] = {}
    for name, *cells in lines:
        if name in rows:
            raise ValueError(f"a published table has two rows {name!r}")
        rows[name] = {column: float(cell) for column, cell in zip(head, cells, strict=True) if cell != "-"}
    return rows
