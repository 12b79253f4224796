"""Normalisation constants: how large the scores of a metric are on a named set of captions.

A combination that takes them from a fixed set gives a caption the same score whatever stands beside it.
"""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from functools import cache
from pathlib import Path

import numpy as np

import caplens.data
from caplens.core.metric import Floats, Metric
from caplens.errors import MissingDataError, UsageError

FOLDER = Path(caplens.data.__file__).parent / "composite"
SUFFIX = ".constants.json"
COCO = "coco-val2014"


@dataclass(frozen=True)
class Constants:
    """The least and the largest of some scores, their mean and their standard deviation.

    Examples
    --------
    >>> Constants.of(np.array([0.0, 1.0, 2.0, np.nan]))
    Constants(least=0.0, largest=2.0, mean=1.0, deviation=0.816496580927726)
    """

    least: float
    largest: float
    mean: float
    deviation: float

    @classmethod
    def of(cls, scores: Floats) -> Constants:
        """Compute them; scores that do not exist do not count."""
        known = scores[np.isfinite(scores)]
        if not len(known):
            return cls(0.0, 0.0, 0.0, 0.0)
        return cls(float(known.min()), float(known.max()), float(known.mean()), float(known.std()))


def names() -> list[str]:
    """Return the names of the sets whose constants ship with caplens."""
    return sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}"))


@cache
def load(name: str) -> dict[str, dict[str, Constants]]:
    """Return the constants of a named set: by metric in the grammar (without a label), then by key."""
    if name not in names():
        raise UsageError(
            f"There are no normalisation constants {name!r}: choose from {', '.join([*names(), 'corpus'])}."
        )
    try:
        data = json.loads((FOLDER / f"{name}{SUFFIX}").read_text(encoding="utf-8"))
        return {
            metric: {key: Constants(**numbers) for key, numbers in by_key.items()}
            for metric, by_key in data["metrics"].items()
        }
    except (OSError, ValueError, KeyError, TypeError, AttributeError) as error:
        raise MissingDataError(
            f"The normalisation constants {name!r} that ship with caplens cannot be read: "
            "pip install --force-reinstall caplens."
        ) from error


def request_of(metric: Metric) -> str:
    """Return a metric in the grammar without its label, which changes no number."""
    return str((metric if metric.label is None else replace(metric, label=None)).request())


def constants_of(metric: Metric, key: str, name: str) -> Constants:
    """Return the constants of one score of a metric on a named set."""
    found = load(name).get(request_of(metric), {}).get(key)
    if found is None:
        raise UsageError(
            f"The normalisation constants {name!r} know no {metric.request()}: use its usual options, "
            "normalize_on=corpus, or normalize=none."
        )
    return found
