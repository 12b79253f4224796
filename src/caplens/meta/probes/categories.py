"""SPICE by category of tuples, for each captioning system."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from caplens.api.comparing import compare
from caplens.meta.correlations import plain
from caplens.meta.study import Study
from caplens.meta.systems.files import coco_references, load_systems
from caplens.output.tables import Column, NumberTable, Value

# Anderson et al. (ECCV 2016), table 2, in its order.
KEYS = (
    *("SPICE", "SPICE_Object", "SPICE_Relation", "SPICE_Attribute"),
    *("SPICE_Color", "SPICE_Cardinality", "SPICE_Size"),
)
_PARTS = ("precision", "recall")


def category_study(files: dict[str, Path], captions: Path, jobs: int | None, parses: Path | None) -> Study:
    """Score systems with SPICE on their common images and report F, precision and recall by category.

    Parameters
    ----------
    files : dict of str to pathlib.Path
        The caption file of each system.
    captions : pathlib.Path
        The folder with the reference captions.
    jobs, parses
        As for `caplens.score`.
    """
    comparison = compare(load_systems(files), coco_references(captions), "spice", jobs=jobs, parses=parses)
    systems: dict[str, dict[str, Any]] = {}
    for name in files:
        result = comparison[name]
        systems[name] = {
            key: {"f": plain(result[key].score)}
            | {part: plain(result[key].parts[part].score) for part in _PARTS if part in result[key].parts}
            for key in KEYS
        }
    first = comparison[next(iter(files))]
    data: dict[str, Any] = {
        "preset": {"name": "004", "source": "SPICE (Anderson et al., ECCV 2016), table 2"},
        "n": len(first.ids),
        "left_out": {},
        "systems": systems,
        "metrics": {key: {"signature": first[key].signature} for key in KEYS},
    }
    tables = tuple(_table(data, figure, title) for figure, title in (("f", "F"), ("precision", "P"), ("recall", "R")))
    return Study("categories", data, tables, comparison.warnings)


def _table(data: dict[str, Any], figure: str, title: str) -> NumberTable:
    columns = (Column("system"), *(Column(key.removeprefix("SPICE_")) for key in KEYS))
    rows = []
    for name, scores in data["systems"].items():
        cells: list[Value] = [name, *(scores[key].get(figure) for key in KEYS)]
        rows.append(tuple(cells))
    note = f"mean over {data['n']:,} images that all systems have; a dash where no image has such tuples."
    return NumberTable(f"categories: SPICE {title} by kind of tuple", columns, tuple(rows), (note,))
