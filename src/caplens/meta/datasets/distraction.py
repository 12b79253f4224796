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
from caplens.meta.study import Preset
from caplens.readers.records import read_records, require_columns, texts
from caplens.stats import SEED

MOST_OF_A_KIND = 1000
"""How many distractors of each kind are made from captions."""
_NOTE = "the mean is the unweighted mean of the kinds"


def _printed(names: tuple[str, ...], **rows: tuple[float, ...]) -> dict[str, dict[str, float]]:
    return {key: dict(zip(names, shares, strict=True)) for key, shares in rows.items()}


# What the papers print.
_PRINTED_000 = _printed(
    ("replace-scene", "replace-person", "share-scene", "share-person", "mean"),
    Bleu_smoothed=(62, 73, 79, 78, 73),
    METEOR=(69, 77, 85, 85, 79),
    ROUGE_L=(63, 78, 79, 78, 75),
    CIDEr=(83, 78, 81, 83, 81),
    SPICE=(54, 67, 70, 67, 65),
    WMD=(76, 80, 87, 88, 83),
)
_PRINTED_003 = _printed(
    ("share-person", "share-scene", "just-person", "just-scene", "mean"),
    Bleu_4=(83.5, 82.4, 54.9, 67.7, 72.1),
    ROUGE_L=(86.8, 86.8, 83.4, 94.1, 87.8),
    METEOR=(92.4, 91.4, 91.9, 98.4, 93.5),
    CIDEr=(94.1, 93.1, 73.3, 81.5, 85.5),
    SPICE=(88.5, 88.8, 78.1, 92.0, 86.9),
    WMD=(94.3, 92.5, 86.3, 96.9, 92.5),
    WEmbSim=(92.5, 91.2, 95.7, 99.6, 94.8),
)


@dataclass(frozen=True)
class Distraction(PairStudy):
    """Rows ``image, correct, distractor, kind, references``; the references are the image's other correct captions."""

    name: ClassVar[str] = "distraction"
    title: ClassVar[str] = "forced choices between a caption and a distractor"
    data_help: ClassVar[str] = "file of pairs, or folder with captions of Flickr from which they are made"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(preset=Preset("all", "all kinds that there are", note=_NOTE), ties="wrong", reference_count=None),
            cls(
                preset=Preset(
                    "000",
                    "Re-evaluating automatic metrics for image captioning (Kilickaya et al., EACL 2017), table 5",
                    printed=_PRINTED_000,
                    note=f"{_NOTE}; distractors made here are not those of the paper",
                ),
                ties="wrong",
                reference_count=None,
                categories=PAPERS["000"],
            ),
            cls(
                preset=Preset(
                    "003",
                    "WEmbSim (Sharif et al., DICTA 2020), table IV",
                    printed=_PRINTED_003,
                    note=f"{_NOTE}; distractors made here are not those of the paper",
                ),
                ties="wrong",
                reference_count=None,
                categories=PAPERS["003"],
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
