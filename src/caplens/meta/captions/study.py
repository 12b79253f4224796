"""How well scores of captions correlate with people's ratings."""

from __future__ import annotations

import math
from abc import abstractmethod
from dataclasses import dataclass, replace
from itertools import combinations
from pathlib import Path
from typing import ClassVar, Literal

import numpy as np

from caplens.core.options import option
from caplens.core.selection import MetricRequest
from caplens.errors import InputError, UsageError
from caplens.files.telling import setting
from caplens.meta.between.compared import Compared, RatedSet
from caplens.meta.captions.judged import JudgedCaptions, without_candidates
from caplens.meta.captions.outcome import CaptionOutcome, Correlated, InterHuman
from caplens.meta.captions.rows import JudgedRows
from caplens.meta.correlations import CoefficientName, correlate_columns, mean_estimates
from caplens.meta.outcome import no_score_notices
from caplens.meta.scoring import OwnScores
from caplens.meta.study import Preset
from caplens.stats.correlation import correlate


@dataclass(frozen=True)
class CaptionStudy(RatedSet):
    """Captions that people rated; a data set is a subclass with `load` and `presets`.

    Attributes
    ----------
    aspects : tuple of str
        The ratings to use; of several, the mean of the correlations is reported. Empty: the only one there is.
    factor : int
        The paper prints coefficients times this.
    without : tuple of str
        Systems whose captions are left out.
    """

    conventions: ClassVar[tuple[str, ...]] = ("coefficient", "rows", "own", "aspects", "factor", "without")

    preset: Preset = option(Preset(), "evaluation protocol to follow (docs/presets.md)")
    coefficient: CoefficientName = option("kendall_b", "coefficient to show first; all four are computed")
    rows: Literal["captions", "judgments"] = option(
        "captions", "whether a row is a caption (mean rating) or a single judgment"
    )
    own: Literal["kept", "excluded", "reference-removed"] = option(
        "kept", "how to handle candidates that are among their own references"
    )
    aspects: tuple[str, ...] = ()
    factor: int = 1
    without: tuple[str, ...] = ()

    @abstractmethod
    def load(self, data: Path, captions: Path) -> JudgedCaptions:
        """Read the judgments from ``data``, and references from ``captions`` where the judgments carry none."""

    def judged(self, data: Path) -> JudgedRows:
        """Return the captions, references and ratings that the study uses, as rows."""
        judged = self.load(data, self.captions_in(data))
        return JudgedRows(self.apply(judged), self)

    def apply(self, judged: JudgedCaptions) -> JudgedCaptions:
        """Keep the captions, references and ratings that the conventions ask for."""
        aspects = self.aspects or tuple(judged.ratings)[:1]
        unknown = [aspect for aspect in aspects if aspect not in judged.ratings]
        if unknown:
            has = ", ".join(judged.ratings)
            raise InputError(f"The preset {self.preset.name!r} needs ratings of {unknown[0]}; the data has only {has}.")
        judged = replace(judged, ratings={aspect: judged.ratings[aspect] for aspect in aspects})
        if self.without and judged.systems is not None:
            theirs = np.array([system in self.without for system in judged.systems])
            judged = judged.leave_out(theirs, "system", f"captions by {' and '.join(self.without)}")
        rated = np.logical_and.reduce([np.isfinite(values).any(axis=1) for values in judged.ratings.values()])
        judged = judged.leave_out(~rated, "no-rating", "captions without a rating")
        if self.own == "excluded":
            judged = judged.leave_out(judged.own, "own-reference", "the candidate is among the image's own references")
        elif self.own == "reference-removed":
            judged = replace(judged, references=without_candidates(judged.candidates, judged.references))
        lonely = np.array([not references for references in judged.references], dtype=bool)
        judged = judged.leave_out(lonely, "no-reference", "captions without a reference (other than themselves)")
        if not len(judged):
            raise InputError(
                "No judged caption is left: check the preset, and that the references match the judgments."
            )
        return judged

    def run(self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None) -> CaptionOutcome:
        """Correlate the scores of all metrics with people."""
        options = self.scoring(metrics, scores)
        rows = self.judged(data)
        scored = rows.score(options)
        pairs = {
            (key, aspect): (column[rows.place], human)
            for key, column in scored.columns.items()
            for aspect, human in rows.human.items()
        }
        found = correlate_columns(pairs, rows.owners, self.resamples, self.seed, self.resampling.threads)
        entries = {
            key: Correlated(
                mean_estimates([found[key, aspect] for aspect in rows.human]),
                int(np.isfinite(column[rows.place]).sum()),
                scored.describe(key),
            )
            for key, column in scored.columns.items()
        }
        holes = {key: len(rows.place) - entry.n for key, entry in entries.items()}
        return CaptionOutcome(
            study=self.name,
            rows=rows.facts(),
            aspects=list(rows.human),
            inter_human=self._inter_human(rows),
            resampling=self.resampling.of(rows.owners, "images"),
            metrics=entries,
            warnings=(*scored.notices, *no_score_notices(holes, "row", " from its figures")),
            items=rows.items(),
        )

    def _inter_human(self, rows: JudgedRows) -> InterHuman | None:
        """Return the mean correlation of pairs of raters over the kept captions; None where there is a single one."""
        ratings = next(iter(rows.judged.ratings.values()))
        raters = ratings.shape[1]
        pairs = {pair: (ratings[:, pair[0]], ratings[:, pair[1]]) for pair in combinations(range(raters), 2)}
        # Raters who judged no caption together, or who gave one rating throughout, agree neither well nor badly.
        pairs = {pair: both for pair, both in pairs.items() if math.isfinite(correlate(*both)["pearson"].value)}
        if not pairs:
            return None
        found = correlate_columns(pairs, rows.images, self.resamples, self.seed, self.resampling.threads)
        return InterHuman(mean_estimates(list(found.values())), raters, len(pairs), len(ratings))

    def compared(
        self, data: Path, metrics: MetricRequest = None, scores: OwnScores = None, measure: str | None = None
    ) -> Compared:
        """Score the captions for a study between metrics; of several aspects, people's score is the mean."""
        if measure is not None:
            raise UsageError(f"Only judged systems have measures: see {setting('on', 'coco2015')}.")
        options = self.scoring(metrics, scores)
        rows = self.judged(data)
        scored = rows.score(options)
        columns = {key: column[rows.place] for key, column in scored.columns.items()}
        facts = rows.facts()
        return Compared(
            self.name,
            replace(scored, columns=columns),
            rows.mean_human,
            rows.owners,
            "images",
            self.coefficient,
            facts,
            facts.notes,
            rows.items(),
        )
