"""One metric for people: what it is, from what its class declares and its docstring says."""

from __future__ import annotations

import math
import re
from dataclasses import dataclass
from inspect import cleandoc

from caplens.core.grammar import Request
from caplens.core.metric import Metric
from caplens.core.options import as_written, declared_options
from caplens.core.registry import attempt, build, names, plugged_names
from caplens.output.equations import readable

_EQUATION = re.compile(r"\.\. math::(.*?)(?:\n\n|\Z)", re.DOTALL)
_SECTION = re.compile(r"^(\w[\w ]*)\n-{3,}\n(.*?)(?=^\w[\w ]*\n-{3,}\n|\Z)", re.DOTALL | re.MULTILINE)


@dataclass(frozen=True)
class Description:
    """What there is to say about a metric.

    Attributes
    ----------
    name, idea, needs : str
        Its name, what it measures, and what it needs besides caplens or what of that is missing here.
    facts : dict of str to str
        Its scores, their range, the equation and the paper, as far as they are known.
    options : list of tuple of str
        Name, default and meaning of each option.
    example : str
        How it is used in Python.
    """

    name: str
    idea: str
    needs: str
    facts: dict[str, str]
    options: list[tuple[str, ...]]
    example: str


def describe(name: str) -> Description:
    """Describe a metric by name.

    Examples
    --------
    >>> found = describe("spider")
    >>> found.facts["equation"], found.facts["better"]
    ('SPIDEr = (SPICE + CIDEr-D) / 2', 'higher')
    """
    metric = build(Request(name))
    text = cleandoc(type(metric).__doc__ or "")
    sections = {title: content.strip() for title, content in _SECTION.findall(text)}
    equation = _EQUATION.search(text)
    origin, idea, needs = metric.about()
    facts = {
        "scores": ", ".join(metric.keys),
        "range": _range(metric),
        "better": "higher" if metric.higher_is_better else "lower",
        "equation": readable(equation[1]) if equation else "",
        "paper": " ".join(sections.get("References", origin).split()),
    }
    shown = {key: value for key, value in facts.items() if value}
    missing = metric.missing_data()
    return Description(
        name,
        idea,
        needs if missing is None else f"MISSING: {missing}",
        shown,
        _options(metric),
        sections.get("Examples", ""),
    )


def _range(metric: Metric) -> str:
    """Write the range of the scores; where they differ, that of each."""
    written = {
        key: f"{_bound(low)} to {_bound(high)}"
        for key, (low, high) in metric.range.items()
        if math.isfinite(low) or math.isfinite(high)
    }
    different = set(written.values())
    if len(different) <= 1:
        return "".join(different)
    return ", ".join(f"{key} {bounds}" for key, bounds in written.items())


def _bound(value: float) -> str:
    return f"{value:g}" if math.isfinite(value) else "no limit"


def _options(metric: Metric) -> list[tuple[str, ...]]:
    return [
        (name, "" if getattr(metric, name) is None else as_written(getattr(metric, name)), declared.help)
        for name, declared in declared_options(type(metric)).items()
    ]


def describe_metrics() -> list[tuple[str, ...]]:
    """Return for each metric: name, result keys, origin, idea, what it needs or what of that is missing here."""
    rows: list[tuple[str, ...]] = []
    for name in (*names(), *plugged_names()):
        metric, missing = attempt(name)
        if metric is None:
            rows.append((name, "", "", "", f"MISSING: {missing}"))
            continue
        keys, (origin, idea, needs) = metric.keys, metric.about()
        shown = keys[0] if len(keys) == 1 else f"{keys[0]} .. {keys[-1]}"
        rows.append((name, shown, origin, idea, needs if missing is None else f"MISSING: {missing}"))
    return rows
