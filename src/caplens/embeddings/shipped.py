"""The tables that ship with caplens.

GloVe vectors of 100 dimensions, as they are (`raw`) or treated for captions (`captions`), and vectors trained so that
captions of one image are alike (`scene`).
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import numpy as np

import caplens.data
from caplens.embeddings.table import SceneTable, StoredTable, TreatedTable, VectorTable
from caplens.errors import MissingDataError
from caplens.files.arrays import Arrays, read_arrays
from caplens.files.checks import DamagedFileError
from caplens.text.ragged import offsets_of
from caplens.text.vocabulary import Vocabulary

_FOLDER = Path(caplens.data.__file__).parent / "vectors"
PATH = _FOLDER / "glove.safetensors"
SCENE_PATH = _FOLDER / "scene.safetensors"
CAPTIONS = "captions"
RAW = "raw"
SCENE = "scene"
NAMES = (CAPTIONS, RAW, SCENE)


@cache
def load(name: str) -> VectorTable:
    """Return one of the shipped tables.

    Examples
    --------
    >>> load("raw").dimensions, load("raw").vector("dog").dtype
    (100, dtype('float32'))
    """
    if name not in NAMES:
        raise KeyError(name)
    path = SCENE_PATH if name == SCENE else PATH
    arrays, vocabulary = _arrays(path), _vocabulary(path)
    fingerprint = arrays.facts["fingerprint"]
    if name == SCENE:
        return SceneTable(SCENE, "scene", fingerprint, vocabulary, arrays, load(CAPTIONS))
    if name == RAW:
        return StoredTable(RAW, "glove", fingerprint, vocabulary, arrays["vectors"])
    return TreatedTable(CAPTIONS, "captions", fingerprint, vocabulary, arrays)


@cache
def _arrays(path: Path) -> Arrays:
    try:
        return read_arrays(path)
    except (OSError, DamagedFileError) as error:
        raise MissingDataError(
            f"The word vectors that ship with caplens cannot be read ({str(error).rstrip('.')}): "
            "pip install --force-reinstall caplens."
        ) from error


@cache
def _vocabulary(path: Path) -> Vocabulary:
    arrays = _arrays(path)
    return Vocabulary(arrays["words"], offsets_of(arrays["word_lengths"]).astype(np.uint32))
