"""Load captions from files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING

from caplens.errors import InputError
from caplens.files.ahead import reading_ahead
from caplens.files.telling import said

if TYPE_CHECKING:
    from caplens.corpus import CaptionTable, Corpus, Missing, Several
    from caplens.readers import ReadOptions

PathLike = str | os.PathLike[str]


def load_candidates(path: PathLike, options: ReadOptions | None = None) -> CaptionTable:
    """Read candidates from a file in any supported format, for `score` and `compare`."""
    from caplens.corpus import PairedTable
    from caplens.readers import ReadOptions, read

    options = options or ReadOptions()
    table = read(path, replace(options, optional_columns=options.optional_columns | {"references", "reference_graphs"}))
    if isinstance(table, PairedTable):
        return table.captions()
    return table


def load_references(path: PathLike | Sequence[PathLike], options: ReadOptions | None = None) -> CaptionTable:
    """Read references from one or several files."""
    from caplens.readers import ReadOptions, read_references

    return read_references(_paths(path), options or ReadOptions())


def _paths(path: PathLike | Sequence[PathLike]) -> list[PathLike]:
    return [path] if isinstance(path, str | os.PathLike) else list(path)


def load_corpus(
    path: PathLike,
    references: PathLike | Sequence[PathLike] | None = None,
    options: ReadOptions | None = None,
    missing: Missing = "error",
    *,
    needs_references: bool = True,
    several: Several | None = None,
) -> Corpus:
    """Read candidates and references, from one file that contains both or from separate files.

    Parameters
    ----------
    path : path
        File of candidates, or of rows that contain candidate and references.
    references : path or list of paths, optional
        Reference files; several plain-text files contain one reference per line each.
    options : ReadOptions, optional
        Format, column names and split; the split applies to the references.
    missing : {"error", "skip", "zero"}
        What to do with candidates that have no references.
    needs_references : bool
        Whether to reject captions without references; metrics such as CHAIR need none.
    several : {"each", "mean", "best"}, optional
        What to do with several candidates per image, as for `score`.
    """
    with reading_ahead([] if references is None else _paths(references)):  # while modules are loaded
        return _load_corpus(path, references, options, missing, several, needs_references=needs_references)


def _load_corpus(
    path: PathLike,
    references: PathLike | Sequence[PathLike] | None,
    options: ReadOptions | None,
    missing: Missing,
    several: Several | None,
    *,
    needs_references: bool,
) -> Corpus:
    from caplens.corpus import PairedTable, from_pairs, pair, spread, without_references
    from caplens.readers import ReadOptions, read

    options = options or ReadOptions()
    if references is not None:
        options = replace(options, optional_columns=options.optional_columns | {"references", "reference_graphs"})
        table = spread(read(path, options), several)
        candidates = table.captions() if isinstance(table, PairedTable) else table
        return pair(candidates, load_references(references, options), missing)
    table = spread(read(path, options), several)
    if isinstance(table, PairedTable):
        return from_pairs(table, missing)
    if not needs_references:
        return without_references(table)
    how = said("-r REFERENCES", "references=...")
    raise InputError(f"{table.source} contains no references; specify a reference file ({how}).")
