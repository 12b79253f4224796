"""Load captions from files."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from dataclasses import replace
from functools import partial
from importlib import import_module
from typing import TYPE_CHECKING

from caplens.errors import InputError
from caplens.files.ahead import reading_ahead
from caplens.files.telling import said
from caplens.files.threads import Ahead

if TYPE_CHECKING:
    from caplens.corpus import CaptionTable, Corpus, Missing, Several
    from caplens.readers import ReadOptions

PathLike = str | os.PathLike[str]


def load_candidates(path: PathLike, options: ReadOptions | None = None) -> CaptionTable:
    """Read candidates from a file in any supported format, for `score` and `compare`."""
    from caplens.corpus import PairedTable
    from caplens.readers import ReadOptions, read

    options = options or ReadOptions()
    table = read(path, reference_options(options))
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
    paths = [] if references is None else _paths(references)
    with reading_ahead(paths):  # while modules are loaded
        from caplens.readers import ReadOptions

        options = options or ReadOptions()
        read = references_ahead(paths, options) if paths else None
        return corpus_of(path, read, options, missing, needs_references=needs_references, several=several)


def references_ahead(paths: Sequence[PathLike], options: ReadOptions) -> Callable[[], CaptionTable]:
    """Begin to read references on a thread, which takes no modules of metrics; return what waits for them."""
    read = partial(load_references, paths, reference_options(options))
    return read if "-" in paths else Ahead(read).result  # who writes to stdin may be waited for, and interrupted


def reference_options(options: ReadOptions) -> ReadOptions:
    """Return options that suit candidates and the separate files of their references."""
    return replace(options, optional_columns=options.optional_columns | {"references", "reference_graphs"})


def corpus_of(
    path: PathLike,
    references: Callable[[], CaptionTable] | None,
    options: ReadOptions,
    missing: Missing,
    *,
    needs_references: bool,
    several: Several | None,
) -> Corpus:
    """Do what `load_corpus` does; ``references`` returns what was read ahead."""
    from caplens.corpus import PairedTable, from_pairs, pair, spread, without_references
    from caplens.readers import read

    if references is not None:
        options = reference_options(options)
        table = spread(read(path, options), several)
        candidates = table.captions() if isinstance(table, PairedTable) else table
        import_module("caplens.core.evaluator")  # which will score them, while the references are read
        return pair(candidates, references(), missing)
    table = spread(read(path, options), several)
    if isinstance(table, PairedTable):
        return from_pairs(table, missing)
    if not needs_references:
        return without_references(table)
    how = said("-r REFERENCES", "references=...")
    raise InputError(f"{table.source} contains no references; specify a reference file ({how}).")
