"""FOIL: COCO captions and copies in which one noun is wrong."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from caplens.errors import InputError, counted, name_some
from caplens.files.telling import setting
from caplens.meta.captions.judged import equal_words
from caplens.meta.files import find_file
from caplens.meta.image_captions import captions_of, image_key
from caplens.meta.pairs.judged import JudgedPairs
from caplens.meta.pairs.study import PairStudy
from caplens.meta.study import Preset
from caplens.readers.records import read_json

_SOURCE = "FOIL it! (Shekhar et al., ACL 2017), the 1,000 pairs of VALSE (Parcalabescu et al., ACL 2022)"
_FIELDS = ("image_file", "caption", "foil", "mturk")


@dataclass(frozen=True)
class Foil(PairStudy):
    """1,000 pairs; the references are the image's other COCO captions."""

    name: ClassVar[str] = "foil"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(
                preset=Preset("all", _SOURCE, note="the original caption is correct in every pair"),
                ties="wrong",
                votes="caption",
                reference_count=None,
            ),
            cls(
                preset=Preset("voted", _SOURCE, note="the majority of three raters decides"),
                ties="wrong",
                votes="votes",
                reference_count=None,
            ),
        )

    def load(self, data: Path, captions: Path) -> JudgedPairs:
        """Read ``foil-it.json``, and the references from the COCO captions in ``captions``."""
        path = find_file(data, ["foil-it.json", "foil.json"], "the pairs of FOIL")
        entries = read_json(path)
        if not isinstance(entries, dict) or not all(isinstance(entry, dict) for entry in entries.values()):
            raise InputError(f"{path} is not a mapping from id to pair.")
        lacking = [key for key, entry in entries.items() if any(name not in entry for name in _FIELDS)]
        if lacking:
            raise InputError(
                f"{counted(len(lacking), 'pair')} of {path} lack one of {', '.join(_FIELDS)} ({name_some(lacking)})."
            )
        known = captions_of("coco", captions)
        images = [image_key(entry["image_file"]) for entry in entries.values()]
        unknown = sorted({image for image in images if image not in known})
        if unknown:
            raise InputError(
                f"{counted(len(unknown), 'image')} of {path.name} have no COCO captions in {captions} "
                f"({name_some(unknown)}): specify the folder that contains them with {setting('captions', 'DIR')}."
            )
        first = [str(entry["caption"]) for entry in entries.values()]
        votes = [[entry["mturk"].get("caption", 0), entry["mturk"].get("foil", 0)] for entry in entries.values()]
        return JudgedPairs(
            ids=[str(key) for key in entries],
            images=images,
            first=first,
            second=[str(entry["foil"]) for entry in entries.values()],
            references=[others(caption, known[image]) for caption, image in zip(first, images, strict=True)],
            votes={"caption": np.tile([1.0, 0.0], (len(first), 1)), "votes": np.array(votes, dtype=np.float64)},
        )


def others(caption: str, references: tuple[str, ...]) -> tuple[str, ...]:
    """Return the references without the one that the caption is: the one with the most words in common.

    A few captions of FOIL were changed a little, so that none has exactly their words.

    Examples
    --------
    >>> others("a basebat bat", ("A boy.", "A baseball bat."))
    ('A boy.',)
    """
    words = equal_words()
    ours = Counter(words(caption))

    def unlike(place: int) -> int:
        theirs = Counter(words(references[place]))
        return ((ours - theirs) + (theirs - ours)).total()

    closest = min(range(len(references)), key=unlike)
    return tuple(reference for place, reference in enumerate(references) if place != closest)
