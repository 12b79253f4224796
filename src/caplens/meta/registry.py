"""The studies by name; a study is imported when it is asked for."""

from __future__ import annotations

from difflib import get_close_matches
from functools import cache
from importlib import import_module

from caplens.errors import UsageError
from caplens.meta.study import Study

# Name -> module and class, in the order in which all studies are run: the slowest last.
_STUDIES = {
    "flickr8k-expert": ("caplens.meta.datasets.flickr8k", "Flickr8kExpert"),
    "flickr8k-crowd": ("caplens.meta.datasets.flickr8k", "Flickr8kCrowd"),
    "composite": ("caplens.meta.datasets.composite", "Composite"),
    "thumb": ("caplens.meta.datasets.thumb", "Thumb"),
    "table": ("caplens.meta.datasets.table", "OwnTable"),
    "pascal50s": ("caplens.meta.datasets.pascal50s", "Pascal50s"),
    "abstract50s": ("caplens.meta.datasets.abstract50s", "Abstract50s"),
    "foil": ("caplens.meta.datasets.foil", "Foil"),
    "distraction": ("caplens.meta.datasets.distraction", "Distraction"),
    "coco2015": ("caplens.meta.datasets.coco2015", "Coco2015"),
    "williams": ("caplens.meta.between.williams", "Williams"),
    "complementarity": ("caplens.meta.between.complementarity", "Complementarity"),
    "distributions": ("caplens.meta.between.distributions", "Distributions"),
    "sensitivity": ("caplens.meta.probes.sensitivity", "Sensitivity"),
    "robustness": ("caplens.meta.probes.robustness", "Robustness"),
    "frequencies": ("caplens.meta.probes.frequencies", "Frequencies"),
    "categories": ("caplens.meta.probes.categories", "Categories"),
}
# Those that train networks: commands of their own (caplens critique), in a room above this one.
_TRAINED = {
    "critique-evaluate": ("caplens.train.critique.evaluation", "CritiqueEvaluation"),
    "critique-ablation": ("caplens.train.critique.ablation", "CritiqueAblation"),
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
    >>> study_class("williams").title
    'significance of differences between metrics'
    """
    known = {**_STUDIES, **_TRAINED}
    if name not in known:
        close = get_close_matches(name, known, n=1)
        hint = f"did you mean {close[0]!r}?" if close else f"choose from {', '.join(known)}."
        raise UsageError(f"There is no study {name!r}: {hint}")
    module, attribute = known[name]
    found: type[Study] = getattr(import_module(module), attribute)
    return found
