"""Image features that somebody has computed: vectors by image, from the usual kinds of files."""

from __future__ import annotations

import math
import struct
import warnings
import zlib
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path
from tokenize import TokenError
from typing import IO, Any
from zipfile import BadZipFile

import numpy as np
import numpy.typing as npt

from caplens.arrays import Singles
from caplens.errors import CaplensError, InputError, MissingDataError, counted, name_some, reason_of
from caplens.files.checks import DamagedFileError
from caplens.files.safetensors import read_safetensors

_NUMBERS = "fiu"
"""Kinds of arrays that hold numbers."""
# What numpy, zipfile and h5py raise for files that are not what they say; numpy reads a header as if it were Python.
_DAMAGE = (
    OSError, ValueError, LookupError, TypeError, ArithmeticError, EOFError, SyntaxError, RuntimeError, BadZipFile,
    TokenError, struct.error, zlib.error, SystemError,
)  # fmt: skip
KINDS = (".npz", ".npy", ".h5", ".hdf5", ".safetensors")


@dataclass(frozen=True, eq=False)
class ImageFeatures:
    """Vectors by image.

    Attributes
    ----------
    source : str
        Where they come from, for messages.
    places : dict of str to int
        The row of each image.
    vectors : numpy.ndarray of float32
        One row per image.
    """

    source: str
    places: dict[str, int]
    vectors: Singles

    @property
    def width(self) -> int:
        """Numbers of an image."""
        return int(self.vectors.shape[1])

    def of(self, images: Sequence[str], width: int | None = None) -> Singles:
        """Return the features of images, or say which are missing; ``width`` is what a network expects."""
        if width is not None and width != self.width:
            raise InputError(
                f"{self.source} has {self.width:,} numbers per image, but the critique was trained on {width:,}: use "
                "features from the same network."
            )
        missing = [image for image in images if image not in self.places]
        if missing:
            raise InputError(
                f"{self.source} has no features for {len(missing):,} of {counted(len(images), 'image')} "
                f"({name_some(missing)}): extract those too, or exclude the images."
            )
        return self.vectors[[self.places[image] for image in images]]


def read_image_features(path: str | Path) -> ImageFeatures:
    """Read features: .npz, .npy (with ids in a .txt beside it), HDF5 or safetensors.

    A file holds either one array per image, named by the image's id, or two arrays: ``ids`` and ``features``. Arrays of
    more than one row per image (a grid of places) are averaged; the last axis is that of the features.
    """
    path = Path(path)
    if path.suffix.lower() not in KINDS:
        raise InputError(f"{path} is not a file of image features: its name must end in {' or '.join(KINDS)}.")
    try:
        changed = path.stat().st_mtime_ns
    except OSError as error:
        raise InputError(f"{path} cannot be read as image features: {reason_of(error)}.") from error
    return _read(path, changed)


@lru_cache(maxsize=1)
def _read(path: Path, changed: int) -> ImageFeatures:
    """Read a file once for all that is scored with it; ``changed`` tells a file that was written again."""
    try:
        arrays = _READERS[path.suffix.lower()](path)
        if "features" in arrays and "ids" in arrays:
            ids, vectors = _texts(arrays["ids"]), np.asarray(arrays["features"])
        else:
            ids = list(arrays)
            vectors = _stacked(path, ids, [np.asarray(arrays[name]) for name in ids])
    except CaplensError:
        raise
    except _DAMAGE as error:
        raise InputError(f"{path} cannot be read as image features: {reason_of(error)}.") from error
    except MemoryError as error:
        raise InputError(
            f"{path} cannot be read as image features: it requires more memory than is available."
        ) from error
    return _checked(path, ids, vectors)


def _checked(path: Path, ids: list[str], vectors: npt.NDArray[Any]) -> ImageFeatures:
    if not vectors.size:
        raise InputError(f"{path} contains no image features.")
    if vectors.ndim > 2 and vectors.dtype.kind in _NUMBERS:
        vectors = vectors.reshape(len(vectors), -1, vectors.shape[-1]).mean(axis=1)
    if vectors.ndim != 2 or vectors.dtype.kind not in _NUMBERS:
        raise InputError(
            f"{path} must contain one row of numbers per image, not an array of shape {list(vectors.shape)}."
        )
    if len(ids) != len(vectors):
        raise InputError(f"{path} has {counted(len(ids), 'id')} but {counted(len(vectors), 'row')} of features.")
    places = {image: row for row, image in enumerate(ids)}
    if len(places) < len(ids):
        raise InputError(
            f"{path} has {counted(len(ids) - len(places), 'repeated id')}: each image must have exactly one row."
        )
    single = vectors.astype(np.float32)
    odd = np.flatnonzero(~np.isfinite(single).all(axis=1)).tolist()
    if odd:
        raise InputError(
            f"{path} has {counted(len(odd), 'image')} whose features are not finite "
            f"({name_some([ids[row] for row in odd])}): extract those again."
        )
    return ImageFeatures(str(path), places, single)


def _stacked(path: Path, ids: list[str], rows: list[npt.NDArray[Any]]) -> npt.NDArray[Any]:
    if any(row.dtype.kind not in _NUMBERS for row in rows):
        raise InputError(f"{path} must contain one row of numbers per image, but some of its arrays are empty.")
    rows = [row.reshape(-1, row.shape[-1]).mean(axis=0) if row.ndim > 1 and row.size else row for row in rows]
    widths = {row.shape for row in rows}
    if len(widths) > 1:
        usual = max(widths, key=lambda shape: sum(row.shape == shape for row in rows))
        odd = [image for image, row in zip(ids, rows, strict=True) if row.shape != usual]
        raise InputError(
            f"{path} has features of different widths: {counted(len(odd), 'image')} ({name_some(odd)}) do not have "
            f"{usual[0] if usual else 1:,} numbers."
        )
    return np.stack(rows) if rows else np.zeros((0, 0))


def _texts(ids: npt.NDArray[Any]) -> list[str]:
    return [entry.decode() if isinstance(entry, bytes) else str(entry) for entry in np.asarray(ids).ravel().tolist()]


@contextmanager
def _python_2_headers() -> Iterator[None]:
    """Read headers that Python 2 wrote, which are as good as others, without numpy's advice to save the file again."""
    with warnings.catch_warnings():
        warnings.filterwarnings("ignore", message="Reading `.npy` or `.npz` file required additional header")
        yield


def _read_npz(path: Path) -> dict[str, npt.NDArray[Any]]:
    # Opened here: numpy leaves a file that is no whole archive open.
    with _python_2_headers(), path.open("rb") as opened, np.load(opened, allow_pickle=False) as file:
        sizes = {entry.filename.removesuffix(".npy"): entry.file_size for entry in file.zip.infolist()}
        for name in file.files:
            with file.zip.open(name if name in file.zip.namelist() else f"{name}.npy") as member:
                _check_header(member, sizes[name], name)
        return {name: file[name] for name in file.files}


def _read_npy(path: Path) -> dict[str, npt.NDArray[Any]]:
    beside = path.with_suffix(".txt")
    if not beside.is_file():
        raise InputError(f"{path} contains no ids: write them to {beside.name} beside it, one per line.")
    ids = beside.read_text(encoding="utf-8").split()
    with _python_2_headers():
        with path.open("rb") as opened:
            _check_header(opened, path.stat().st_size, path.name)
        return {"ids": np.array(ids), "features": np.load(path, allow_pickle=False)}


def _check_header(file: IO[bytes], size: int, name: str) -> None:
    """Refuse an array that promises more numbers than there are bytes: numpy reserves the memory first."""
    version = np.lib.format.read_magic(file)
    read = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, _, dtype = read(file)
    if math.prod(shape) * dtype.itemsize > size - file.tell():
        raise ValueError(f"{name} declares an array of shape {list(shape)} but is too short for it")


def _read_hdf5(path: Path) -> dict[str, npt.NDArray[Any]]:
    try:
        import h5py
    except ImportError:
        raise MissingDataError(f"{path} is an HDF5 file, which requires h5py: pip install h5py.") from None
    with h5py.File(path, "r") as file:
        return {name: np.asarray(file[name]) for name in file}


def _read_safetensors(path: Path) -> dict[str, npt.NDArray[Any]]:
    try:
        return read_safetensors(path)
    except DamagedFileError as error:
        raise InputError(f"{path} cannot be read as image features: {reason_of(error)}.") from error


_READERS = {
    ".npz": _read_npz,
    ".npy": _read_npy,
    ".h5": _read_hdf5,
    ".hdf5": _read_hdf5,
    ".safetensors": _read_safetensors,
}
