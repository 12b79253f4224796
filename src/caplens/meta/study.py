"""The outcome of a study: plain data for files, tables for people."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from caplens._version import __version__
from caplens.core.result import SCHEMA
from caplens.errors import Notice, UsageError
from caplens.files.atomic import atomic_path, check_writable
from caplens.output.tables import SUFFIXES, NumberTable, render


@dataclass(frozen=True, eq=False)
class Study:
    """What came out of a study.

    Attributes
    ----------
    name : str
        The study.
    data : dict
        Everything as plain data: preset, n, what was left out, the figures of each metric.
    tables : tuple of NumberTable
        The same for people.
    warnings : tuple of Notice
        What was odd in the input, or where a test's assumptions fail.
    items : list of dict
        The rows that were scored: id, candidate, references, human; what a metric of the user's own must score.
    """

    name: str
    data: dict[str, Any]
    tables: tuple[NumberTable, ...]
    warnings: tuple[Notice, ...] = ()
    items: list[dict[str, Any]] = field(default_factory=list)

    def __getitem__(self, metric: str) -> Any:  # noqa: ANN401 (the figures of any study)
        """Return the figures of a metric; look-up ignores case."""
        metrics = self.data["metrics"]
        return metrics[{key.lower(): key for key in metrics}.get(metric.lower(), metric)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a value that does not exist is None."""
        return {
            "schema": SCHEMA,
            "caplens": __version__,
            "study": self.name,
            **self.data,
            "warnings": [notice.to_dict() for notice in self.warnings],
        }

    def render(self, form: str = "text") -> str:
        """Return the tables as ``text``, ``markdown``, ``latex`` or ``csv``."""
        return render(self.tables, form)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a file; the suffix says how: .json (everything), .txt, .md, .tex or .csv (the tables)."""
        check_study_output(path)
        suffix = Path(path).suffix.lower()
        content = _json(self.to_dict()) if suffix == ".json" else f"{self.render(SUFFIXES[suffix])}\n".encode()
        with atomic_path(path) as temporary:
            temporary.write_bytes(content)

    def write_figure(self, path: str | os.PathLike[str]) -> None:
        """Draw a figure of the outcome into a file: .svg, .pdf or .png (needs matplotlib, extra ``report``)."""
        from caplens.meta.figures import write_figure

        write_figure(self.to_dict(), path)

    def write_items(self, path: str | os.PathLike[str]) -> None:
        """Write the scored rows as JSON lines, for a metric of the user's own."""
        if not self.items:
            raise UsageError(f"The study {self.name!r} has no rows that a metric of your own could score.")
        with atomic_path(path) as temporary:
            temporary.write_bytes(b"".join(_json(item) + b"\n" for item in self.items))

    def __str__(self) -> str:
        return self.render()

    __repr__ = __str__


def check_study_output(path: str | os.PathLike[str], suffixes: Sequence[str] = (".json", *SUFFIXES)) -> None:
    """Refuse an output file that cannot be written, before any work is done."""
    if Path(path).suffix.lower() not in suffixes:
        raise UsageError(f"{Path(path).name!r} cannot be written: its name must end in {' or '.join(suffixes)}.")
    check_writable(path)


def _json(data: object) -> bytes:
    import msgspec

    return msgspec.json.encode(data)
