r"""Studies of metrics: how well scores agree with people.

Examples
--------
>>> import json, tempfile
>>> from pathlib import Path
>>> import caplens
>>> rows = [
...     {"id": 1, "candidate": "a dog runs", "references": ["a dog runs fast"], "human": 4},
...     {"id": 2, "candidate": "two cats", "references": ["a cat"], "human": 3},
...     {"id": 3, "candidate": "a bus", "references": ["three people eat"], "human": 1},
... ]
>>> with tempfile.TemporaryDirectory() as folder:
...     path = Path(folder) / "judged.jsonl"
...     _ = path.write_text("".join(json.dumps(row) + "\n" for row in rows))
...     result = caplens.study("table", path, metrics="rouge, cider")
>>> result["CIDEr"]["spearman"]["value"] > 0.8
True
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

from caplens.meta.registry import study_names

if TYPE_CHECKING:
    from caplens.meta.outcome import Outcome
    from caplens.meta.run import study_all
    from caplens.meta.study import Study

_LAZY = {"Outcome": "caplens.meta.outcome", "Study": "caplens.meta.study", "study_all": "caplens.meta.run"}

__all__ = ["Outcome", "Study", "study_all", "study_names"]


def __getattr__(name: str) -> Any:  # noqa: ANN401 (whatever the attribute is)
    if name not in _LAZY:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(_LAZY[name]), name)
