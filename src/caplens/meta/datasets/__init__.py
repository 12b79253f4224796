"""Sets of human judgments: one small file a set.

A new set of judged captions (or pairs of captions) is a new module with a class like those here, and its name in one of
the lists below.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Protocol

from caplens.meta.captions.judged import JudgedCaptions, Preset
from caplens.meta.datasets.abstract50s import Abstract50s
from caplens.meta.datasets.coco2015 import Coco2015
from caplens.meta.datasets.composite import Composite
from caplens.meta.datasets.distraction import Distraction
from caplens.meta.datasets.flickr8k import Flickr8kCrowd, Flickr8kExpert
from caplens.meta.datasets.foil import Foil
from caplens.meta.datasets.pascal50s import Pascal50s
from caplens.meta.datasets.table import OwnTable
from caplens.meta.datasets.thumb import Thumb
from caplens.meta.pairs.judged import JudgedPairs, PairPreset
from caplens.meta.systems.judged import JudgedSystems, SystemPreset

__all__ = ["CAPTION_SETS", "PAIR_SETS", "SYSTEM_SETS", "CaptionSet", "PairSet", "SystemSet"]


class CaptionSet(Protocol):
    """A set of captions that people judged."""

    @property
    def name(self) -> str:
        """The name of the study."""

    @property
    def presets(self) -> Sequence[Preset]:
        """The conventions by which it is used, the default first."""

    def load(self, data: Path, captions: Path) -> JudgedCaptions:
        """Read the judgments from ``data``, and references from ``captions`` where the judgments carry none."""


class PairSet(Protocol):
    """A set of pairs of captions of which people prefer one."""

    @property
    def name(self) -> str:
        """The name of the study."""

    @property
    def presets(self) -> Sequence[PairPreset]:
        """The conventions by which it is used, the default first."""

    def load(self, data: Path, captions: Path) -> JudgedPairs:
        """Read the pairs from ``data``, and references from ``captions`` where the pairs carry none."""


class SystemSet(Protocol):
    """A set of captioning systems that people judged."""

    @property
    def name(self) -> str:
        """The name of the study."""

    @property
    def presets(self) -> Sequence[SystemPreset]:
        """The conventions by which it is used, the default first."""

    def load(self, data: Path) -> JudgedSystems:
        """Read the judgments from ``data``."""


_CAPTION_SETS: tuple[CaptionSet, ...] = (Flickr8kExpert(), Flickr8kCrowd(), Composite(), Thumb(), OwnTable())
_PAIR_SETS: tuple[PairSet, ...] = (Pascal50s(), Abstract50s(), Foil(), Distraction())
_SYSTEM_SETS: tuple[SystemSet, ...] = (Coco2015(),)

CAPTION_SETS: dict[str, CaptionSet] = {known.name: known for known in _CAPTION_SETS}
"""The sets of judged captions by the name of their study."""

PAIR_SETS: dict[str, PairSet] = {known.name: known for known in _PAIR_SETS}
"""The sets of judged pairs by the name of their study."""

SYSTEM_SETS: dict[str, SystemSet] = {known.name: known for known in _SYSTEM_SETS}
"""The sets of judged systems by the name of their study."""
