"""How tables and figures of papers are declared."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any

from caplens.meta.planned import Planned
from caplens.meta.published.tables import Published

Cells = Mapping[str, Mapping[str, float | None]]
"""Figures by row, then by column, as published ones are held."""


@dataclass(frozen=True)
class Part:
    """What one study regenerates of a table or figure.

    Attributes
    ----------
    title : str
        What it is about, where a table has several parts.
    run : Planned
        The study.
    cells : callable, optional
        Takes our figures from the result of the study, under the names of the published ones; None where there is
        only a drawing.
    published : mapping
        The figures of the paper; empty where the paper only draws them.
    columns : dict of str to str
        The columns that are shown, with their heads.
    form : str
        How our numbers are written; those of the paper are written as they were printed.
    also : tuple of str or None
        Rows of ours that the paper does not have but that are shown; None for all.
    whole : int or None
        The rows of the set that the paper used: with fewer than half of them, figures are those of a sample.
    why : tuple of str
        Why figures differ.
    figure : bool
        Whether the drawing of the study belongs here.
    comparable : bool
        Whether both sides measure the same: False where ours has other data throughout.
    """

    run: Planned
    title: str = ""
    cells: Callable[[Mapping[str, Any]], Cells] | None = None
    published: Published = field(default_factory=dict)
    columns: Mapping[str, str] = field(default_factory=dict)
    form: str = ".3f"
    also: tuple[str, ...] | None = ()
    whole: int | None = None
    why: tuple[str, ...] = ()
    figure: bool = False
    comparable: bool = True


@dataclass(frozen=True)
class Item:
    """A table, a figure or a section of a paper.

    Attributes
    ----------
    label, title : str
        What the paper calls it, and what it shows.
    parts : tuple of Part
        The studies that regenerate it.
    commands : tuple of str
        What regenerates it, or the part of it that no study does; training, for instance.
    says : tuple of str
        What else should be known.
    """

    label: str
    title: str
    parts: tuple[Part, ...] = ()
    commands: tuple[str, ...] = ()
    says: tuple[str, ...] = ()


@dataclass(frozen=True)
class Paper:
    """A paper and its tables and figures, in its order."""

    name: str
    source: str
    items: tuple[Item, ...]
