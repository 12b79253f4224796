"""The studies by name and title; a study is imported when it is asked for, so that a list of them costs nothing."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module
from typing import TYPE_CHECKING, NamedTuple

from caplens.errors import UsageError

if TYPE_CHECKING:
    from caplens.meta.study import Study


class _Entry(NamedTuple):
    module: str
    attribute: str
    title: str


# By name, in the order in which all studies are run: the slowest last.
_STUDIES = {
    "flickr8k-expert": _Entry(
        "caplens.meta.datasets.flickr8k", "Flickr8kExpert", "correlation with ratings by three experts"
    ),
    "flickr8k-crowd": _Entry("caplens.meta.datasets.flickr8k", "Flickr8kCrowd", "correlation with crowd votes"),
    "composite": _Entry(
        "caplens.meta.datasets.composite", "Composite", "correlation with ratings of correctness and thoroughness"
    ),
    "thumb": _Entry("caplens.meta.datasets.thumb", "Thumb", "correlation with THumB's ratings of precision and recall"),
    "table": _Entry("caplens.meta.datasets.table", "OwnTable", "correlation with human scores in your own table"),
    "pascal50s": _Entry("caplens.meta.datasets.pascal50s", "Pascal50s", "agreement on pairs of captions, PASCAL-50S"),
    "abstract50s": _Entry(
        "caplens.meta.datasets.abstract50s", "Abstract50s", "agreement on pairs of captions of abstract scenes"
    ),
    "foil": _Entry("caplens.meta.datasets.foil", "Foil", "agreement on pairs of captions, one with a wrong noun"),
    "distraction": _Entry(
        "caplens.meta.datasets.distraction", "Distraction", "forced choice between a caption and a distractor"
    ),
    "coco2015": _Entry(
        "caplens.meta.datasets.coco2015", "Coco2015", "correlation over the systems of the 2015 COCO challenge"
    ),
    "williams": _Entry("caplens.meta.between.williams", "Williams", "significance of differences between metrics"),
    "complementarity": _Entry(
        "caplens.meta.between.complementarity",
        "Complementarity",
        "how metrics correlate, and how well their sums perform",
    ),
    "distributions": _Entry(
        "caplens.meta.between.distributions", "Distributions", "distribution of scores for each human rating"
    ),
    "sensitivity": _Entry(
        "caplens.meta.probes.sensitivity", "Sensitivity", "how scores react to small changes to a caption"
    ),
    "robustness": _Entry("caplens.meta.probes.robustness", "Robustness", "how scores fall as captions are degraded"),
    "frequencies": _Entry(
        "caplens.meta.probes.frequencies", "Frequencies", "how often systems use frequent and rare words"
    ),
    "categories": _Entry(
        "caplens.meta.probes.categories", "Categories", "SPICE of systems by type of tuple: objects, colours, counts"
    ),
}
# Those that train networks: commands of their own (caplens critique), in a room above this one.
_TRAINED = {
    "critique-evaluate": _Entry(
        "caplens.train.critique.evaluation",
        "CritiqueEvaluation",
        "train on half of each system's captions, score the rest, swap",
    ),
    "critique-ablation": _Entry(
        "caplens.train.critique.ablation",
        "CritiqueAblation",
        "compare contexts, fusions and augmentation (figures 5 and 6)",
    ),
}


def study_names() -> tuple[str, ...]:
    """Return the names of the studies of ``caplens meta``.

    Examples
    --------
    >>> study_names()[:2]
    ('flickr8k-expert', 'flickr8k-crowd')
    """
    return tuple(_STUDIES)


@cache
def study_class(name: str) -> type[Study]:
    """Return the class of a study.

    Examples
    --------
    >>> study_class("williams").name
    'williams'
    """
    entry = _entry(name)
    found: type[Study] = getattr(import_module(entry.module), entry.attribute)
    return found


def study_title(name: str) -> str:
    """Return what a study is about, in one line.

    Examples
    --------
    >>> study_title("williams")
    'significance of differences between metrics'
    """
    return _entry(name).title


def _entry(name: str) -> _Entry:
    known = {**_STUDIES, **_TRAINED}
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(known)}."
        raise UsageError(f"There is no study {name!r}: {hint}")
    return known[name]
