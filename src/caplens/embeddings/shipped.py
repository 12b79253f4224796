"""The table that ships with caplens: GloVe vectors of 100 dimensions, as they are (`raw`) or treated for captions."""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import caplens.data
from caplens.embeddings.table import CaptionTable, StoredTable, VectorTable
from caplens.errors import MissingDataError
from caplens.files.arrays import Arrays, DamagedFileError, read_arrays
from caplens.text.ragged import offsets_of
from caplens.text.vocabulary import Vocabulary

PATH = Path(caplens.data.__file__).parent / "vectors" / "glove.safetensors"
CAPTIONS = "captions"
RAW = "raw"
NAMES = (CAPTIONS, RAW)


@cache
def load(name: str) -> VectorTable:
    """Return one of the two forms of the shipped table.

    Examples
    --------
    >>> load("raw").dimensions, load("raw").vector("dog").dtype
    (100, dtype('float32'))
    """
    arrays = _arrays()
    vocabulary = _vocabulary()
    fingerprint = arrays.facts["fingerprint"]
    if name == RAW:
        return StoredTable(RAW, "glove", fingerprint, vocabulary, arrays["vectors"])
    if name == CAPTIONS:
        return CaptionTable(CAPTIONS, "captions", fingerprint, vocabulary, arrays)
    raise KeyError(name)


@cache
def _arrays() -> Arrays:
    try:
        return read_arrays(PATH)
    except (OSError, DamagedFileError) as error:
        raise MissingDataError(
            f"The word vectors that ship with caplens cannot be read ({str(error).rstrip('.')}): "
            "pip install --force-reinstall caplens."
        ) from error


@cache
def _vocabulary() -> Vocabulary:
    arrays = _arrays()
    return Vocabulary(arrays["words"], offsets_of(arrays["word_lengths"]).astype(np.uint32))
