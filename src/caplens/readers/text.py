"""Plain text: one caption per line."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

from caplens.corpus import CaptionTable
from caplens.errors import InputError
from caplens.files.opening import Content
from caplens.readers.base import Batch, Glance, ReadOptions, in_pieces, naming


class Text:
    """Captions that are known by their position only. A blank line is an empty caption."""

    name = "text"
    example = "a man rides a horse"

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """Take whatever is not JSON: a broken JSON file must not be scored as prose."""
        return glance.outline is None

    def read(self, content: Content, options: ReadOptions) -> CaptionTable:
        """Read captions; only a line feed (or CR LF) ends one."""
        _refuse_columns(content, options)
        return _captions(list(content.lines()), content.name)

    def batches(self, content: Content, options: ReadOptions, size: int) -> Iterator[Batch]:
        """Read so many lines at a time."""
        _refuse_columns(content, options)
        for first, lines in in_pieces(content.lines(), size):
            yield Batch(first, len(lines), partial(_captions, lines, content.name))


def _refuse_columns(content: Content, options: ReadOptions) -> None:
    for role, name in options.required_columns.items():
        raise InputError(f"{content.name} has no column {name!r} ({naming(role, name)}): it is plain text.")


def _captions(lines: list[str], source: str) -> CaptionTable:
    captions = [line.removesuffix("\n").removesuffix("\r") for line in lines]
    return CaptionTable(list(range(len(captions))), captions, source, by_position=True)
