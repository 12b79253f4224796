"""Scores of subsets, for people at a terminal."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from rich.table import Table as RichTable

from caplens.output.presentation import Presentation
from caplens.output.tables import Column, NumberTable
from caplens.output.terminal import number_table

MOST_COLUMNS = 6
"""Subsets that stand side by side; more stand one below the other."""


def subsets_view(name: str, subsets: Mapping[str, Mapping[str, Any]], wanted: Presentation | None = None) -> RichTable:
    """Draw the scores of subsets (as plain data) of one result, or of several systems, in the style of other tables.

    Examples
    --------
    >>> from caplens.output.terminal import as_text
    >>> inside, outside = ({"n": n, "metrics": {"CIDEr": {"score": n / 4}}} for n in (2, 4))
    >>> found = {"in": inside, "out": outside}
    >>> print(as_text(subsets_view("domain", found)).strip())
    domain  in (2)  out (4)
    ───────────────────────
    CIDEr   0.5000   1.0000
    """
    wanted = wanted or Presentation()
    heads = [f"{label} ({subset['n']:,})" for label, subset in subsets.items()]
    columns = [_shown(subset, wanted) for subset in subsets.values()]
    keys = list(columns[0])
    rows = [[_cell(column.get(key), wanted) for column in columns] for key in keys]
    if len(subsets) <= MOST_COLUMNS:
        return number_table((name, *heads), zip(keys, rows, strict=True))
    return number_table((name, *keys), zip(heads, map(list, zip(*rows, strict=True)), strict=True))


def subsets_table(name: str, subsets: Mapping[str, Mapping[str, Any]]) -> NumberTable:
    """Return the main scores of subsets (as plain data) as a table: a row per score, a column per subset.

    Examples
    --------
    >>> subsets_table("domain", {"in": {"n": 2, "metrics": {"CIDEr": {"score": 0.5}}}}).rows
    (('CIDEr', 0.5),)
    """
    columns = [_shown(subset, Presentation()) for subset in subsets.values()]
    heads = (Column(f"{label} ({subset['n']:,})", ".4f") for label, subset in subsets.items())
    rows = tuple((key, *(column.get(key, {}).get("score") for column in columns)) for key in columns[0])
    return NumberTable(f"by {name}", (Column("score"), *heads), rows)


def _shown(subset: Mapping[str, Any], wanted: Presentation) -> dict[str, Mapping[str, Any]]:
    """Return the entries of the scores to show, by their names; of several systems, with the names of these."""
    if "metrics" in subset:
        return {wanted.style.name(key): subset["metrics"][key] for key in wanted.keys(subset["metrics"])}
    systems: Mapping[str, Any] = subset["systems"]
    keys = wanted.keys(next(iter(systems.values()))["metrics"])
    return {f"{wanted.style.name(key)} {name}": systems[name]["metrics"][key] for key in keys for name in systems}


def _cell(entry: Mapping[str, Any] | None, wanted: Presentation) -> str:
    return "-" if entry is None else wanted.style.of(entry).number(entry["score"])
