"""THumB 1.0: captions of four systems and of people for 500 COCO images, rated for precision and recall."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from caplens.errors import InputError, counted, name_some
from caplens.meta.captions.judged import JudgedCaptions, among_references
from caplens.meta.captions.study import CaptionStudy
from caplens.meta.files import find_file
from caplens.meta.study import Preset
from caplens.readers.records import numbers, read_records, require_columns, texts

_SOURCE = "THumB (Kasai et al., NAACL 2022)"
_ASPECTS = {"total": "human_score", "precision": "P", "recall": "R"}
_PENALTIES = {"fluency": "Fl"}
"""Columns that a file may lack: 0, or below it where a caption is not fluent."""


@dataclass(frozen=True)
class Thumb(CaptionStudy):
    """2,500 captions with one rating each."""

    name: ClassVar[str] = "thumb"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(
                preset=Preset("thumb", _SOURCE, note="all captions, including those by people"),
                coefficient="pearson",
                aspects=("total",),
            ),
            cls(preset=Preset("machine", _SOURCE), coefficient="pearson", aspects=("total",), without=("Human",)),
            cls(preset=Preset("precision", _SOURCE), coefficient="pearson", aspects=("precision",)),
            cls(preset=Preset("recall", _SOURCE), coefficient="pearson", aspects=("recall",)),
            cls(
                preset=Preset("fluency", _SOURCE, note="the penalty for captions that are not fluent"),
                coefficient="pearson",
                aspects=("fluency",),
            ),
        )

    def load(self, data: Path, captions: Path) -> JudgedCaptions:
        """Read the judgments (JSON lines) and the references beside them."""
        path = find_file(data, ["mscoco_mscoco_THumB-1.0.jsonl", "*THumB-1.0.jsonl"], "the judgments of THumB")
        rows = read_records(path)
        require_columns(rows, ["SYS", "seg_id", "hyp", *_ASPECTS.values()], path)
        shared = find_file(
            path.parent, ["mscoco_mscoco_references.json", "*references.json"], "the references of THumB"
        )
        references = {str(row["seg_id"]): tuple(texts(row["refs"])) for row in read_records(shared)}
        images = [str(row["seg_id"]) for row in rows]
        unknown = sorted(set(images) - references.keys())
        if unknown:
            raise InputError(
                f"{counted(len(unknown), 'image')} of {path.name} have no references ({name_some(unknown)})."
            )
        candidates = [str(row["hyp"]) for row in rows]
        rated = _ASPECTS | {aspect: column for aspect, column in _PENALTIES.items() if column in rows[0]}
        theirs = [references[image] for image in images]
        return JudgedCaptions(
            ids=[f"{image} {row['SYS']}" for image, row in zip(images, rows, strict=True)],
            images=images,
            candidates=candidates,
            references=theirs,
            ratings={aspect: np.array(numbers(rows, column, path))[:, np.newaxis] for aspect, column in rated.items()},
            own=among_references(candidates, theirs),
            systems=[str(row["SYS"]) for row in rows],
        )
