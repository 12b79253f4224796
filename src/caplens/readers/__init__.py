"""Captions from files, recognised by content: one small module per format.

A new format is a new module with a class like those here, and one line in the list below.
"""

from __future__ import annotations

import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace

from caplens.corpus import CaptionTable
from caplens.errors import InputError, UsageError, name_some
from caplens.files.opening import Content, opened
from caplens.files.telling import setting
from caplens.readers.base import Batch, Format, Glance, ReadOptions, Streamed, Table, cut
from caplens.readers.coco import CocoAnnotations, CocoResults
from caplens.readers.decoding import parse
from caplens.readers.delimited import Delimited
from caplens.readers.karpathy import Karpathy
from caplens.readers.mapping import MappingFile
from caplens.readers.outline import outline
from caplens.readers.parquet import Parquet
from caplens.readers.rows import Rows
from caplens.readers.text import Text
from caplens.readers.wrapped import WrappedRows, inside

__all__ = [
    "FORMATS",
    "Batch",
    "ReadOptions",
    "for_references",
    "read",
    "read_batches",
    "read_references",
    "references_of",
]

# In the order in which they are tried: the special before the general.
_FORMATS: tuple[Format, ...] = (
    Parquet(),
    Karpathy(),
    WrappedRows(),
    CocoAnnotations(),
    CocoResults(),
    Rows(),
    MappingFile(),
    Delimited("tsv", "\t"),
    Delimited("csv", ",;"),
    Text(),
)

FORMATS: tuple[str, ...] = tuple(known.name for known in _FORMATS)
"""The names for ``--input-format``."""

_DEFAULTS = ReadOptions()


def read(path: str | os.PathLike[str], options: ReadOptions = _DEFAULTS) -> Table:
    """Read a file of captions.

    Parameters
    ----------
    path : str or path-like
        The file, plain or gzip; ``-`` is standard input.
    options : ReadOptions
        What the content does not tell.

    Returns
    -------
    CaptionTable or PairedTable
        As found; `caplens.corpus` validates.

    Raises
    ------
    InputError
        If it cannot be read; the message says where and what to do.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "results")
    ...     with open(path, "w") as file:
    ...         _ = file.write('[{"image_id": 391895, "caption": "a man on a bike"}]')
    ...     read(path).captions
    ['a man on a bike']
    """
    return _read(path, options)[0]


def read_references(paths: Sequence[str | os.PathLike[str]], options: ReadOptions = _DEFAULTS) -> CaptionTable:
    """Read references, from one file or several.

    Several files of plain text give one reference each for every candidate, so they must have the same number of lines;
    files of other shapes are taken together. Of rows that carry candidates too, the references are taken.
    """
    if not paths:
        raise UsageError("No reference file was given.")
    found = [_read(path, for_references(options)) for path in paths]
    if options.split is not None and not any(known.name == Karpathy.name for _, known in found):
        raise InputError(f"--split {options.split} needs a Karpathy split file, which {found[0][0].source} is not.")
    tables = [references_of(table) for table, _ in found]
    return tables[0] if len(tables) == 1 else _together(tables)


def read_batches(path: str | os.PathLike[str], options: ReadOptions = _DEFAULTS, *, size: int) -> Iterator[Batch]:
    r"""Read a file of captions part by part, ``size`` rows at a time.

    Parquet, JSON lines, CSV, TSV and plain text are never in memory as a whole; files that are one JSON value are.

    Examples
    --------
    >>> import os, tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "captions.txt")
    ...     with open(path, "w") as file:
    ...         _ = file.write("a dog\na cat\ntwo dogs\n")
    ...     [(batch.first, batch.read().captions) for batch in read_batches(path, size=2)]
    [(0, ['a dog', 'a cat']), (2, ['two dogs'])]
    """
    with _known(path, options) as (content, known):
        if isinstance(known, Streamed):
            yield from known.batches(content, options, size)
        else:
            yield from cut(known.read(content, options), size)


def _read(path: str | os.PathLike[str], options: ReadOptions) -> tuple[Table, Format]:
    with _known(path, options) as (content, known):
        return known.read(content, options), known


@contextmanager
def _known(path: str | os.PathLike[str], options: ReadOptions) -> Iterator[tuple[Content, Format]]:
    """Open a file and tell its format."""
    if options.input_format is not None and options.input_format not in FORMATS:
        raise UsageError(f"There is no input format {options.input_format!r}: choose from {', '.join(FORMATS)}.")
    with opened(path) as whole:
        content = whole if options.at is None else inside(whole, options.at, optional=options.at_is_optional)
        if options.input_format is None:
            yield content, _recognised(content, options)
        else:
            yield content, _FORMATS[FORMATS.index(options.input_format)]


def _recognised(content: Content, options: ReadOptions) -> Format:
    glance = Glance(content.head, outline(content.head))
    for known in _FORMATS:
        if known.recognises(glance, options):
            if b"\0" in content.head and not isinstance(known, Parquet):
                raise InputError(
                    f"{content.name} is binary data in none of the supported formats ({', '.join(FORMATS)}); if it is "
                    "text, save it as UTF-8."
                )
            return known
    raise _unknown_shape(content)


def _unknown_shape(content: Content) -> InputError:
    value = parse(content.read(), content.name)  # what is no JSON at all is refused here, with the place
    if isinstance(value, list):
        found = f"a list of {'lists' if isinstance(value[0], list) else 'plain values'}"
    else:
        found = f"an object with the keys {name_some(list(value))}"
    shapes = "; ".join(known.example for known in _FORMATS if known.example.startswith(("[", "{")))
    return InputError(
        f"{content.name} is JSON with an unsupported structure ({found}). Supported are: {shapes}. "
        f"If the captions are nested more deeply, use {setting('at', 'KEY/KEY')}."
    )


def for_references(options: ReadOptions) -> ReadOptions:
    """Return options that take the references of a file, whatever else it has or lacks."""
    others = {"id", "candidate", "caption", "image", "candidate_graph"}
    optional = options.optional_columns | others
    return replace(options, optional_columns=optional, further_columns=None, at_is_optional=True)


def references_of(table: Table) -> CaptionTable:
    """Return the references of rows, of which some may carry candidates too."""
    if isinstance(table, CaptionTable):
        return table
    lists = [[value] if isinstance(value, str) else value or [] for value in table.references]
    ids = [identifier for identifier, texts in zip(table.ids, lists, strict=True) for _ in texts]
    return CaptionTable(ids, [text for texts in lists for text in texts], table.source, notices=table.notices)


def _together(tables: list[CaptionTable]) -> CaptionTable:
    """Join tables; those by position must be equally long."""
    first = tables[0]
    for table in tables[1:]:
        if table.by_position != first.by_position:
            known, other = (table, first) if first.by_position else (first, table)
            raise InputError(
                f"{other.source} has captions by position but {known.source} has captions by id: use references of "
                f"the same kind."
            )
        if first.by_position and _positions(table) != _positions(first):
            raise InputError(
                f"{first.source} has {_positions(first):,} lines but {table.source} has {_positions(table):,}: files "
                "of references by position must have one line for every candidate."
            )
    kinds = dict.fromkeys(kind for table in tables for kind in table.other_ids)
    return CaptionTable(
        [identifier for table in tables for identifier in table.ids],
        [caption for table in tables for caption in table.captions],
        ", ".join(table.source for table in tables),
        first.by_position,
        _positions(first) if first.by_position else None,
        {kind: [own for table in tables for own in table.other_ids.get(kind, table.ids)] for kind in kinds},
        notices=tuple(notice for table in tables for notice in table.notices),
    )


def _positions(table: CaptionTable) -> int:
    return len(table.ids) if table.positions is None else table.positions
