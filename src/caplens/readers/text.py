"""Plain text: one caption a line."""

from __future__ import annotations

from caplens.corpus import CaptionTable
from caplens.errors import InputError
from caplens.files.opening import Content
from caplens.readers.base import Glance, ReadOptions, naming


class Text:
    """Captions that are known by their position only. A blank line is an empty caption."""

    name = "text"
    example = "a man rides a horse"

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """Take whatever is not JSON: a broken JSON file must not be scored as prose."""
        return glance.outline is None

    def read(self, content: Content, options: ReadOptions) -> CaptionTable:
        """Read captions; only a line feed (or CR LF) ends one."""
        for role, name in options.required_columns.items():
            raise InputError(f"{content.name} has no column {name!r} ({naming(role, name)}): it is plain text.")
        captions = [line.removesuffix("\n").removesuffix("\r") for line in content.lines()]
        return CaptionTable(list(range(len(captions))), captions, content.name, by_position=True)
