"""ABSTRACT-50S: 400 pairs of captions of abstract scenes, each voted on with 48 references."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import ClassVar, Self

import numpy as np

from caplens.meta.captions.judged import equal_words
from caplens.meta.datasets.triplets import VotedPair, read_triplets
from caplens.meta.files import find_file
from caplens.meta.pairs.judged import JudgedPairs
from caplens.meta.pairs.study import PairStudy
from caplens.meta.published import anderson2016, kilickaya2017, sharif2020
from caplens.meta.study import Preset

_NOTE = (
    "the files have no HC/HI labels: of the two pairs of an image, which share a caption, HI is the one whose other "
    "caption is less like the references (words weighted by rarity)"
)


@dataclass(frozen=True)
class Abstract50s(PairStudy):
    """Two pairs an image, one of a human-correct (HC) and one of a human-incorrect (HI) kind, which is inferred."""

    name: ClassVar[str] = "abstract50s"

    @classmethod
    def presets(cls) -> tuple[Self, ...]:
        """Return the conventions by which it is used, the default first."""
        return (
            cls(
                preset=Preset(
                    kilickaya2017.NAME,
                    f"{kilickaya2017.SOURCE}, table 4",
                    published=kilickaya2017.TABLE_4_ABSTRACT50S,
                    note=_NOTE,
                ),
                ties="wrong",
                reference_count=None,  # section 3.2: 48 of the 50 descriptions are used as references
            ),
            cls(
                preset=Preset(
                    sharif2020.NAME,
                    f"{sharif2020.SOURCE}, table III",
                    published=sharif2020.TABLE_III_ABSTRACT50S,
                    note=_NOTE,
                ),
                ties="wrong",
            ),
            cls(
                preset=Preset(anderson2016.NAME, f"{anderson2016.SOURCE}, as for PASCAL-50S", note=_NOTE), ties="right"
            ),
        )

    def load(self, data: Path, captions: Path) -> JudgedPairs:
        """Read ``triplets.json`` or the original ``consensus_abstract.mat``."""
        path = find_file(
            data,
            ["abstract50s*/triplets.json", "triplets.json", "consensus_abstract.mat"],
            "the triplets of ABSTRACT-50S",
        )
        pairs = read_triplets(path)
        images: dict[tuple[str, ...], str] = {}
        for pair in pairs:
            images.setdefault(pair.references, str(len(images) + 1))
        return JudgedPairs(
            ids=[str(place) for place in range(1, len(pairs) + 1)],
            images=[images[pair.references] for pair in pairs],
            first=[pair.first for pair in pairs],
            second=[pair.second for pair in pairs],
            references=[pair.references for pair in pairs],
            votes={"votes": np.array([pair.votes for pair in pairs], dtype=np.float64)},
            categories=infer_kinds(pairs),
        )


def infer_kinds(pairs: Sequence[VotedPair]) -> list[str] | None:
    """Tell HC from HI pairs; None where the pairs are not two an image that share one caption.

    Of 50 captions of an image, 48 are references. An HC pair are the other two; an HI pair is one of them and a caption
    of another image. So the two pairs of an image share a caption, and of their other captions the one that is less
    like the references is the wrong one. A caption is like them by the share of references that have its words, each
    weighted by the logarithm of its rarity among images. Votes have no part in this.
    """
    of_image: dict[tuple[str, ...], list[int]] = {}
    for place, pair in enumerate(pairs):
        of_image.setdefault(pair.references, []).append(place)
    words = equal_words()
    counts = {theirs: Counter(word for text in theirs for word in set(words(text))) for theirs in of_image}
    images = Counter(word for count in counts.values() for word in count)

    def likeness(caption: str, references: tuple[str, ...]) -> float:
        rarity = {word: math.log(len(of_image) / max(images[word], 1)) for word in set(words(caption))}
        shared = sum(weight * counts[references][word] for word, weight in rarity.items())
        return shared / max(sum(rarity.values()), 1e-12)

    kinds = ["HC"] * len(pairs)
    for references, places in of_image.items():
        captions = [{pairs[place].first, pairs[place].second} for place in places]
        if len(places) != 2 or len(captions[0] & captions[1]) != 1:
            return None
        (shared,) = captions[0] & captions[1]
        others = [next(iter(theirs - {shared}), shared) for theirs in captions]
        kinds[min(zip(places, others, strict=True), key=lambda one: likeness(one[1], references))[0]] = "HI"
    return kinds
