"""Rows of named values, as JSON lines or as a JSON list: candidates with their references, or captions with ids."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import partial
from operator import attrgetter
from typing import Any

import msgspec

from caplens.corpus import CaptionTable
from caplens.files.opening import Content
from caplens.readers.base import Batch, Glance, ReadOptions, Table, cut, in_pieces, source_of_rows
from caplens.readers.decoding import decode, repeated_keys, repeats_notice
from caplens.readers.fields import Values, further_names, has_captions, table_of_columns, wanted_names
from caplens.readers.outline import ELEMENT, outline

# What a decoder can look for: a key without escapes.
_PLAIN_KEY = re.compile(r'[^"\\\x00-\x1f\ufffd]*')


class Rows:
    """One object per row."""

    name = "jsonl"
    example = '{"id": 391895, "candidate": "...", "references": ["...", "..."]}'

    def recognises(self, glance: Glance, options: ReadOptions) -> bool:
        """See a list of objects, several objects, or one with the keys of a row.

        If the caller names columns, one key is enough.
        """
        look = glance.outline
        if look is None:
            return False
        if look.kind() == "list":
            return look.kind(ELEMENT) == "object"
        keys = look.keys()
        named = [name for name in wanted_names(options) if name in keys]
        is_row = bool(named) if options.required_columns else len(named) > 1 and has_captions(named, options)
        return look.is_followed or is_row

    def read(self, content: Content, options: ReadOptions) -> Table:
        """Read rows; of fields that no option and no usual name asks for, those of plain values are kept."""
        names = [*wanted_names(options), *_further_names(content.head, options)]
        row_type = _row_type(names)
        if content.head.lstrip().startswith(b"["):
            data = content.read()
            rows = decode(data, list[row_type], content.name, f"a list of rows, {self.example}")  # type: ignore[valid-type]
        elif _is_spread_over_lines(content.head):
            data = content.read()
            rows = [decode(data, row_type, content.name, f"a row, {self.example}")]
        else:
            return self._of_lines(content.stream, content, options, content.name)
        if not rows:
            return CaptionTable([], [], content.name)
        columns = _columns(rows, names)
        table = table_of_columns(columns, list(dict.fromkeys(_keys(content.head))), options, content.name)
        given = {name: len(values) - values.count(None) for name, values in columns.items()}
        table.notices = repeated_keys(data, given, content.name)
        return table

    def batches(self, content: Content, options: ReadOptions, size: int) -> Iterator[Batch]:
        """Read so many lines at a time; what is one JSON value is read whole and cut."""
        if content.head.lstrip().startswith(b"[") or _is_spread_over_lines(content.head):
            yield from cut(self.read(content, options), size)
            return
        for first, lines in in_pieces(content.stream, size):
            source = source_of_rows(content.name, first, len(lines))
            yield Batch(first, len(lines), partial(self._of_lines, lines, content, options, source, first))

    def _of_lines(
        self, lines: Iterable[bytes], content: Content, options: ReadOptions, source: str, first: int = 0
    ) -> Table:
        """Read the rows of lines, before which ``first`` others come."""
        names = [*wanted_names(options), *_further_names(content.head, options)]
        repeats: list[str] = []
        rows = list(_lines(lines, content, _row_type(names), f"a row, {self.example}", repeats, first))
        if not rows:
            return CaptionTable([], [], source)
        table = table_of_columns(_columns(rows, names), list(dict.fromkeys(_keys(content.head))), options, source)
        table.notices = repeats_notice(repeats, content.name)
        return table


def _row_type(names: list[str]) -> type[Any]:
    """Make a type whose fields are the wanted keys, whatever characters these have."""
    attributes = [f"field{number}" for number in range(len(names))]
    fields = [(attribute, Any, msgspec.UNSET) for attribute in attributes]
    return msgspec.defstruct("Row", fields, rename=dict(zip(attributes, names, strict=True)), gc=False)


def _is_spread_over_lines(head: bytes) -> bool:
    """Tell whether the first object does not fit its line: then the file is one indented object."""
    line, line_feed, _ = head.lstrip().partition(b"\n")
    look = outline(line)
    return bool(line_feed) and look is not None and not look.is_complete


def _lines(
    lines: Iterable[bytes], content: Content, row_type: type[Any], expected: str, repeats: list[str], first: int
) -> Iterator[Any]:
    """Return the rows of lines; keys that a row has twice go to ``repeats``."""
    decoder = msgspec.json.Decoder(row_type)
    names = [field.encode_name for field in msgspec.structs.fields(row_type)]
    keys = [(name, f'"{name}"'.encode()) for name in names if name in _keys(content.head)]
    for number, line in enumerate(lines, first + 1):
        try:
            yield decoder.decode(line)
        except (ValueError, RecursionError):
            if line.strip():
                yield decode(line, row_type, content.name, expected, number)
        for name, key in keys:
            if line.count(key) > 1 and repeated_keys(line, {name: 1}, content.name):
                repeats.append(name)
                break


def _columns(rows: list[Any], names: list[str]) -> dict[str, Values]:
    columns: dict[str, Values] = {}
    for attribute, name in zip(rows[0].__struct_fields__, names, strict=True):
        values = list(map(attrgetter(attribute), rows))
        unset = values.count(msgspec.UNSET)
        if unset < len(values):
            columns[name] = [None if value is msgspec.UNSET else value for value in values] if unset else values
    return columns


def _further_names(head: bytes, options: ReadOptions) -> list[str]:
    look = outline(head)
    if look is None:
        return []
    parent = (ELEMENT,) if look.kind() == "list" else ()
    offered = list(dict.fromkeys([*_keys(head), *sorted(options.further_columns or ())]))
    found = further_names(offered, options, lambda name: look.kind(*parent, name) in ("text", "other"))
    return [name for name in found if _PLAIN_KEY.fullmatch(name)]


def _keys(head: bytes) -> list[str]:
    look = outline(head)
    if look is None:
        return []
    return look.keys(ELEMENT) if look.kind() == "list" else look.keys()
