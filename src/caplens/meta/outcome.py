"""What comes out of a study: typed figures, from which tables, a drawing and plain data for files are made."""

from __future__ import annotations

import os
from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, fields, is_dataclass
from functools import cached_property
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from caplens.errors import Notice, UsageError, counted, name_some
from caplens.output.document import document
from caplens.output.page import PageSection
from caplens.output.tables import NumberTable, render
from caplens.output.writing import Rows, check_file, check_output, write
from caplens.readers.records import Record

if TYPE_CHECKING:
    from caplens.meta.drawing import Figure


# Of a dataclass field: files hold it only where it is not None.
IF_ANY = MappingProxyType({"if any": True})
# Of a dataclass field that holds several figures: they stand in files beside the others, not under the field's name.
INLINED = MappingProxyType({"inlined": True})
ITEM_SUFFIXES = (".jsonl",)
"""Of files of the rows that were scored: each has its references, which other formats have no room for."""


def plain_data(value: object) -> Any:  # noqa: ANN401 (what JSON can hold)
    """Return dataclasses and what they hold as plain data, fields in their order.

    Examples
    --------
    >>> plain_data(LeftOut("tied", "the votes are equal", ("7",)))
    {'count': 1, 'why': 'the votes are equal', 'ids': ['7']}
    """
    to_dict = getattr(value, "to_dict", None)
    if to_dict is not None:
        return to_dict()
    if is_dataclass(value):
        return _of_fields(value, ())
    if isinstance(value, Mapping):
        return {key: plain_data(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [plain_data(entry) for entry in value]
    return value


def _of_fields(holder: Any, without: Sequence[str]) -> dict[str, Any]:  # noqa: ANN401 (a dataclass)
    data: dict[str, Any] = {}
    for entry in fields(holder):
        value = getattr(holder, entry.name)
        if entry.name in without or (value is None and entry.metadata.get("if any")):
            continue
        if entry.metadata.get("inlined"):
            data.update(plain_data(value))
        else:
            data[entry.name] = plain_data(value)
    return data


@dataclass(frozen=True)
class LeftOut:
    """Rows that a study does not use.

    Attributes
    ----------
    code : str
        A stable short name.
    why : str
        The reason, for people.
    ids : tuple of str
        All of them.
    """

    code: str
    why: str
    ids: tuple[str, ...]

    def to_dict(self) -> dict[str, object]:
        """Return plain data."""
        return {"count": len(self.ids), "why": self.why, "ids": list(self.ids)}

    def __str__(self) -> str:
        return f"excluded: {len(self.ids):,} ({self.why}): {name_some(self.ids)}."


def by_code(left_out: Sequence[LeftOut]) -> dict[str, LeftOut]:
    """Return what was left out as result files hold it."""
    return {gone.code: gone for gone in left_out}


@dataclass(frozen=True)
class Resamples:
    """How intervals were drawn: how many samples, of what; ``left_out`` are those with too few units."""

    resamples: int
    left_out: int
    seed: int
    units: str


def no_score_notices(missing: Mapping[str, int], noun: str, ending: str = "") -> list[Notice]:
    """Say of how many rows each metric has no score."""
    return [
        Notice("no-score", f"{counted(count, noun)} without a {key} score excluded{ending}")
        for key, count in missing.items()
        if count
    ]


@dataclass(frozen=True, eq=False, kw_only=True)
class Outcome(ABC):
    """What came out of a study.

    A subclass is one kind of outcome: its fields are the figures, in the order and with the names that result files
    have.

    Attributes
    ----------
    study : str
        The study.
    warnings : tuple of Notice
        What was odd in the input, or where a test's assumptions fail.
    items : list of dict
        The rows that were scored: id, candidate, references, human; what a metric of the user's own must score.
    """

    study: str
    warnings: tuple[Notice, ...] = ()
    items: list[Record] = field(default_factory=list)

    @abstractmethod
    def tables(self) -> tuple[NumberTable, ...]:
        """Return the figures for people."""

    @property
    def has_figure(self) -> bool:
        """Whether there is something to draw."""
        return type(self).figure is not Outcome.figure

    def figure(self) -> Figure:
        """Draw the outcome (needs matplotlib, extra ``report``)."""
        raise UsageError(f"The study {self.study!r} has no figure, only tables.")

    def page_title(self) -> str:
        """Return the heading of a page about the outcome."""
        from caplens.meta.registry import study_title

        title = study_title(self.study)
        return f"{title[:1].upper()}{title[1:]}"

    def page_sections(self) -> tuple[PageSection, ...]:
        """Return what a page shows: warnings, tables, and a figure where matplotlib is there."""
        from caplens.meta.drawing import can_draw, figure_svg

        said = tuple(f"{notice.level.capitalize()}: {notice}." for notice in self.warnings)
        drawn = (figure_svg(self.figure()),) if self.has_figure and can_draw() else ()
        return (PageSection(self.study, said, self.tables(), drawn),)

    @cached_property
    def _figures(self) -> dict[str, Any]:
        return _of_fields(self, [entry.name for entry in fields(Outcome)])

    def __getitem__(self, metric: str) -> Any:  # noqa: ANN401 (the figures of any study)
        """Return the figures of a metric as plain data; look-up ignores case."""
        metrics = self._figures["metrics"]
        return metrics[{key.lower(): key for key in metrics}.get(metric.lower(), metric)]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data; a value that does not exist is None."""
        return document({"study": self.study, **self._figures}, self.warnings)

    def render(self, form: str = "text") -> str:
        """Return the tables as ``text``, ``markdown``, ``latex`` or ``csv``."""
        return render(self.tables(), form)

    def write(self, path: str | os.PathLike[str]) -> None:
        """Write to a file; the suffix says how.

        ``.json`` holds everything, ``.html`` is a page, ``.txt``, ``.md``, ``.tex`` and ``.csv`` hold the tables,
        ``.svg``, ``.pdf`` and ``.png`` a figure.
        """
        write(self, path)

    def write_figure(self, path: str | os.PathLike[str]) -> None:
        """Draw a figure of the outcome into a file: .svg, .pdf or .png (needs matplotlib, extra ``report``)."""
        check_output(path, type(self), "figure")
        write(self, path)

    def write_items(self, path: str | os.PathLike[str]) -> None:
        """Write the scored rows as JSON lines, for a metric of the user's own."""
        check_file(path, ITEM_SUFFIXES)
        write(Rows(self.items), path)

    def __str__(self) -> str:
        return self.render()

    __repr__ = __str__
