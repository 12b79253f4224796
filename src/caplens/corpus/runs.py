"""Several training runs of one system, which a comparison takes together."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, TypeVar

from caplens.errors import InputError, UsageError

Made = TypeVar("Made")


class Runs:
    """The captions of several training runs of one system, for `caplens.compare`.

    Parameters
    ----------
    runs : iterable of candidates
        The captions of each run, as for `caplens.score`: lists by position, mappings by id, or loaded tables.

    Attributes
    ----------
    runs : tuple
        The runs, in order.

    Examples
    --------
    >>> import caplens
    >>> ours = caplens.Runs([["a dog", "two cats"], ["a dog", "a cat"]])
    >>> compared = caplens.compare({"ours": ours, "b": ["a cow", "a bird"]}, [["a dog"], ["two cats"]], "rouge")
    >>> compared["ours"]["ROUGE_L"].score, compared["ours"]["ROUGE_L"].run_scores
    (0.75, (1.0, 0.5))
    """

    def __init__(self, runs: Iterable[Any]) -> None:
        if isinstance(runs, str | bytes | Mapping) or not isinstance(runs, Iterable):
            raise InputError(f"Runs must be a list with the captions of each run, not {type(runs).__name__}.")
        self.runs = tuple(runs)
        if not self.runs:
            raise InputError("Runs must be a list with the captions of each run, but it is empty.")
        for run in self.runs:
            if isinstance(run, str | bytes | Runs):
                found = "Runs" if isinstance(run, Runs) else f"a single caption ({run[:40]!r})"
                raise InputError(f"Runs must be a list with the captions of each run, but one of them is {found}.")

    def __len__(self) -> int:
        return len(self.runs)

    def __repr__(self) -> str:
        return f"Runs of {len(self)}"


def each_run(systems: Mapping[str, Any]) -> dict[str, Any]:
    """Return the captions of every run by name: that of its system, with a number if the system has several runs.

    Examples
    --------
    >>> each_run({"a": Runs([["a dog"], ["a cat"]]), "b": ["two cats"]})
    {'a/1': ['a dog'], 'a/2': ['a cat'], 'b': ['two cats']}
    """
    found: dict[str, Any] = {}
    for name, captions in systems.items():
        if isinstance(captions, list | tuple) and any(map(_is_by_number, captions)):
            raise UsageError(f"System {name!r} is a list of mappings by id: write caplens.Runs([...]) for runs.")
        runs = captions.runs if isinstance(captions, Runs) else (captions,)
        for number, run in enumerate(runs, 1):
            label = f"{name}/{number}" if len(runs) > 1 else name
            if label in found or (label != name and label in systems):
                raise UsageError(f"{label!r} is both a system and a run of {name!r}: give the system another name.")
            found[label] = run
    return found


def by_system(systems: Mapping[str, Any], runs: Mapping[str, Made]) -> dict[str, list[Made]]:
    """Collect what was made of every run (`each_run`) by system.

    Examples
    --------
    >>> by_system({"a": Runs([["a dog"], ["a cat"]]), "b": ["two cats"]}, {"a/1": 0.5, "a/2": 0.7, "b": 0.1})
    {'a': [0.5, 0.7], 'b': [0.1]}
    """
    made = iter(runs.values())
    return {
        name: [next(made) for _ in range(len(captions) if isinstance(captions, Runs) else 1)]
        for name, captions in systems.items()
    }


def _is_by_number(captions: object) -> bool:
    """Tell whether these are captions by ids that are numbers; names of columns ("image_id", "caption") are not."""
    return isinstance(captions, Mapping) and any(isinstance(identifier, int) for identifier in captions)
