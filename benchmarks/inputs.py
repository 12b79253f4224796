"""The captions that are scored: all of COCO val2014, or the first images of it."""

from __future__ import annotations

import gzip
import json
import random
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from caplens.compat.pycocoevalcap import PTBTokenizer

REFERENCES = Path("coco_val2014", "captions_val2014.json.gz")
SYSTEM = Path("coco_val2014", "systems", "showandtell.json.gz")


@dataclass(frozen=True)
class Inputs:
    """Two files in the formats of the COCO tools, and how many images they have."""

    candidates: Path
    references: Path
    images: int


def missing_files(data: Path) -> list[Path]:
    """Return what is not there."""
    return [data / name for name in (REFERENCES, SYSTEM) if not (data / name).is_file()]


TokenPair = tuple[str, list[str]]
"""A candidate and its references, as tokens."""


class Captions:
    """All captions, from which smaller sets are cut."""

    def __init__(self, data: Path) -> None:
        self.data = data
        self._references: dict[str, Any] = json.loads(gzip.decompress((data / REFERENCES).read_bytes()))
        self.candidates: list[dict[str, Any]] = json.loads(gzip.decompress((data / SYSTEM).read_bytes()))
        self.all = Inputs(data / SYSTEM, data / REFERENCES, len(self.candidates))

    @property
    def references(self) -> list[dict[str, Any]]:
        """The reference captions, a row each."""
        rows: list[dict[str, Any]] = self._references["annotations"]
        return rows

    def first(self, images: int, folder: Path) -> Inputs:
        """Write the captions of the first images to files; all images are the files themselves."""
        if images >= len(self.candidates):
            return self.all
        chosen = self.candidates[:images]
        kept = {row["image_id"] for row in chosen}
        annotations = [row for row in self._references["annotations"] if row["image_id"] in kept]
        cut = Inputs(folder / f"candidates_{images}.json.gz", folder / f"references_{images}.json.gz", images)
        for path, content in (
            (cut.candidates, chosen),
            (cut.references, {**self._references, "annotations": annotations}),
        ):
            path.write_bytes(gzip.compress(json.dumps(content).encode(), compresslevel=6))
        return cut

    def long_pairs(self, words: int, count: int) -> list[TokenPair]:
        """Make pairs of a given length: the captions of some images one after the other, by a system and by people."""
        chosen = random.Random(words).choices(self.candidates, k=count * (words // 4 + 1))
        human = {row["image_id"]: row["caption"] for row in self._references["annotations"]}
        sides = _tokens([row["caption"] for row in chosen]), _tokens([human[row["image_id"]] for row in chosen])
        cut = [[" ".join(side[place::count]).split()[:words] for place in range(count)] for side in sides]
        return [(" ".join(ours), [" ".join(theirs)]) for ours, theirs in zip(*cut, strict=True)]

    def many_references(self, count: int) -> TokenPair:
        """Give one candidate the captions of many images for references."""
        texts = [row["caption"] for row in self._references["annotations"][:count]]
        return _tokens([self.candidates[0]["caption"]])[0], _tokens(texts)


def _tokens(texts: list[str]) -> list[str]:
    tokenised: dict[int, list[str]] = PTBTokenizer().tokenize({0: [{"caption": text} for text in texts]})
    return tokenised[0]
