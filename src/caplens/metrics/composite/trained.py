"""Weights of composite metrics: what a file says about itself, and where files are found.

A file of weights names the metrics that it was trained with (in the grammar, with the hashes of their data) and the
numbers that it reads off them: ``KEY`` for a score, ``KEY.part`` for a part of one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

import msgspec

from caplens._version import __version__
from caplens.core.grammar import Request, parse
from caplens.core.metric import Metric
from caplens.core.registry import build, metric_class
from caplens.errors import UsageError
from caplens.files.paths import is_folder
from caplens.learned.composite import feedforward
from caplens.learned.composite.feedforward import FeedForward
from caplens.metrics.combination.base import MOST_INPUTS, InputScore
from caplens.metrics.combination.normalizing import FOLDER

SUFFIX = ".safetensors"
SHIPPED = tuple(sorted(path.stem for path in FOLDER.glob(f"Eval_*{SUFFIX}")))  # document frequencies are there too
"""Titles of the weights that ship with caplens."""
COMPOSITE = "composite"
"""The name of the metric."""
LONGEST_TITLE = 60
Missing = Literal["none", "zero"]
"""A caption without one of the features has no score, or the feature counts as 0."""
MISSING: dict[str, Missing] = {"none": "none", "zero": "zero"}


@dataclass(frozen=True, eq=False)
class TrainedComposite:
    """A file of weights, understood.

    Attributes
    ----------
    title : str
        The key of the score in results.
    network : FeedForward
        The function of the features.
    inputs : tuple of Metric
        The metrics that features are read off.
    facts : tuple of mapping
        For each of them, the facts of the data that it used in training.
    features : tuple of InputScore
        The numbers that the network reads.
    missing : {"none", "zero"}
        What becomes of a caption without one of them.
    origin, idea : str
        For people.
    """

    title: str
    network: FeedForward
    inputs: tuple[Metric, ...]
    facts: tuple[Mapping[str, str], ...]
    features: tuple[InputScore, ...]
    missing: Missing
    origin: str
    idea: str


def describe_weights(
    title: str,
    inputs: Mapping[str, Mapping[str, str]],
    features: Sequence[str],
    *,
    missing: Missing = "none",
    origin: str = "",
    idea: str = "",
) -> dict[str, str]:
    """Return what a file of weights must say about itself.

    Parameters
    ----------
    title : str
        The key of the score in results.
    inputs : mapping
        By metric in the grammar, the facts of the data that it used.
    features : sequence of str
        ``KEY`` or ``KEY.part``, in the order in which the network reads them.
    missing, origin, idea
        As in `TrainedComposite`.
    """
    return {
        "title": title,
        "inputs": msgspec.json.encode(inputs).decode(),
        "features": msgspec.json.encode(features).decode(),
        "missing": missing,
        "origin": origin,
        "idea": idea,
        "caplens": __version__,
    }


def find_weights(weights: str) -> Path:
    """Return the file that is meant: by the title of weights that ship, by its path, or by a folder that has one.

    Examples
    --------
    >>> find_weights("Eval_MS").name
    'Eval_MS.safetensors'
    """
    if weights in SHIPPED:
        return FOLDER / f"{weights}{SUFFIX}"
    path = Path(weights)
    if not is_folder(path):
        return path
    files = sorted(path.glob(f"*{SUFFIX}"))
    if len(files) != 1:
        number = f"several sets of weights ({', '.join(file.name for file in files)})" if files else "no weights"
        named = f": specify one, such as composite(weights={files[0]})" if files else ""
        raise UsageError(f"The folder {path} contains {number}{named}.")
    return files[0]


def load(path: Path) -> TrainedComposite:
    """Read a file of weights; the metrics that it names are made, but no code that it names is loaded."""
    return _load(path, path.stat().st_mtime_ns)


@cache
def _load(path: Path, changed: int) -> TrainedComposite:
    """Read a file once; ``changed`` tells a file that was written again from the old one."""
    network = feedforward.load(path)
    said = dict(network.facts or {})
    try:
        trained = msgspec.json.decode(said["inputs"])
        names = msgspec.json.decode(said["features"])
        facts = tuple({str(fact): str(value) for fact, value in data.items()} for data in trained.values())
        title = said["title"]
        missing = MISSING[said["missing"]]
        if not isinstance(names, list):
            raise TypeError(names)
    except (KeyError, ValueError, TypeError, AttributeError) as error:
        raise UsageError(f"{path} does not record how it was trained: it is not a composite metric.") from error
    if not title.strip() or len(title) > LONGEST_TITLE or not title.isprintable() or title.lower() == "id":
        raise UsageError(f"{path} has a title that cannot be the name of a result.")
    inputs = tuple(_input(path, text) for text in trained)
    features = tuple(find_feature(str(name), inputs) for name in names)
    if network.inputs != len(features) or not 1 <= len(features) <= MOST_INPUTS or len(inputs) > MOST_INPUTS:
        raise UsageError(f"{path} takes {network.inputs} inputs but lists {len(features)} features.")
    return TrainedComposite(
        title, network, inputs, facts, features, missing, said.get("origin", ""), said.get("idea", "")
    )


def _input(path: Path, text: str) -> Metric:
    try:
        requests = parse(text)
        if len(requests) != 1:
            raise UsageError("an input must be a single metric.")
        for request in _all_of(requests[0]):
            # One inside another could name itself, and would never end.
            if metric_class(request.name).name == COMPOSITE:
                raise UsageError("the inputs of a composite cannot be composites themselves.")
        return build(requests[0], allow_code=False, known="false")
    except UsageError as error:
        raise UsageError(f"{path} was trained with {text!r}, which cannot be made here: {error}") from error


def _all_of(request: Request) -> list[Request]:
    """Return a request and those inside it."""
    return [request, *(found for one in request.inputs for found in _all_of(one))]


def find_feature(name: str, metrics: Sequence[Metric]) -> InputScore:
    """Return the score, or the part of a score, that a name such as ``SPICE_Object.precision`` means.

    Examples
    --------
    >>> import caplens
    >>> find_feature("SPICE.recall", [caplens.metric("rouge"), caplens.metric("spice")])
    InputScore(metric=1, place=0, name='SPICE.recall', part=1)
    """
    found = [
        InputScore(number, place, name, part)
        for number, metric in enumerate(metrics)
        for place, key in enumerate(metric.keys)
        for part, known in ((None, key), *((part, f"{key}.{each}") for part, each in enumerate(metric.part_names)))
        if known == name
    ]
    if len(found) != 1:
        number = "none" if not found else "several"
        raise UsageError(f"The feature {name!r} is provided by {number} of {', '.join(one.name for one in metrics)}.")
    return found[0]
