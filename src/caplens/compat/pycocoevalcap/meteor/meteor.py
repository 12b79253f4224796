"""METEOR 1.5 with the calls of the original, without its Java process."""

from __future__ import annotations

import threading
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from caplens.compat.pycocoevalcap._captions import require
from caplens.compat.pycocoevalcap.meteor._protocol import MeteorProcess, printed, read_back, scores_of, statistics_of
from caplens.text.meteor import resources

METEOR_JAR = "meteor-1.5.jar"
"""What the original runs; nothing is run here."""


class Meteor:
    """METEOR of captions that are tokenised already; its own normaliser works on them, as in the original.

    The original sends a caption as a part of a line to its Java process, so a line break in one puts all later answers
    out of step, a failed assertion blocks the object for good, and ``_score`` does not work in Python 3. None of that
    is so here; a line break is white space.

    Attributes
    ----------
    meteor_p : MeteorProcess
        Speaks the lines of the jar, for scripts that write to the process themselves.
    lock : threading.Lock
        For scripts that guard the process with it.

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
        resources.load()
        self.meteor_cmd = ["java", "-jar", "-Xmx2G", METEOR_JAR, "-", "-", "-stdio", "-l", "en", "-norm"]
        self.meteor_p = MeteorProcess()
        self.lock = threading.Lock()

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
        if getattr(self._stat, "__func__", None) is not Meteor._stat:  # a script has its own
            return scores_of(read_back([self._stat(res[image][0], gts[image]) for image in gts]))
        return scores_of(statistics_of([res[image][0] for image in gts], list(gts.values())))

    def method(self) -> str:
        """Return the name of the metric."""
        return "METEOR"

    def _stat(self, hypothesis_str: str, reference_list: Iterable[str]) -> str:
        """Return the statistics of a caption with its best reference, as the original's process prints them."""
        return printed(statistics_of([hypothesis_str], [reference_list])[0])

    def _score(self, hypothesis_str: str, reference_list: Iterable[str]) -> float:
        """Return the score of one caption."""
        return self.compute_score({0: reference_list}, {0: [hypothesis_str]})[0]
