"""Flickr8k: expert ratings (1 to 4, three a caption) and crowd votes, in the original text files."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from caplens.errors import InputError, counted, name_some
from caplens.meta.captions.judged import JudgedCaptions
from caplens.meta.captions.study import CaptionStudy
from caplens.meta.files import find_file
from caplens.meta.image_captions import flickr_captions
from caplens.meta.published import anderson2016, cui2018, hessel2021, kilickaya2017
from caplens.meta.study import Preset
from caplens.readers.records import number, read_lines

_TOKENS = "Flickr8k.token.txt"


def _judged(path: Path, captions: Path, aspect: str, last: int) -> JudgedCaptions:
    """Read lines of image, caption id and three numbers, of which the first ``last`` are ratings."""
    by_image = flickr_captions(find_file(captions, [_TOKENS], "the captions of Flickr8k", "--captions"))
    texts = {key: text for theirs in by_image.values() for key, text in theirs.items()}
    lines = read_lines(path, 5)
    unknown = [key for image, key, *_ in lines for key in (image, key) if key not in by_image and key not in texts]
    if unknown:
        raise InputError(
            f"{counted(len(unknown), 'image or caption')} of {path.name} are not in {_TOKENS} ({name_some(unknown)})."
        )
    ratings = np.array([[number(cell) for cell in cells[:last]] for _, _, *cells in lines])
    if not np.isfinite(ratings).all():
        line = int(np.flatnonzero(~np.isfinite(ratings).all(axis=1))[0])
        raise InputError(f"Line {line + 1:,} of {path} has a rating that is not a number.")
    references = {image: tuple(theirs.values()) for image, theirs in by_image.items()}
    return JudgedCaptions(
        ids=[f"{image} {key}" for image, key, *_ in lines],
        images=[image for image, *_ in lines],
        candidates=[texts[key] for _, key, *_ in lines],
        references=[references[image] for image, *_ in lines],
        ratings={aspect: ratings},
        own=np.array([key in by_image[image] for image, key, *_ in lines], dtype=bool),
    )


@dataclass(frozen=True)
class Flickr8kExpert(CaptionStudy):
    """5,822 captions, rated by three experts each."""

    name: ClassVar[str] = "flickr8k-expert"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(
                preset=Preset(hessel2021.NAME, f"{hessel2021.SOURCE}, table 1", published=hessel2021.TABLE_1_EXPERT),
                coefficient="kendall_c",
                rows="judgments",
                own="excluded",
                factor=100,
            ),
            cls(
                preset=Preset(
                    anderson2016.NAME,
                    f"{anderson2016.SOURCE}, table 3",
                    published=anderson2016.TABLE_3_FLICKR8K,
                    note="the paper says Kendall's tau; its figures are those of tau-c, its inter-human figure that of "
                    "tau-b",
                ),
                coefficient="kendall_c",
                rows="judgments",
                own="excluded",
            ),
            cls(
                preset=Preset(
                    kilickaya2017.NAME,
                    f"{kilickaya2017.SOURCE}, table 3",
                    published=kilickaya2017.TABLE_3_FLICKR8K,
                    note="single judgments, as in the study of Elliott and Keller (2014) that the paper follows",
                ),
                coefficient="kendall_b",
                rows="judgments",
            ),
            cls(
                preset=Preset(
                    cui2018.NAME,
                    f"{cui2018.SOURCE}, table 1",
                    published=cui2018.TABLE_1_EXPERT,
                    note="the paper follows the procedure of Anderson et al. (2016)",
                ),
                coefficient="kendall_c",
                rows="judgments",
                own="excluded",
            ),
        )

    def load(self, data: Path, captions: Path) -> JudgedCaptions:
        """Read ``ExpertAnnotations.txt`` and ``Flickr8k.token.txt``."""
        path = find_file(data, ["ExpertAnnotations.txt"], "the expert ratings of Flickr8k")
        return _judged(path, captions, "rating", last=3)


@dataclass(frozen=True)
class Flickr8kCrowd(CaptionStudy):
    """47,830 captions with the share of raters who say that the caption describes the image."""

    name: ClassVar[str] = "flickr8k-crowd"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(preset=Preset(hessel2021.NAME, hessel2021.SOURCE), coefficient="kendall_b", factor=100),
            cls(
                preset=Preset(
                    cui2018.NAME,
                    f"{cui2018.SOURCE}, table 1",
                    published=cui2018.TABLE_1_CROWD,
                    note="its figures are those of all captions; without own captions they are .05 lower",
                ),
                coefficient="kendall_b",
            ),
            cls(
                preset=Preset("left-out", "candidates that are the image's own captions excluded"),
                coefficient="kendall_b",
                own="excluded",
            ),
            cls(
                preset=Preset("removed", "candidates that are the image's own captions removed from their references"),
                coefficient="kendall_b",
                own="reference-removed",
            ),
        )

    def load(self, data: Path, captions: Path) -> JudgedCaptions:
        """Read ``CrowdFlowerAnnotations.txt`` and ``Flickr8k.token.txt``."""
        path = find_file(data, ["CrowdFlowerAnnotations.txt"], "the crowd votes of Flickr8k")
        return _judged(path, captions, "share of yes", last=1)
