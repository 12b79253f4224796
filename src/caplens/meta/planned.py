"""A study to run among all studies, and what came of it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

from caplens.output.tables import NumberTable


@dataclass(frozen=True)
class Planned:
    """A study to run: its name, its preset, and for studies between metrics the set whose rows are used.

    Attributes
    ----------
    name, preset, on : str or None
        What tells it from the others.
    metrics : tuple of str
        The metrics of the paper whose table it regenerates; empty for those that are asked for, or the COCO ones.
    more : tuple of (str, str)
        Further options, as the command line writes them.
    """

    name: str
    preset: str | None = None
    on: str | None = None
    metrics: tuple[str, ...] = ()
    more: tuple[tuple[str, str], ...] = ()

    @property
    def options(self) -> dict[str, str]:
        """The options that differ from run to run."""
        said = {name: value for name, value in (("preset", self.preset), ("on", self.on)) if value is not None}
        return {**said, **dict(self.more)}

    @property
    def parts(self) -> tuple[str, ...]:
        """What there is of name, preset and set."""
        return tuple(part for part in (self.name, self.preset, self.on) if part is not None)

    @property
    def reads_data(self) -> bool:
        """Whether it is given the folder of all data; sensitivity has sentences of its own."""
        return self.name != "sensitivity"

    def command(self, data: str) -> str:
        """Return the command that runs it alone.

        Examples
        --------
        >>> Planned("williams", "kilickaya2017", "composite", ("cider", "spice")).command("data")
        'caplens meta williams --data data --preset kilickaya2017 --on composite -m "cider, spice"'
        """
        words = [f"caplens meta {self.name}", *([f"--data {data}"] if self.reads_data else [])]
        words += [f"--{name.replace('_', '-')} {value}" for name, value in self.options.items()]
        if self.metrics:
            words.append(f'-m "{", ".join(self.metrics)}"')
        return " ".join(words)


@dataclass(frozen=True)
class Finished:
    """A study with its preset: its result as plain data, its tables and figure, or why it was not run.

    ``figure`` is an ``svg`` element, empty where the study has none, and None where it could not be drawn.
    """

    name: str
    preset: str | None
    on: str | None = None
    result: dict[str, Any] = field(default_factory=dict)
    tables: tuple[NumberTable, ...] = ()
    figure: str | None = ""
    why_not: str = ""

    @property
    def title(self) -> str:
        """The study and its preset."""
        rows = "" if self.on is None else f" on {self.on}"
        return f"{self.name}{rows}" + ("" if self.preset is None else f", preset {self.preset}")

    @property
    def parts(self) -> tuple[str, ...]:
        """What there is of name, preset and set: what a `Planned` has."""
        return Planned(self.name, self.preset, self.on).parts
