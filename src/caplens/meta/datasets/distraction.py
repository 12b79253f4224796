"""Forced choices between a caption and a distractor, from a table or made from captions."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from caplens.errors import InputError
from caplens.meta.image_captions import ChosenCaptions, unseen_captions
from caplens.meta.pairs.judged import JudgedPairs
from caplens.meta.pairs.study import PairStudy
from caplens.meta.probes.distractors import PAPERS, make_distractors
from caplens.meta.published import kilickaya2017, sharif2020
from caplens.meta.study import Preset
from caplens.readers.records import read_records, require_columns, texts
from caplens.stats import SEED

MOST_OF_A_KIND = 1000
"""How many distractors of each kind are made from captions."""
_NOTE = "the mean is the unweighted mean of the kinds"


@dataclass(frozen=True)
class Distraction(PairStudy):
    """Rows ``image, correct, distractor, kind, references``; the references are the image's other correct captions."""

    name: ClassVar[str] = "distraction"
    data_help: ClassVar[str] = "file of pairs, or a folder of Flickr captions to make them from"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(preset=Preset("all", "all kinds that there are", note=_NOTE), ties="wrong", reference_count=None),
            cls(
                preset=Preset(
                    kilickaya2017.NAME,
                    f"{kilickaya2017.SOURCE}, table 5",
                    published=kilickaya2017.TABLE_5,
                    note=f"{_NOTE}; distractors made here are not those of the paper",
                ),
                ties="wrong",
                reference_count=None,
                categories=PAPERS[kilickaya2017.NAME],
            ),
            cls(
                preset=Preset(
                    sharif2020.NAME,
                    f"{sharif2020.SOURCE}, table IV",
                    published=sharif2020.TABLE_IV,
                    note=f"{_NOTE}; distractors made here are not those of the paper",
                ),
                ties="wrong",
                reference_count=None,
                categories=PAPERS[sharif2020.NAME],
            ),
        )

    def load(self, data: Path, captions: Path) -> JudgedPairs:
        """Read a file of rows (CSV, TSV, JSON, Parquet), or make them from the Flickr captions of a folder.

        Of Flickr30k only the images that ``kept_apart.txt`` lists are used: no model in caplens saw their captions.
        """
        images_of = None
        if data.is_dir():
            chosen = _correct_captions(captions)
            rows = make_distractors(chosen.captions, seed=SEED, most=MOST_OF_A_KIND)
            images_of = chosen.images
        else:
            rows = read_records(data)
            require_columns(rows, ["image", "correct", "distractor", "kind", "references"], data)
        return JudgedPairs(
            ids=[str(row.get("id", place)) for place, row in enumerate(rows, 1)],
            images=[str(row["image"]) for row in rows],
            first=[str(row["correct"]) for row in rows],
            second=[str(row["distractor"]) for row in rows],
            references=[tuple(texts(row["references"])) for row in rows],
            votes={"votes": np.tile([1.0, 0.0], (len(rows), 1))},
            categories=[str(row["kind"]).strip().lower().replace(" ", "-") for row in rows],
            images_of=images_of,
        )


def _correct_captions(folder: Path) -> ChosenCaptions:
    """Return captions of Flickr30k, from which the papers' distractors come, or those of Flickr8k."""
    try:
        return unseen_captions("flickr30k", folder)
    except InputError:
        return unseen_captions("flickr8k", folder)
