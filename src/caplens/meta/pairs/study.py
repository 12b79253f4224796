"""On how many pairs a metric prefers the caption that people prefer."""

from __future__ import annotations

from abc import abstractmethod
from dataclasses import dataclass, replace
from pathlib import Path
from typing import ClassVar

import numpy as np

from caplens.arrays import Floats
from caplens.core.options import option
from caplens.core.selection import MetricRequest
from caplens.errors import InputError
from caplens.meta.outcome import by_code, no_score_notices
from caplens.meta.pairs.judged import JudgedPairs, Ties, agreement, draw_references
from caplens.meta.pairs.outcome import Accuracy, Curve, PairOutcome, ReferencesUsed
from caplens.meta.scoring import OwnScores, ScoreColumns, ScoreFacts, ScoringOptions, score_rows
from caplens.meta.study import JudgedSet, Preset, Resampling
from caplens.output.document import number
from caplens.stats.resampling import Units, bootstrap_sums, percentile_interval
from caplens.stats.sums import column_sums


@dataclass(frozen=True)
class PairStudy(JudgedSet):
    """Pairs of captions of which people prefer one; a data set is a subclass with `load` and `presets`.

    Attributes
    ----------
    votes : str
        Which votes say what people prefer, where the data has several.
    categories : tuple of str
        The categories that are used; empty for all.
    """

    conventions: ClassVar[tuple[str, ...]] = ("ties", "votes", "reference_count", "categories")

    preset: Preset = option(Preset(), "evaluation protocol to follow (docs/presets.md)")
    ties: Ties = option("half", "how to count equal scores")
    reference_count: int | None = option(5, "number of references to sample per image")
    draws: int = option(
        5, "number of random samples of references to average over; 0: use the first references", least=0
    )
    curve: tuple[int, ...] = option((), "report accuracy by number of references, such as 1,5,20,48", metavar="NUMBERS")
    votes: str = "votes"
    categories: tuple[str, ...] = ()

    @abstractmethod
    def load(self, data: Path, captions: Path) -> JudgedPairs:
        """Read the pairs from ``data``, and references from ``captions`` where the pairs carry none."""

    def judged(self, data: Path) -> JudgedPairs:
        """Return the pairs that the study uses."""
        return self.apply(self.load(data, self.captions_in(data)))

    def apply(self, pairs: JudgedPairs) -> JudgedPairs:
        """Keep the votes that the conventions ask for, and the pairs that they decide."""
        if self.votes not in pairs.votes:
            has = ", ".join(pairs.votes)
            raise InputError(
                f"The preset {self.preset.name!r} needs the votes {self.votes!r}; the data has only {has}."
            )
        pairs = replace(pairs, votes={self.votes: pairs.votes[self.votes]})
        if self.categories and pairs.categories is not None:
            others = np.array([category not in self.categories for category in pairs.categories])
            pairs = pairs.leave_out(others, "other-kind", f"kinds other than {', '.join(self.categories)}")
        votes = pairs.votes[self.votes]
        pairs = pairs.leave_out(votes[:, 0] == votes[:, 1], "tied-votes", "the votes for both captions are equal")
        if not len(pairs):
            raise InputError("No pair is left: the votes are tied for all of them.")
        return pairs

    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> PairOutcome:
        """Count agreement with people on pairs."""
        options = self.scoring(metrics, scores)
        pairs = self.judged(data)
        correct, scored = self._mean_agreement(pairs, options)
        holes = {key: int(np.isnan(shares).sum()) for key, shares in correct.items()}
        return PairOutcome(
            study=self.name,
            preset=self,
            n=len(pairs),
            images=len(set(pairs.images)),
            left_out=by_code(pairs.left_out),
            references=ReferencesUsed(
                self.reference_count,
                self.draws if self._are_drawn(pairs, options) else 0,
                options.selection is not None,
                self.seed,
            ),
            resampling=self.resampling.of(Units.of(pairs.images), "images"),
            categories=pairs.counts(),
            images_of=pairs.images_of,
            metrics={
                key: accuracy(pairs, shares, self.resampling, scored.describe(key)) for key, shares in correct.items()
            },
            curve=self._curve(pairs, options) if self.curve else None,
            warnings=(*scored.notices, *no_score_notices(holes, "pair")),
            items=pairs.items(),
        )

    def _mean_agreement(self, pairs: JudgedPairs, options: ScoringOptions) -> tuple[dict[str, Floats], ScoreColumns]:
        """Return for each score the mean over draws of the agreement on each pair, and the scores of the last draw."""
        votes = pairs.votes[self.votes]
        prefers_first = votes[:, 0] > votes[:, 1]
        drawn = self.draws if self._are_drawn(pairs, options) else 0
        numbered: list[int | None] = list(range(drawn)) if drawn else [None]
        total: dict[str, Floats] = {}
        for draw in numbered:
            scores = _score(draw_references(pairs, self.reference_count, self.seed, draw), options)
            for key, column in scores.ranked().items():
                found = agreement(column[0::2], column[1::2], prefers_first, self.ties)
                total[key] = total.get(key, 0.0) + found
        return {key: shares / len(numbered) for key, shares in total.items()}, scores

    def _are_drawn(self, pairs: JudgedPairs, options: ScoringOptions) -> bool:
        """Tell whether there are metrics to score with, and more references than are used."""
        most = max(map(len, pairs.references))
        return options.selection is not None and self.reference_count is not None and self.reference_count < most

    def _curve(self, pairs: JudgedPairs, options: ScoringOptions) -> Curve:
        """Return the accuracy by number of references: by score, then by category."""
        curve: dict[str, dict[str, list[float | None]]] = {}
        quick = replace(self.resampling, resamples=1)
        for count in self.curve:
            correct, scored = replace(self, reference_count=count)._mean_agreement(pairs, options)
            for key, shares in correct.items():
                found = accuracy(pairs, shares, quick, scored.describe(key)).accuracy
                for category, share in found.items():
                    curve.setdefault(key, {}).setdefault(category, []).append(share)
        return Curve(list(self.curve), curve)


def _score(pairs: JudgedPairs, options: ScoringOptions) -> ScoreColumns:
    ids = [f"{key} {letter}" for key in pairs.ids for letter in "ab"]
    captions = [caption for both in zip(pairs.first, pairs.second, strict=True) for caption in both]
    references = [theirs for theirs in pairs.references for _ in "ab"]
    return score_rows(options, ids, captions, references, [image for image in pairs.images for _ in "ab"])


def accuracy(pairs: JudgedPairs, shares: Floats, resampling: Resampling, score: ScoreFacts) -> Accuracy:
    """Return the share of agreement by category, and the unweighted mean of the categories, with intervals."""
    labels = np.array(pairs.labels)
    known = np.isfinite(shares)
    categories = list(pairs.counts())
    inside = [(labels == category) & known for category in categories]
    table = np.column_stack([np.where(rows, np.nan_to_num(shares), 0.0) for rows in inside] + inside).astype(float)
    units = Units.of(pairs.images)
    drawn = bootstrap_sums(table, units, resampling.resamples, resampling.seed, resampling.threads)
    sums = np.vstack([column_sums(table), drawn])
    with np.errstate(invalid="ignore"):
        by_category = sums[:, : len(categories)] / sums[:, len(categories) :]
    columns = {category: by_category[:, place] for place, category in enumerate(categories)}
    columns["mean"] = by_category.mean(axis=1)
    intervals = {category: percentile_interval(values[1:]) for category, values in columns.items()}
    return Accuracy(
        {category: number(float(values[0])) for category, values in columns.items()},
        {category: (number(low), number(high)) for category, (low, high) in intervals.items()},
        score,
    )
