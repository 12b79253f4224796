"""SPICE with the calls and the return shape of the original, without its Java process."""

from __future__ import annotations

import math
import sys
from collections.abc import Mapping
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from caplens.api.inputs import corpus_of
from caplens.compat.pycocoevalcap._captions import TokenisedCaptions, rows
from caplens.core.evaluator import Evaluator
from caplens.core.statistics import Share
from caplens.errors import MissingDataError
from caplens.metrics.spice.metric import Spice as _Spice
from caplens.metrics.spice.preparing import ReferenceGraphs
from caplens.scenegraph.graph.score import KINDS, WORD_LISTS, count_rows, precision_recall_f
from caplens.scenegraph.parser.registry import OWN

CategoryScores: TypeAlias = dict[str, dict[str, float]]
"""By category: precision ``pr``, recall ``re``, ``f``, and the numbers of tuples ``fn``, ``fp``, ``tp``."""

CATEGORIES = ("All", "Relation", "Cardinality", "Attribute", "Size", "Color", "Object")
"""In the order of the original."""
_NAMES = ("pr", "re", "f", "fn", "numImages", "fp", "tp")
_PLACES = tuple((*KINDS, *WORD_LISTS).index(name) for name in CATEGORIES)


class Spice:
    """SPICE of captions that are tokenised already.

    The rules are the original's, the parser is not: scores are close to the original's, not equal, and the first call
    of a process says so on stderr. Captions of COCO val2014 and nocaps have the original's scene graphs. Nothing is
    downloaded, and nothing is left behind in a folder of parses.

    Parameters
    ----------
    parser : str
        ``caplens``, or another one (see `caplens.register_parser`); the original has no such argument.

    Raises
    ------
    MissingDataError
        If the parser is damaged.

    Examples
    --------
    >>> score, scores = Spice().compute_score({7: ["a brown dog runs", "a dog"]}, {7: ["a brown dog"]})
    >>> round(float(score), 3), scores[0]["Color"]["tp"], sorted(scores[0]["Object"])
    (0.8, 1.0, ['f', 'fn', 'fp', 'numImages', 'pr', 're', 'tp'])
    """

    def __init__(self, parser: str = OWN) -> None:
        self._metric = _Spice(parser=parser, tokenizer="none")
        missing = self._metric.missing_data()
        if missing is not None:
            raise MissingDataError(f"spice cannot run here: {missing}")

    def compute_score(self, gts: TokenisedCaptions, res: TokenisedCaptions) -> tuple[np.float64, list[CategoryScores]]:
        """Return the mean F-score and the scores of the images, sorted by image.

        Parameters
        ----------
        gts, res : dict
            References and candidates by image: a list of tokenised captions each, of one caption in ``res``.

        Returns
        -------
        mean : numpy.float64
            NaN if an image has none, as in the original: if its references have no tuple.
        scores : list of dict
            For each image, by category: ``pr``, ``re``, ``f`` (NaN where the references have no tuple of the category),
            ``fn``, ``fp``, ``tp`` and ``numImages``, which is 1.

        Raises
        ------
        ValueError
            If there is no image.
        """
        if not gts:
            raise ValueError("SPICE needs at least one image")
        images = {image: gts[image] for image in sorted(gts)}
        counts = self._tuple_counts(images, res)
        counts = counts[:, _PLACES]
        table = _table(counts)
        mean = np.float64(np.mean(table[:, 0, _NAMES.index("f")]))
        return mean, [
            {name: dict(zip(_NAMES, values, strict=True)) for name, values in zip(CATEGORIES, image, strict=True)}
            for image in table.tolist()
        ]

    def _tuple_counts(self, gts: TokenisedCaptions, res: TokenisedCaptions) -> npt.NDArray[np.int32]:
        corpus = corpus_of(*rows(gts, res))
        prepared = Evaluator(self._metric, corpus.references).prepared(corpus)
        counts = self._metric.tuple_counts(prepared)
        _warn_once(self._metric.coverage(prepared))
        return counts

    def float_convert(self, obj: Any) -> float:  # noqa: ANN401 (a number, or None)
        """Return a number as it is and anything else as NaN."""
        try:
            return float(obj)
        except (TypeError, ValueError):
            return math.nan

    def method(self) -> str:
        """Return the name of the metric."""
        return "SPICE"


class AllSpice(Spice):
    """SPICE of several candidates for each image, which become one scene graph as its references do.

    A fork of the original calls it AllSPICE: of all captions that a model samples for an image, whether they say
    together what the references say together (Wang & Chan 2019; Luo & Shakhnarovich 2020).

    Examples
    --------
    >>> score, scores = AllSpice().compute_score({7: ["a brown dog", "a man"]}, {7: ["a dog", "a man"]})
    >>> round(float(score), 3), scores[0]["Object"]["tp"]
    (0.8, 2.0)
    """

    def _tuple_counts(self, gts: TokenisedCaptions, res: TokenisedCaptions) -> npt.NDArray[np.int32]:
        _, references = rows(gts, {image: captions[:1] for image, captions in res.items()})  # checks both
        sets = [*references, *(res[image] for image in gts)]
        corpus = corpus_of([""] * len(sets), sets)
        prepared = Evaluator(self._metric, corpus.references).prepared(corpus)
        graphs = prepared.references.get(ReferenceGraphs(self._metric.proposed, self._metric.synonyms))
        found = graphs.get(prepared.reference_set.tolist())
        _warn_once({})
        images = len(references)
        return count_rows(found[images:], found[:images], range(images), self._metric.lists)


_said: list[bool] = []


def _warn_once(known: Mapping[str, Share]) -> None:
    """Say on stderr, once a process, that this SPICE is not the original's; its printed lines stay what they were."""
    if _said:
        return
    _said.append(True)
    shares = "; ".join(f"{share.value:.0%} of the {name.removeprefix('known_')}" for name, share in known.items())
    of_packs = f" (the original's scene graphs are known for {shares})" if shares else ""
    sys.stderr.write(
        f"caplens: SPICE uses the rules of SPICE 1.0 with caplens' own parser{of_packs}; see docs/spice.md.\n"
    )


def _table(counts: npt.NDArray[np.int32]) -> npt.NDArray[np.float64]:
    """Return the numbers of every image and category, in the order of `_NAMES`."""
    matched, candidate, reference = (counts[..., place] for place in range(3))
    columns = (*precision_recall_f(counts), reference - matched, np.ones_like(matched), candidate - matched, matched)
    return np.stack(columns, axis=-1)
