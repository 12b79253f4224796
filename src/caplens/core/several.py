"""Several candidates per image: scores by image, from means over its candidates or from the best of them."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from caplens.arrays import Floats, Integers
from caplens.core.plan import Run, with_inputs
from caplens.core.result import Result
from caplens.core.statistics import Statistics
from caplens.corpus import caption_columns, normalise_ids, number_labels
from caplens.errors import UsageError
from caplens.files.telling import setting


class SeveralResult(Result):
    """Scores of images that have several candidates each.

    The statistics of an image are the means over its candidates (``mean``), or those of the candidate with the best
    item score (``best``, for each metric separately; of the scores of BLEU, the one of the longest n-grams decides).

    Attributes
    ----------
    each : Result
        The result with one row per candidate.

    Examples
    --------
    >>> import caplens
    >>> captions = {7: ["two dogs", "a cat"], 9: ["a man"]}
    >>> best = caplens.score(captions, {7: ["two dogs"], 9: ["a man"]}, "rouge", several="best")
    >>> best.ids, best["ROUGE_L"].score, best.each["ROUGE_L"].item_scores.tolist()
    ([7, 9], 1.0, [1.0, 0.0, 1.0])
    """

    def __init__(self, each: Result) -> None:
        corpus = each.corpus
        images = corpus.images or []
        numbers = number_labels(normalise_ids(images))
        first = np.unique(numbers, return_index=True)[1]
        chosen = corpus.select(first)
        names = [images[row] for row in first.tolist()]
        ids = normalise_ids(names)
        groups = None if chosen.groups == ids else chosen.groups
        counts = np.bincount(numbers)
        low, high = int(counts.min()), int(counts.max())
        drawn = each.intervals
        super().__init__(
            replace(chosen, ids=ids, groups=groups, given_ids=None if corpus.given_ids is None else names),
            [_by_image(run, numbers, corpus.several) for run in each.runs],
            facts={
                **each.further_facts,
                "several": corpus.several,
                "candidates": str(low) if low == high else f"{low}-{high}",
            },
            warnings=each.warnings,
            resamples=drawn.resamples,
            seed=drawn.seed,
            jobs=drawn.jobs,
        )
        self.each = each
        self._numbers = numbers

    def select(self, rows: Integers) -> SeveralResult:
        """Return the result of some images, with what the metrics learned from all of them."""
        wanted = np.isin(self._numbers, np.asarray(rows))
        return SeveralResult(self.each.select(np.flatnonzero(wanted)))

    def caption_columns(self) -> dict[str, list[Any]]:
        """Return the columns of candidates, a list for each image, and of references, if they are to be shown."""
        found = super().caption_columns()
        if not found:
            return found
        columns = caption_columns(self.each.corpus)
        for name in [name for name in columns if name.startswith("candidate")]:
            lists: list[list[Any]] = [[] for _ in self.ids]
            for number, value in zip(self._numbers.tolist(), columns[name], strict=True):
                lists[number].append(value)
            found[name] = lists
        return found


def by_image(result: Result) -> Result:
    """Return the result by image, if that was asked for."""
    return SeveralResult(result) if result.corpus.several in ("mean", "best") else result


def _by_image(run: Run, numbers: Integers, several: str) -> Run:
    """Return a run with one row per image; ``numbers`` are the images of the rows."""
    comparing = next((metric.name for metric in with_inputs([run.metric]) if metric.compares_candidates), None)
    if comparing is not None:
        raise UsageError(
            f"{comparing} compares the candidates of an image with each other: use {setting('several', 'each')}."
        )
    table = run.statistics.table
    if several == "best":
        found = table[_best_rows(run, numbers)]
    else:
        order = np.argsort(numbers, kind="stable")
        counts = np.bincount(numbers)
        starts = np.concatenate([[0], np.cumsum(counts)[:-1]])
        found = np.add.reduceat(table[order], starts, axis=0) / counts[:, np.newaxis]
    return Run(run.metric, run.state, Statistics(run.statistics.columns, found), run.coverage)


def _best_rows(run: Run, numbers: Integers) -> Integers:
    """Return for each image the row with the best item score; the first of those that are equally good."""
    metric = run.metric
    keys = list(metric.result_keys)
    deciding = list(metric.keys).index(metric.main_key) if metric.main_key is not None else len(keys) - 1
    ranks: list[Floats] = []
    for place, key in enumerate(keys):
        sign = 1.0 if key in metric.falling_keys else -1.0
        scores = run.item_scores[:, place]
        ranks.append(np.where(np.isnan(scores), np.inf, sign * scores))
    ranks.append(ranks.pop(deciding))  # np.lexsort sorts by the last one first
    order = np.lexsort((*ranks, numbers))
    return order[np.unique(numbers[order], return_index=True)[1]]
