"""Judged captions as the rows of a study."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from caplens.arrays import Floats, Integers
from caplens.errors import counted
from caplens.meta.captions.judged import JudgedCaptions
from caplens.meta.outcome import IF_ANY, LeftOut, by_code
from caplens.meta.scoring import ScoreColumns, ScoringOptions, score_rows
from caplens.readers.records import Record
from caplens.stats.resampling import Units

if TYPE_CHECKING:
    from caplens.meta.captions.study import CaptionStudy


@dataclass(frozen=True)
class CaptionFacts:
    """What results say about the rows of judged captions."""

    preset: CaptionStudy
    n: int
    captions: int
    images: int
    left_out: dict[str, LeftOut]
    compared: int | None = field(default=None, metadata=IF_ANY)

    @property
    def notes(self) -> tuple[str, ...]:
        """What a reader must know of the rows: preset, numbers, what was left out."""
        study, preset = self.preset, self.preset.preset
        kind = "a row is a caption with its mean rating" if study.rows == "captions" else "a row is a single judgment"
        about = dict.fromkeys([preset.source, kind, preset.note])  # the source of some presets is the kind of row
        return (
            f"preset {preset.name}: {'; '.join(filter(None, about))}.",
            f"n = {self.n:,} rows: {counted(self.captions, 'caption')} of {counted(self.images, 'image')}; "
            f"candidates among their own references: {study.own}.",
            *map(str, self.left_out.values()),
        )


@dataclass(frozen=True, eq=False)
class JudgedRows:
    """Judged captions as the rows of a study: a caption with its mean rating, or one row a judgment."""

    judged: JudgedCaptions
    study: CaptionStudy

    @cached_property
    def given(self) -> npt.NDArray[np.bool_]:
        """Which ratings exist, by caption and rater: those of the first aspect."""
        return np.isfinite(next(iter(self.judged.ratings.values())))

    @cached_property
    def place(self) -> Integers:
        """The caption of each row."""
        captions = np.arange(len(self.judged))
        if self.study.rows == "captions":
            return captions
        return np.repeat(captions, self.given.sum(axis=1))

    @cached_property
    def human(self) -> dict[str, Floats]:
        """The human score of each row, by aspect."""
        if self.study.rows == "captions":
            return {aspect: np.nanmean(ratings, axis=1) for aspect, ratings in self.judged.ratings.items()}
        return {aspect: ratings[self.given] for aspect, ratings in self.judged.ratings.items()}

    @property
    def mean_human(self) -> Floats:
        """The human score of each row, the mean of the aspects."""
        return np.mean(np.column_stack(list(self.human.values())), axis=1)  # type: ignore[no-any-return]

    @cached_property
    def images(self) -> Units:
        """The images of the captions."""
        return Units.of(self.judged.images)

    @property
    def owners(self) -> Units:
        """The images of the rows."""
        return self.images.take(self.place)

    def score(self, options: ScoringOptions) -> ScoreColumns:
        """Score every caption once; the columns have one number per caption."""
        judged = self.judged
        repeats = np.bincount(self.place, minlength=len(judged))
        return score_rows(options, judged.ids, judged.candidates, judged.references, judged.images, repeats)

    def facts(self) -> CaptionFacts:
        """Return what results say about the rows."""
        left_out = by_code(self.judged.left_out)
        return CaptionFacts(self.study, len(self.place), len(self.judged), len(self.images), left_out)

    def items(self) -> list[Record]:
        """Return the captions as rows of a file, for a metric of the user's own."""
        judged = self.judged
        human = {aspect: np.nanmean(ratings, axis=1) for aspect, ratings in judged.ratings.items()}
        return [
            {
                "id": judged.ids[row],
                "image": judged.images[row],
                "candidate": judged.candidates[row],
                "references": list(judged.references[row]),
                **{"human" if len(human) == 1 else aspect: float(values[row]) for aspect, values in human.items()},
            }
            for row in range(len(judged))
        ]
