"""Composite: captions of people and two systems for images of Flickr8k, Flickr30k and COCO, rated from 1 to 5."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from caplens.errors import InputError, counted, name_some
from caplens.files.telling import setting
from caplens.meta.captions.judged import JudgedCaptions, among_references
from caplens.meta.captions.study import CaptionStudy
from caplens.meta.files import find_file
from caplens.meta.image_captions import captions_of
from caplens.meta.published import anderson2016, kilickaya2017, sharif2018
from caplens.meta.study import Preset
from caplens.readers.records import numbers, read_records, require_columns

_NAMES = ("composite.csv", "composite_correctness.csv", "composite*.csv")
_ASPECTS = ("correctness", "thoroughness")


@dataclass(frozen=True)
class Composite(CaptionStudy):
    """11,985 captions with one rating each for correctness and, where the file has it, thoroughness."""

    name: ClassVar[str] = "composite"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(
                preset=Preset(
                    anderson2016.NAME, f"{anderson2016.SOURCE}, table 3", published=anderson2016.TABLE_3_COMPOSITE
                ),
                coefficient="kendall_c",
                own="reference-removed",
                aspects=("correctness",),
            ),
            cls(
                preset=Preset(
                    sharif2018.NAME,
                    f"{sharif2018.SOURCE}, table 1",
                    published=sharif2018.TABLE_1,
                    note="the paper used 6,993 of the captions and does not say which; all in the file are used here",
                ),
                coefficient="kendall_b",
                own="reference-removed",
                aspects=("correctness",),
            ),
            cls(
                preset=Preset(
                    kilickaya2017.NAME,
                    f"{kilickaya2017.SOURCE}, table 3",
                    published=kilickaya2017.TABLE_3_COMPOSITE,
                    note="the mean of the correlations with correctness and with thoroughness",
                ),
                coefficient="kendall_b",
                own="reference-removed",
                aspects=_ASPECTS,
            ),
        )

    def load(self, data: Path, captions: Path) -> JudgedCaptions:
        """Read the table of judgments, and the references of its images from ``captions``."""
        path = find_file(data, _NAMES, "the judgments of Composite")
        rows = read_records(path)
        require_columns(rows, ["source", "image_id", "caption"], path)
        columns = {aspect: column for aspect in _ASPECTS for column in rows[0] if column.lower().startswith(aspect)}
        if "correctness" not in columns:
            raise InputError(f"{path} has no correctness column; it has {name_some(list(rows[0]))}.")
        images = [(str(row["source"]).lower(), str(row["image_id"])) for row in rows]
        references = _references(images, captions)
        unknown = list(
            dict.fromkeys(f"{source} {image}" for source, image in images if (source, image) not in references)
        )
        if unknown:
            raise InputError(
                f"{counted(len(unknown), 'image')} of {path.name} have no reference captions in {captions} "
                f"({name_some(unknown)}): specify the folder that contains them with {setting('captions', 'DIR')}."
            )
        candidates = [str(row["caption"]) for row in rows]
        theirs = [references[image] for image in images]
        return JudgedCaptions(
            ids=_ids(rows, images),
            images=[f"{source} {image}" for source, image in images],
            candidates=candidates,
            references=theirs,
            ratings={
                aspect: np.array(numbers(rows, column, path))[:, np.newaxis] for aspect, column in columns.items()
            },
            own=among_references(candidates, theirs),
            systems=[str(row.get("position", "")) for row in rows],
        )


def _references(images: list[tuple[str, str]], captions: Path) -> dict[tuple[str, str], tuple[str, ...]]:
    found = {}
    for source in dict.fromkeys(source for source, _ in images):
        known = captions_of(source, captions, further=True)
        for image in dict.fromkeys(image for other, image in images if other == source):
            if image in known:
                found[source, image] = known[image]
    return found


def _ids(rows: list[dict[str, object]], images: list[tuple[str, str]]) -> list[str]:
    """Name captions by source, image and position; a repeated name gets a number."""
    seen: dict[str, int] = {}
    ids = []
    for row, (source, image) in zip(rows, images, strict=True):
        name = f"{source} {image} {row.get('position', '')}".rstrip()
        seen[name] = seen.get(name, 0) + 1
        ids.append(name if seen[name] == 1 else f"{name} ({seen[name]})")
    return ids
