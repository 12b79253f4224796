"""Load captions from files."""

from __future__ import annotations

import os
from collections.abc import Sequence
from dataclasses import replace

from caplens.corpus import (
    CaptionTable,
    Corpus,
    Missing,
    PairedTable,
    Several,
    from_pairs,
    pair,
    spread,
    without_references,
)
from caplens.errors import InputError
from caplens.readers import ReadOptions, read, read_references

PathLike = str | os.PathLike[str]


def load_candidates(path: PathLike, options: ReadOptions | None = None) -> CaptionTable:
    """Read candidates from a file of any known shape; `score` takes them as they are."""
    options = options or ReadOptions()
    table = read(path, replace(options, optional_columns=options.optional_columns | {"references", "reference_graphs"}))
    if isinstance(table, PairedTable):
        return table.captions()
    return table


def load_references(path: PathLike | Sequence[PathLike], options: ReadOptions | None = None) -> CaptionTable:
    """Read references from one or several files."""
    paths = [path] if isinstance(path, str | os.PathLike) else list(path)
    return read_references(paths, options or ReadOptions())


def load_corpus(
    path: PathLike,
    references: PathLike | Sequence[PathLike] | None = None,
    options: ReadOptions | None = None,
    missing: Missing = "error",
    *,
    needs_references: bool = True,
    several: Several | None = None,
) -> Corpus:
    """Read candidates with their references: from one file that carries both, or from two.

    Parameters
    ----------
    path : path
        The candidates, or rows that carry candidate and references.
    references : path or list of paths, optional
        The references; several plain-text files give one reference a line each.
    options : ReadOptions, optional
        Format, column names, split; the split concerns the references.
    missing : {"error", "skip", "zero"}
        What to do with candidates that have no references.
    needs_references : bool
        Whether captions alone are refused; metrics such as CHAIR need no references.
    several : {"each", "mean", "best"}, optional
        What to do with several candidates per image, as for `score`.
    """
    options = options or ReadOptions()
    if references is not None:
        options = replace(options, optional_columns=options.optional_columns | {"references", "reference_graphs"})
    table = spread(read(path, options), several)
    if references is not None:
        candidates = table.captions() if isinstance(table, PairedTable) else table
        return pair(candidates, load_references(references, options), missing)
    if isinstance(table, PairedTable):
        return from_pairs(table, missing)
    if not needs_references:
        return without_references(table)
    raise InputError(f"{table.source} holds captions only; name a file with the references (-r REFERENCES).")
