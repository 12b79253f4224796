"""Document frequencies of a reference corpus, kept in a file."""

from __future__ import annotations

import os
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from caplens.core.prepared import PreparedReferences, cut_notices
from caplens.core.requirement import NgramCounts, WordIds
from caplens.corpus import collect, reference_table
from caplens.errors import InputError, Notice, counted
from caplens.metrics.cider.document_frequencies import count_documents, save
from caplens.metrics.cider.frequency_files import SUFFIXES, check_target
from caplens.output.writing import check_file
from caplens.text import MAX_WORDS
from caplens.text.tokenizers import get_tokenizer


@dataclass(frozen=True)
class BuiltFrequencies:
    """What was counted."""

    documents: int
    ngrams: int
    warnings: tuple[Notice, ...]


def build_frequencies(
    references: object,
    path: str | os.PathLike[str],
    *,
    tokenizer: str = "ptb",
    stem: bool = False,
    max_order: int = 4,
    max_words: int = MAX_WORDS,
) -> BuiltFrequencies:
    """Count the document frequencies of references (a document is an id) and write them to a file.

    Its suffix says how: ``.safetensors``, or ``.parquet``, which needs the extra ``arrow``.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     build_frequencies([["a dog", "a dog runs"], ["a cat"]], Path(folder) / "df.safetensors").documents
    2
    """
    check_file(path, SUFFIXES)
    check_target(Path(path))
    get_tokenizer(tokenizer)
    sets, notices = collect(reference_table(references))
    if sets.graphs is not None:
        count = len(sets.graphs.places)
        raise InputError(f"{counted(count, 'reference')} cannot be counted: scene graphs have no n-grams.")
    ngrams = NgramCounts(WordIds(tokenizer, split=True, stem=stem), max_order)
    prepared = PreparedReferences(sets, max_words=max_words)
    frequencies = count_documents(prepared, ngrams, np.ones(len(sets), dtype=np.int64))
    return BuiltFrequencies(len(sets), save(frequencies, Path(path)), (*notices, *cut_notices(prepared)))
