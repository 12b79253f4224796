"""Karpathy's split files: images with their sentences, each image in one split."""

from __future__ import annotations

from collections import Counter
from pathlib import PurePosixPath
from typing import Any

import msgspec

from caplens.corpus import CaptionTable
from caplens.errors import InputError
from caplens.files.opening import Content
from caplens.readers.base import Glance, ReadOptions
from caplens.readers.decoding import decode
from caplens.readers.outline import ELEMENT


class _Sentence(msgspec.Struct, gc=False):
    raw: Any = None


class _Image(msgspec.Struct, gc=False):
    sentences: list[_Sentence]
    split: Any = None
    cocoid: Any = None
    imgid: Any = None
    filename: Any = None


class _File(msgspec.Struct):
    images: list[_Image]


class Karpathy:
    """``dataset_coco.json``, ``dataset_flickr8k.json`` and their like."""

    name = "karpathy"
    example = '{"images": [{"filename": "...", "split": "test", "sentences": [{"raw": "..."}]}]}'

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """See images that carry sentences."""
        look = glance.outline
        return look is not None and look.kind("images", ELEMENT, "sentences") == "list"

    def read(self, content: Content, options: ReadOptions) -> CaptionTable:
        """Read the references of one split, or of all."""
        file = decode(content.read(), _File, content.name, f"a Karpathy split file, {self.example}")
        images = file.images
        if options.split is not None:
            images = [image for image in file.images if image.split == options.split]
            if not images:
                raise _unknown_split(options.split, file.images, content.name)
        ids = {
            kind: [identifier for identifier, image in zip(values, images, strict=True) for _ in image.sentences]
            for kind, values in _kinds_of_ids(images).items()
        }
        if not ids:
            raise InputError(f"{content.name} has images with neither cocoid nor imgid nor filename: add one to each.")
        preferred = ids.pop(next(iter(ids)))
        captions = [sentence.raw for image in images for sentence in image.sentences]
        return CaptionTable(preferred, captions, content.name, other_ids=ids)


def _kinds_of_ids(images: list[_Image]) -> dict[str, list[Any]]:
    """Return the kinds of ids that every image has, the preferred one first."""
    kinds = {kind: [getattr(image, kind) for image in images] for kind in ("cocoid", "imgid", "filename")}
    kinds = {kind: values for kind, values in kinds.items() if None not in values}
    if "filename" in kinds:
        kinds["filename without extension"] = [PurePosixPath(str(name)).stem for name in kinds["filename"]]
    return kinds


def _unknown_split(split: str, images: list[_Image], source: str) -> InputError:
    counts = Counter(str(image.split) for image in images)
    there = ", ".join(f"{name} ({count:,} images)" for name, count in counts.most_common())
    return InputError(f"{source} has no split {split!r}: it has {there or 'no images'}.")
