"""Normalisation constants: how large the scores of a metric are on some set of captions, or may be at all.

A combination that takes them from elsewhere gives a caption the same score whatever stands beside it.
"""

from __future__ import annotations

import hashlib
import math
import os
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache, cached_property
from pathlib import Path

import numpy as np

import caplens.data
from caplens.core.grammar import parse
from caplens.core.metric import Floats, Metric
from caplens.core.plan import Run
from caplens.core.registry import build
from caplens.core.state import State, differing_fact
from caplens.errors import CaplensError, InputError, UsageError, reason_of
from caplens.files.atomic import atomic_path
from caplens.files.paths import is_file
from caplens.metrics.combination.state import lasting_facts
from caplens.output.document import SCHEMA

FOLDER = Path(caplens.data.__file__).parent / "composite"
SUFFIX = ".constants.json"
COCO = "coco-val2014"
RANGE = "range"
BUILD = "caplens constants build CANDIDATES -r REFERENCES -m METRICS -o FILE"
READABLE = (1, SCHEMA)
"""The schemas of files that can be read: they have the same keys."""


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


@dataclass(frozen=True)
class MeasuredMetric:
    """The constants of a metric's scores by key, and the facts (hashes) of the data that the metric used."""

    facts: dict[str, str]
    scores: dict[str, Constants]


@dataclass(frozen=True)
class ConstantsTable:
    """Constants of several metrics, as a file has them.

    Attributes
    ----------
    schema : int
        The version of the format.
    what : str
        The captions that were measured, for people.
    metrics : dict of str to MeasuredMetric
        By metric in the grammar, without a label.
    """

    schema: int
    what: str
    metrics: dict[str, MeasuredMetric]

    @classmethod
    def measured(cls, runs: Sequence[Run], what: str) -> ConstantsTable:
        """Measure the scores of metrics that were run."""
        metrics = {}
        for run in runs:
            items = run.metric.item_scores(run.statistics)
            scores = {key: Constants.of(items[:, place]) for place, key in enumerate(run.metric.keys)}
            metrics[request_of(run.metric)] = MeasuredMetric(lasting_facts(run.metric, run.state), scores)
        return cls(SCHEMA, what, metrics)

    def find(self, metric: Metric) -> MeasuredMetric | None:
        """Return what was measured of a metric.

        A file may be older than an option, which then has its default.
        """
        wanted = request_of(metric)
        if wanted in self.metrics:
            return self.metrics[wanted]
        return next((found for request, found in self.metrics.items() if _written_out(request) == wanted), None)

    @cached_property
    def fingerprint(self) -> str:
        """A short hash of the constants."""
        return hashlib.blake2b(self._encoded(), digest_size=6).hexdigest()

    def save(self, path: str | os.PathLike[str]) -> None:
        """Write a JSON file, whole or not at all."""
        import msgspec

        with atomic_path(path) as temporary:
            temporary.write_bytes(msgspec.json.format(self._encoded(), indent=1) + b"\n")

    def _encoded(self) -> bytes:
        import msgspec

        return msgspec.json.encode(self)


def names() -> list[str]:
    """Return the names of the sets whose constants ship with caplens."""
    return sorted(path.name.removesuffix(SUFFIX) for path in FOLDER.glob(f"*{SUFFIX}"))


def load(name: str) -> ConstantsTable:
    """Read constants by name, if some of that name ship with caplens, else from the file.

    Examples
    --------
    >>> load("coco-val2014").metrics["rouge(beta=1.2,tokenizer=ptb)"].scores["ROUGE_L"].largest
    1.0
    """
    path = FOLDER / f"{name}{SUFFIX}" if name in names() else Path(name)
    if not is_file(path):
        raise UsageError(
            f"There are no normalisation constants {name!r}: choose from {', '.join([*names(), RANGE])}, or create a "
            f"file with {BUILD}."
        )
    try:
        return _read(path, path.stat().st_mtime_ns)
    except OSError as error:
        raise InputError(f"The normalisation constants {path} cannot be read: {reason_of(error)}.") from error


@cache
def _read(path: Path, changed: int) -> ConstantsTable:
    """Read a file once; ``changed`` tells a file that was written again from the old one."""
    import msgspec

    try:
        table = msgspec.json.decode(path.read_bytes(), type=ConstantsTable)
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise InputError(
            f"{path} is not a file of normalisation constants, or is damaged ({str(error).rstrip('.')}): create one "
            f"with {BUILD}."
        ) from error
    if table.schema not in READABLE:
        raise InputError(f"{path} has normalisation constants of schema {table.schema}, not {SCHEMA}: build it again.")
    return table


def request_of(metric: Metric) -> str:
    """Return a metric in the grammar without its label, which changes no number."""
    return str((metric if metric.label is None else replace(metric, label=None)).request())


@cache
def _written_out(request: str) -> str:
    """Return a request with all options that there are today; one that is not understood as it is."""
    try:
        return request_of(build(*parse(request)))
    except CaplensError:
        return request


def constants_of(metric: Metric, key: str, name: str) -> Constants:
    """Return the constants of one score of a metric; of its range, mean and deviation are not known (NaN)."""
    if name == RANGE:
        least, largest = metric.range[key]
        if not (math.isfinite(least) and math.isfinite(largest)):
            raise UsageError(
                f"{key} has no bounds to normalise by: use normalize_on={COCO}, a file ({BUILD}), or normalize=none."
            )
        return Constants(least, largest, math.nan, math.nan)
    table = load(name)
    measured = table.find(metric)
    if measured is None or key not in measured.scores:
        covered = [request for request in table.metrics if request.partition("(")[0] == metric.name]
        others = f", only {' and '.join(covered)}" if covered else ""
        raise UsageError(
            f"The normalisation constants {name!r} do not cover {metric.request()}{others}: use "
            f"{'those options' if covered else 'another metric'}, normalize_on={RANGE}, your own constants ({BUILD}), "
            "or normalize=none."
        )
    return measured.scores[key]


def check_constants(metric: Metric, state: State, name: str) -> None:
    """Refuse constants that were measured with other data of the same name, such as other word vectors."""
    measured = load(name).find(metric)
    recorded = {} if measured is None else measured.facts
    found = lasting_facts(metric, state)
    fact = differing_fact(recorded, found)
    if fact is not None:
        raise UsageError(
            f"The normalisation constants {name!r} were measured with a {metric.title} whose {fact} is "
            f"{recorded.get(fact, 'unknown')}, but here it is {found.get(fact, 'unknown')}: measure them again with "
            f"{BUILD}."
        )
