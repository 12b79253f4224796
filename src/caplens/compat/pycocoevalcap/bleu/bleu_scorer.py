"""BLEU of captions that are added one by one."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Self

import numpy as np

from caplens.compat.pycocoevalcap import _ngrams
from caplens.compat.pycocoevalcap._captions import require
from caplens.metrics.bleu.metric import SMALL, TINY
from caplens.metrics.bleu.metric import Bleu as _Bleu

CookedReferences = tuple[Any, dict[tuple[str, ...], int]]
"""Lengths of the references, and the largest count of each n-gram."""


def precook(s: str, n: int = 4, out: bool = False) -> tuple[int, _ngrams.Counts]:
    """Return the number of words and the n-gram counts of a caption."""
    return len(s.split()), _ngrams.precook(s, n)


def cook_refs(refs: Sequence[str], eff: str | None = None, n: int = 4) -> CookedReferences:
    """Return the lengths of references and their largest counts; ``eff`` is ``shortest``, ``average`` or None."""
    lengths = []
    largest: dict[tuple[str, ...], int] = {}
    for reference in refs:
        length, counts = precook(reference, n)
        lengths.append(length)
        for ngram, count in counts.items():
            largest[ngram] = max(largest.get(ngram, 0), count)
    if eff in ("shortest", "average"):
        return _reference_length(lengths, eff, 0), largest
    return lengths, largest


def cook_test(test: str, refs: CookedReferences, eff: str | None = None, n: int = 4) -> dict[str, Any]:
    """Return the counts of a candidate: its words, its n-grams, and how many of them the references have."""
    lengths, largest = refs
    words, counts = precook(test, n)
    correct = [0] * n
    for ngram, count in counts.items():
        correct[len(ngram) - 1] += min(largest.get(ngram, 0), count)
    return {
        "reflen": _reference_length(lengths, eff, words) if eff == "closest" else lengths,
        "testlen": words,
        "guess": [max(0, words - order) for order in range(n)],
        "correct": correct,
    }


def _reference_length(lengths: Sequence[int], option: str | None, words: int) -> float:
    if option == "shortest":
        return min(lengths)
    if option == "average":
        return float(sum(lengths)) / len(lengths)
    require(option == "closest", f"unsupported reflen option {option}")
    return min((abs(length - words), length) for length in lengths)[1]


class BleuScorer:
    """BLEU, the way scripts use it directly.

    Parameters
    ----------
    test : str, optional
        A candidate.
    refs : list of str, optional
        Its references.
    n : int
        How many scores.
    special_reflen : float, optional
        A length of references that replaces the one of each image.

    Examples
    --------
    >>> scorer = BleuScorer(n=2)
    >>> scorer += ("a man rides a horse", ["a man on a horse"])
    >>> scores, of_images = scorer.compute_score(option="closest", verbose=0)
    >>> [round(score, 3) for score in scores]
    [0.8, 0.632]
    """

    def __init__(
        self,
        test: str | None = None,
        refs: Sequence[str] | None = None,
        n: int = 4,
        special_reflen: float | None = None,
    ) -> None:
        self.n = n
        self.crefs: list[CookedReferences] = []
        self.ctest: list[dict[str, Any] | None] = []
        self.special_reflen = special_reflen
        self._testlen: float = 0
        self._reflen: float = 0
        self._ratio: float = 0
        self.cook_append(test, refs)

    def copy(self) -> BleuScorer:
        """Return a scorer with the same captions."""
        new = BleuScorer(n=self.n)
        new.ctest, new.crefs = list(self.ctest), list(self.crefs)
        return new

    def cook_append(self, test: str | None, refs: Sequence[str] | None) -> None:
        """Add an image; without references nothing is added."""
        if refs is None:
            return
        self.crefs.append(cook_refs(refs))
        self.ctest.append(None if test is None else cook_test(test, self.crefs[-1]))

    def __iadd__(self, other: Any) -> Self:  # noqa: ANN401 (a pair, or another scorer)
        if type(other) is tuple:
            self.cook_append(other[0], other[1])
        else:
            require(self.compatible(other), "incompatible BLEUs.")
            self.ctest.extend(other.ctest)
            self.crefs.extend(other.crefs)
        return self

    def compatible(self, other: object) -> bool:
        """Tell whether another scorer counts as this one does."""
        return isinstance(other, BleuScorer) and self.n == other.n

    def size(self) -> int:
        """Return how many images were added."""
        require(len(self.crefs) == len(self.ctest), f"refs/test mismatch! {len(self.crefs)}<>{len(self.ctest)}")
        return len(self.crefs)

    def retest(self, new_test: str | Sequence[str]) -> Self:
        """Replace the candidates."""
        tests = [new_test] if isinstance(new_test, str) else list(new_test)
        require(len(tests) == len(self.crefs), f"{len(tests)} candidates for {len(self.crefs)} images")
        self.ctest = [cook_test(test, references) for test, references in zip(tests, self.crefs, strict=True)]
        return self

    def rescore(self, new_test: str | Sequence[str]) -> tuple[list[float], list[list[float]]]:
        """Replace the candidates and return their scores."""
        return self.retest(new_test).compute_score()

    def ratio(self, option: str | None = None) -> float:
        """Return the length of the candidates relative to the references'."""
        self.compute_score(option)
        return self._ratio

    def reflen(self, option: str | None = None) -> float:
        """Return the length of the references."""
        self.compute_score(option)
        return self._reflen

    def testlen(self, option: str | None = None) -> float:
        """Return the length of the candidates."""
        self.compute_score(option)
        return self._testlen

    def recompute_score(self, option: str | None = None, verbose: int = 0) -> tuple[list[float], list[list[float]]]:
        """Return the scores; they are computed anew in any case."""
        return self.compute_score(option, verbose)

    def compute_score(self, option: str | None = None, verbose: int = 0) -> tuple[list[float], list[list[float]]]:
        """Return corpus scores and, for each of them, the scores of the images.

        Parameters
        ----------
        option : {"closest", "shortest", "average"}, optional
            Which length of references counts; by default the average for a single image, else the closest.
        verbose : int
            1 prints the sums and the length ratio, 2 also the counts of every image.
        """
        option = option or ("average" if len(self.crefs) == 1 else "closest")
        table = np.zeros((len(self.ctest), 2 * self.n + 2))
        for row, counts in enumerate(self.ctest):
            if counts is None:
                raise TypeError("an image has references but no candidate")
            words = counts["testlen"]
            length = self.special_reflen
            if length is None:
                length = _reference_length(counts["reflen"], option, words)
            table[row] = *counts["correct"][: self.n], *counts["guess"][: self.n], words, length
            if verbose > 1:
                print(counts, length)
        sums = table.sum(axis=0)
        self._testlen, self._reflen = sums[-2], sums[-1]
        self._ratio = (self._testlen + TINY) / (self._reflen + SMALL)
        metric = _Bleu(n=self.n, tokenizer="none")
        if verbose > 0:
            _print_sums(self.n, sums)
            print("ratio:", self._ratio)
        scores: list[float] = metric.aggregate(sums, np.asarray(float(len(table)))).tolist()
        of_images: list[list[float]] = metric.aggregate(table, np.ones(len(table))).T.tolist()
        return scores, of_images


def _print_sums(orders: int, sums: Any) -> None:  # noqa: ANN401 (an array of floats)
    correct, guess = ([int(count) for count in sums[first : first + orders]] for first in (0, orders))
    length = int(sums[-1]) if sums[-1] == int(sums[-1]) else float(sums[-1])
    print({"testlen": int(sums[-2]), "reflen": length, "guess": guess, "correct": correct})
