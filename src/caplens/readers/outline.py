"""A cheap look at how JSON begins: which keys and kinds of values stand where, without decoding the file."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal, TypeAlias

Kind: TypeAlias = Literal["object", "list", "text", "other"]
Path: TypeAlias = tuple[str, ...]

ELEMENT = "[]"
"""Stands in a path for any element of a list."""

_LOOKED_AT = 1 << 14
_DEEPEST = 3
_TOKEN = re.compile(rb'"([^"\\]*(?:\\.[^"\\]*)*)"(\s*:)?|[{}\[\]]|[^\s{}\[\],:"]+|"', re.DOTALL)
_KINDS: dict[bytes, Kind] = {b"{": "object", b"[": "list", b'"': "text"}


@dataclass(frozen=True)
class Outline:
    """The shape of the first JSON value in a text that may break off.

    Attributes
    ----------
    kinds : dict of tuple of str to str
        The kind of value first seen at each path; ``()`` is the whole value, ``("images", "[]", "id")`` an id in the
        elements of a list. Paths go three steps deep.
    is_complete : bool
        The first value ends within the text.
    is_followed : bool
        More follows after the first value: JSON lines.
    """

    kinds: dict[Path, Kind]
    is_complete: bool
    is_followed: bool

    def keys(self, *parent: str) -> list[str]:
        """Return the keys of the objects at a path, in order of appearance."""
        depth = len(parent) + 1
        return [path[-1] for path in self.kinds if len(path) == depth and path[:-1] == parent and path[-1] != ELEMENT]

    def kind(self, *path: str) -> Kind | None:
        """Return the kind of value at a path, None if there is none."""
        return self.kinds.get(path)


def outline(head: bytes) -> Outline | None:
    """Look at the beginning of a text; None if it does not begin like a JSON object or list.

    Examples
    --------
    >>> look = outline(b'[{"image_id": 391895, "caption": "a man on a bi')
    >>> look.kind(), look.keys("[]"), look.is_complete
    ('list', ['image_id', 'caption'], False)
    """
    if head.lstrip()[:1] not in (b"{", b"["):
        return None
    kinds: dict[Path, Kind] = {}
    containers: list[tuple[Path, bytes]] = []
    path: Path | None = ()
    for token in _TOKEN.finditer(head[:_LOOKED_AT]):
        text = token[0]
        if kinds and not containers:
            return Outline(kinds, is_complete=True, is_followed=True)
        if text in (b"}", b"]"):
            containers.pop()
        elif token[2] is not None:
            path = _below(containers[-1][0], token[1].decode("utf-8", "replace"))
            continue
        elif path is not None:
            if len(path) <= _DEEPEST:
                kinds.setdefault(path, _KINDS.get(text[:1], "other"))
            if text in (b"{", b"["):
                containers.append((path, text))
        if text == b'"':  # the text breaks off inside a string: what looks like brackets there is none
            break
        # The next value is an element if it stands in a list; in an object it has no path before its key.
        path = _below(containers[-1][0], ELEMENT) if containers and containers[-1][1] == b"[" else None
    return Outline(kinds, is_complete=not containers, is_followed=False)


def _below(container: Path, step: str) -> Path:
    return (*container, step) if len(container) <= _DEEPEST else container
