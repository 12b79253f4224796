"""The two files of the COCO tools: results of a system, and annotations by people."""

from __future__ import annotations

from typing import Any

import msgspec

from caplens.corpus import CaptionTable, Numbers
from caplens.errors import InputError
from caplens.files.opening import Content
from caplens.readers import _coco
from caplens.readers.base import GRAPH_ROLES, Glance, ReadOptions
from caplens.readers.decoding import decode, repeated_keys
from caplens.readers.outline import ELEMENT
from caplens.text.captions import Texts


class _Row(msgspec.Struct, gc=False):
    image_id: Any = None
    caption: Any = None


class _Annotations(msgspec.Struct):
    annotations: list[_Row]


class CocoResults:
    """A list of objects with ``image_id`` and ``caption`` and nothing else that matters."""

    name = "coco-results"
    example = '[{"image_id": 391895, "caption": "..."}]'

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """See the two keys and none that tells of candidates with references, or of columns for metrics."""
        look = glance.outline
        if look is None or look.kind() != "list":
            return False
        if look.kind(ELEMENT) is None:
            return look.is_complete
        keys = set(look.keys(ELEMENT))
        others = {name for role in ("candidate", "references", "image", *GRAPH_ROLES) for name in options.names(role)}
        if options.further_columns is not None and not keys <= {"image_id", "caption", "id"}:
            return False
        return {"image_id", "caption"} <= keys and keys.isdisjoint(others) and not options.columns

    def read(self, content: Content, options: ReadOptions) -> CaptionTable:
        """Read candidates."""
        data = content.read()
        plain = _plain(data, content.name)
        if plain is not None:
            return plain
        return _table(
            decode(data, list[_Row], content.name, f"a COCO results file, {self.example}"), data, content.name
        )


class CocoAnnotations:
    """An object with a list ``annotations``; ``images`` and what else there is are skipped."""

    name = "coco-annotations"
    example = '{"images": [...], "annotations": [{"image_id": 391895, "caption": "..."}]}'

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """See a list of objects under ``annotations`` or ``images`` (the annotations may come megabytes later)."""
        look = glance.outline
        if look is None or look.kind() != "object" or look.is_followed:
            return False
        if look.kind("annotations") == "list" and look.kind("images") == "list":
            return True
        return "object" in (look.kind("annotations", ELEMENT), look.kind("images", ELEMENT))

    def read(self, content: Content, options: ReadOptions) -> CaptionTable:
        """Read references."""
        data = content.read()
        plain = _plain(data, content.name, annotations=True)
        if plain is not None:
            return plain
        file = decode(data, _Annotations, content.name, f"a COCO annotation file, {self.example}")
        return _table(file.annotations, data, content.name)


def _plain(data: bytes, source: str, *, annotations: bool = False) -> CaptionTable | None:
    """Read a file of the ordinary kind, whose ids are whole numbers, without an object for each row; else None."""
    found = _coco.scan(data, annotations)
    if found is None:
        return None
    ids, buffer, offsets = found
    return CaptionTable(Numbers(ids), Texts(buffer, offsets), source)


def _table(rows: list[_Row], data: bytes, source: str) -> CaptionTable:
    ids = [row.image_id for row in rows]
    if None in ids:
        raise InputError(f"Row {ids.index(None) + 1:,} of {source} has no image_id: every caption needs one.")
    captions = [row.caption for row in rows]
    given = {"image_id": len(ids), "caption": len(captions) - captions.count(None)}
    return CaptionTable(ids, captions, source, notices=repeated_keys(data, given, source))
