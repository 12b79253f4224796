"""A JSON object from id to caption or captions, and the ``gts``/``res`` shape of the COCO tools."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from caplens.corpus import CaptionTable, is_scene_graph
from caplens.files.opening import Content
from caplens.readers.base import Glance, ReadOptions
from caplens.readers.decoding import decode, parse
from caplens.readers.outline import ELEMENT


class MappingFile:
    """An object whose values are a caption (or a scene graph), a list of them, or a list of ``{"caption": ...}``."""

    name = "mapping"
    example = '{"391895": ["...", "..."]}'

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """See an object whose values are captions."""
        look = glance.outline
        if look is None or look.kind() != "object" or look.is_followed:
            return False
        ids = look.keys()
        holding_objects = [key for key in ids if look.kind(key, ELEMENT) == "object"]
        return all(look.kind(key) != "object" for key in ids) and (
            not holding_objects or any(look.kind(key, ELEMENT, "caption") for key in holding_objects)
        )

    def read(self, content: Content, options: ReadOptions) -> CaptionTable:
        """Read captions by id."""
        data = content.read()
        mapping = decode(data, dict[str, Any], content.name, f"a mapping from id to captions, {self.example}")
        pairs: Iterable[tuple[str, Any]] = mapping.items()
        if data.count(b'":') != _count_keys(mapping):
            pairs = parse(data, content.name, object_pairs_hook=_Pairs)
        ids: list[str] = []
        captions: list[Any] = []
        for identifier, value in pairs:
            texts = value if type(value) is list and not is_scene_graph(value) else [value]
            ids.extend([identifier] * len(texts))
            captions.extend(map(_caption, texts))
        return CaptionTable(ids, captions, content.name)


class _Pairs(list[tuple[str, Any]]):
    """The keys and values of an object; unlike a dict it keeps a key that occurs twice."""


def _count_keys(mapping: dict[str, Any]) -> int:
    """Count the keys after decoding: where the text has more, a caption contains ``":`` or a key is repeated."""
    inner = (len(item) for value in mapping.values() if type(value) is list for item in value if type(item) is dict)
    return len(mapping) + sum(inner)


def _caption(item: Any) -> Any:  # noqa: ANN401 - validation says what is no caption
    if isinstance(item, _Pairs):
        item = dict(item)
    return item.get("caption") if isinstance(item, dict) else item
