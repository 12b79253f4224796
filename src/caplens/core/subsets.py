"""Subsets of the rows of a corpus: by a column, by labels that the user brings, or by the length of references."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import TypeAlias

import numpy as np

from caplens.arrays import Integers
from caplens.corpus import Corpus, normalise_id
from caplens.errors import InputError, UsageError, counted, name_some

LENGTH = "length"
"""The request for subsets by the mean number of words of a row's references, unless there is a column of that name."""
MOST_SUBSETS = 50
PARTS = 5
"""Numbers with more different values than `MOST_VALUES` are divided into so many parts of about the same size."""
MOST_VALUES = 12

By: TypeAlias = str | Mapping[str, object] | Mapping[int, object] | Sequence[object]


def divide(corpus: Corpus, by: By) -> dict[str, Integers]:
    """Return the rows of each subset, by its label.

    Parameters
    ----------
    corpus : Corpus
        The rows.
    by : str, mapping or sequence
        The name of a column; ``"length"`` for the mean number of words of the references; labels by id; or one label
        per row. Many different numbers are divided into fifths.

    Examples
    --------
    >>> import caplens
    >>> corpus = caplens.score(["a", "b", "c"], [["x"], ["y"], ["z"]], "rouge").corpus
    >>> {label: rows.tolist() for label, rows in divide(corpus, ["near", "in", "near"]).items()}
    {'in': [1], 'near': [0, 2]}
    """
    from caplens.readers.records import number

    values = _values(corpus, by)
    numbers = [number(value) for value in values]
    if len(set(numbers)) > MOST_VALUES and all(map(math.isfinite, numbers)):
        return _parts(np.array(numbers))
    labels = [_label(value) for value in values]
    kinds = sorted(set(labels), key=lambda label: (number(label) if math.isfinite(number(label)) else math.inf, label))
    if len(kinds) > MOST_SUBSETS:
        raise UsageError(
            f"{name_of(by)!r} divides {len(labels):,} rows into {len(kinds):,} subsets ({name_some(kinds)}): choose a "
            f"column with at most {MOST_SUBSETS} values."
        )
    found = np.array(labels, dtype=object)
    return {label: np.flatnonzero(found == label) for label in kinds}


def name_of(by: By) -> str:
    """Return what subsets are called in files and tables."""
    return by if isinstance(by, str) else "subset"


def _values(corpus: Corpus, by: By) -> Sequence[object]:
    if isinstance(by, str):
        if by in corpus.columns:
            return list(corpus.columns[by])
        if by == LENGTH:
            return _lengths(corpus)
        there = f"there are {', '.join(corpus.columns)}" if corpus.columns else "there are none"
        raise UsageError(f"There is no column {by!r} alongside the candidates ({there}), and it is not {LENGTH!r}.")
    if isinstance(by, Mapping):
        labels = {normalise_id(key): label for key, label in by.items()}
        without = [key for key in corpus.ids if key not in labels]
        if without:
            raise InputError(
                f"{counted(len(without), 'row')} of {len(corpus):,} without a label (id {name_some(without)})."
            )
        return [labels[key] for key in corpus.ids]
    if len(by) != len(corpus):
        raise InputError(f"Found {counted(len(by), 'label')} for {counted(len(corpus), 'row')}.")
    return by


def _lengths(corpus: Corpus) -> list[float]:
    """Return the mean number of words, divided by white space, of each row's references."""
    references = corpus.references
    words = np.array([len(references.captions[place].split()) for place in range(len(references.captions))], float)
    sums = np.concatenate([[0.0], np.cumsum(words)])[references.offsets]
    means = np.diff(sums) / np.maximum(np.diff(references.offsets), 1)
    lengths: list[float] = np.round(means[corpus.reference_set]).tolist()
    return lengths


def _parts(numbers: np.ndarray) -> dict[str, Integers]:
    """Divide numbers into parts of about the same size; equal numbers stay together."""
    edges = np.unique(np.quantile(numbers, np.linspace(0, 1, PARTS + 1)))
    part = np.clip(np.searchsorted(edges, numbers, side="right") - 1, 0, max(len(edges) - 2, 0))
    found = {}
    for place in np.unique(part):
        rows = np.flatnonzero(part == place)
        low, high = numbers[rows].min(), numbers[rows].max()
        found[f"{low:g}" if low == high else f"{low:g} to {high:g}"] = rows
    return found


def _label(value: object) -> str:
    if isinstance(value, float) and value.is_integer():
        return str(int(value))
    text = "" if value is None else str(value).strip()
    return text or "(none)"
