"""ELMo's vectors of words, made before and kept in HDF5, as AllenNLP's command ``elmo`` writes them.

The file has a data set for each caption, of shape (layers, words, 1024), under its number, and under
``sentence_to_index`` a JSON object from the caption, its words joined by spaces, to that number.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from importlib import import_module
from pathlib import Path
from typing import Any, Self

import msgspec
import numpy as np

from caplens.arrays import Singles
from caplens.errors import InputError, MissingDataError, counted, name_some
from caplens.files.checks import check_finite, check_shape
from caplens.files.paths import is_file
from caplens.files.progress import blocks
from caplens.files.verifying import content_hash

_INDEX = "sentence_to_index"
_BLOCK = 256


@dataclass(frozen=True, eq=False)
class ElmoFile:
    """A file of ELMo's vectors; implements `caplens.embeddings.contextual.Encoder`."""

    path: Path
    layer: str
    numbers: dict[str, str]
    dimensions: int
    fingerprint: str

    @classmethod
    def open(cls, path: Path, layer: str) -> Self:
        """Read which captions are in a file."""
        h5py = _library()
        if not is_file(path):
            raise InputError(f"There is no file {path}: check the path.")
        try:
            with h5py.File(path, "r") as file:
                text = np.asarray(_data_set(file, _INDEX)).reshape(-1)[0]
                numbers = {str(sentence): str(number) for sentence, number in msgspec.json.decode(text).items()}
                dimensions = _layers(file, next(iter(numbers.values()))).shape[2]
            fingerprint = content_hash(path)
        except (OSError, LookupError, TypeError, AttributeError, ValueError, StopIteration, RecursionError) as error:
            reason = str(error).strip("'\"")
            raise InputError(f"{path} is not a file of ELMo vectors as AllenNLP writes them ({reason}).") from error
        return cls(path, layer, numbers, dimensions, fingerprint)

    def means(self, captions: Sequence[list[str]], counts: Sequence[list[bool]], jobs: int) -> Singles:
        """Return one vector per caption: the mean over the words that count; the file is read by one thread."""
        texts = [" ".join(words) for words in captions]
        missing = [text for text in texts if text and text not in self.numbers]
        if missing:
            raise InputError(
                f"{self.path} has no vectors for {counted(len(missing), 'caption')} ({name_some(missing)}): compute "
                "them for the tokenized captions."
            )
        vectors = np.zeros((len(captions), self.dimensions), dtype=np.float32)
        text = ""
        try:
            with _library().File(self.path, "r") as file:
                for first, last in blocks("reading ELMo vectors", len(texts), _BLOCK):
                    for place in range(first, last):
                        text = texts[place]
                        matrix = self._matrix(file, text, len(captions[place]))
                        if any(counts[place]):
                            vectors[place] = matrix[counts[place]].mean(axis=0, dtype=np.float64)
        except (OSError, LookupError, TypeError, ValueError) as error:
            reason = str(error).strip("'\"").rstrip(".")
            raise InputError(
                f"{self.path} has no readable vectors for {text!r} ({reason}): create the file again."
            ) from error
        return vectors

    def _matrix(self, file: Any, text: str, words: int) -> Singles:  # noqa: ANN401 (h5py has no types)
        if not text:
            return np.zeros((0, self.dimensions), np.float32)
        layers = _layers(file, self.numbers[text])
        if layers.shape[1] != words:
            raise InputError(f"{self.path} has vectors of {layers.shape[1]} words for {text!r}, which has {words}.")
        check_shape("its data set", layers, -1, words, self.dimensions)
        chosen = np.asarray(layers).mean(axis=0) if self.layer == "mean" else np.asarray(layers[int(self.layer)])
        matrix: Singles = chosen.astype(np.float32)
        check_finite("its data set", matrix)
        return matrix


def _data_set(file: Any, name: str) -> Any:  # noqa: ANN401 (h5py has no types)
    found = file[name]
    if not isinstance(found, _library().Dataset):
        raise ValueError(f"{name} is a group, not a data set")
    return found


def _layers(file: Any, number: str) -> Any:  # noqa: ANN401 (h5py has no types)
    layers = _data_set(file, number)
    if layers.ndim != 3 or layers.dtype.kind not in "fiu" or not layers.shape[0]:
        raise ValueError(f"its data set {number} does not contain numbers of shape (layers, words, dimensions)")
    return layers


def _library() -> Any:  # noqa: ANN401 (h5py has no types)
    try:
        return import_module("h5py")
    except ImportError:
        raise MissingDataError("WEmbSim-E reads HDF5 files and needs h5py: pip install h5py.") from None
