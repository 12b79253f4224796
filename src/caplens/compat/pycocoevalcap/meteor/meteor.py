"""METEOR 1.5 with the calls of the original, without its Java process."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from caplens.api.scoring import score
from caplens.compat.pycocoevalcap._captions import require, stand_in
from caplens.core.metric import Floats, Statistics
from caplens.files.telling import silently
from caplens.metrics.meteor.metric import COLUMNS
from caplens.metrics.meteor.metric import Meteor as _Meteor
from caplens.text.meteor import resources

PRINTED = 23
"""How many of our columns the original prints for a caption; the last one is only in its sums."""
_SEPARATOR = "|||"
# What the original takes off the ends of a caption: control characters below the space, and its normaliser's spaces.
_TRIMMED = "".join(map(chr, (*range(0x21), 0xA0, *range(0x2000, 0x200B), 0x202F, 0x205F, 0x3000)))


class Meteor:
    """METEOR of captions that are tokenised already; its own normaliser works on them, as in the original.

    The original sends a caption as a part of a line to its Java process, so a line break in one puts all later answers
    out of step, a failed assertion blocks the object for good, and ``_score`` does not work in Python 3. None of that
    is so here; a line break is white space.

    Raises
    ------
    MissingDataError
        If METEOR's data files are not installed.

    Examples
    --------
    >>> meteor = Meteor()
    >>> score, scores = meteor.compute_score({7: ["two dogs run", "dogs"]}, {7: ["two dogs running"]})
    >>> round(score, 4), len(scores)
    (0.8286, 1)
    """

    def __init__(self) -> None:
        self._normalizer = resources.load().normalizer

    def compute_score(
        self, gts: Mapping[Any, Iterable[str]], res: Mapping[Any, Sequence[str]]
    ) -> tuple[float, list[float]]:
        """Return the corpus score and the scores of the images, in the order of ``gts``.

        Parameters
        ----------
        gts, res : dict
            References and candidates by image: a list of tokenised captions each, of one caption in ``res``. A
            reference with ``|||`` inside is two references; in a candidate ``|||`` is dropped.

        Raises
        ------
        ValueError
            If there is no image.
        """
        require(gts.keys() == res.keys(), "gts and res must have the same ids")
        for identifier in gts:
            captions = len(res[identifier])
            require(captions == 1, f"{identifier!r} must have exactly one candidate, not {captions}")
        if not gts:
            raise ValueError("METEOR needs at least one image")
        table = self._statistics([res[identifier][0] for identifier in gts], list(gts.values()))
        metric, statistics = _Meteor(), Statistics(COLUMNS, table)
        scores: list[float] = metric.item_scores(statistics)[:, 0].tolist()
        return float(metric.corpus_scores(statistics)[0]), scores

    def method(self) -> str:
        """Return the name of the metric."""
        return "METEOR"

    def _stat(self, hypothesis_str: str, reference_list: Iterable[str]) -> str:
        """Return the statistics of a caption with its best reference, as the original's process prints them."""
        return " ".join(map(str, self._statistics([hypothesis_str], [reference_list])[0, :PRINTED].tolist()))

    def _score(self, hypothesis_str: str, reference_list: Iterable[str]) -> float:
        """Return the score of one caption."""
        return self.compute_score({0: reference_list}, {0: [hypothesis_str]})[0]

    def _statistics(self, hypotheses: Sequence[str], references: Sequence[Iterable[str]]) -> Floats:
        """Return a row of statistics for each hypothesis.

        Metrics with ``tokenizer=none`` cut at all white space of Unicode and drop control characters before they
        normalise; METEOR's normaliser sees the caption as it is. Rows where that could make a difference are given to
        the metric normalised.
        """
        candidates = [text.replace(_SEPARATOR, "").replace("  ", " ").strip(_TRIMMED) for text in hypotheses]
        sets = [[part.strip(_TRIMMED) for part in " ||| ".join(texts).split(_SEPARATOR)] for texts in references]
        plain = [_is_plain(text) and all(map(_is_plain, texts)) for text, texts in zip(candidates, sets, strict=True)]
        table = np.empty((len(candidates), len(COLUMNS)))
        for normalize in (True, False):
            rows = np.flatnonzero(np.array(plain) == normalize)
            if len(rows):
                words = str if normalize else self._normalized
                with silently():  # the original says nothing
                    result = score(
                        [words(candidates[row]) for row in rows],
                        [[words(text) for text in sets[row]] for row in rows],
                        metrics=_Meteor(tokenizer="none", normalize=normalize),
                        progress=False,
                    )
                table[rows] = result.runs[0].statistics.table
        return table

    def _normalized(self, caption: str) -> str:
        return " ".join(map(stand_in, self._normalizer.words(caption)))


def _is_plain(caption: str) -> bool:
    """Whether a caption keeps its words when it is cut at white space first.

    A no-break space, which the PTB tokenizer leaves inside ``1 1/2``, is white space to METEOR too, but ends a sentence
    where it follows a dot. Several spaces in a row are not always the same as one: a comma or quote uses up the space
    behind it.
    """
    spaced = caption.replace("\xa0", " ")
    return "  " not in spaced and spaced.isprintable() and ".\xa0" not in caption
