"""Imported tables on disk: a small file of words, and beside it the vectors, mapped and never read as a whole.

The file of words names the file of vectors, whose name has the hash of its content in it. The vectors are in place
before the words are, so an import that dies leaves the old table or the new one, never a mixture.
"""

from __future__ import annotations

import hashlib
import os
import re
import secrets
import zlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, BinaryIO, cast

import numpy as np
import numpy.typing as npt

from caplens.embeddings.subwords import Subwords, SubwordTable
from caplens.embeddings.table import Kind, StoredTable, VectorTable
from caplens.errors import InputError, reason_of
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.atomic import replacing
from caplens.files.checks import DamagedFileError, all_finite, check_range, check_shape
from caplens.files.verifying import is_verified
from caplens.text.vocabulary import Vocabulary

SUFFIX = ".safetensors"
VERSION = "1"
_SINGLE, _HALF = np.dtype("<f4"), np.dtype("<f2")
_ENDINGS = {_SINGLE: ".f32", _HALF: ".f16"}


@contextmanager
def storing(folder: Path) -> Iterator[None]:
    """Say in one sentence why something cannot be written."""
    try:
        yield
    except OSError as error:
        raise InputError(f"Word vectors cannot be stored in {folder}: {reason_of(error)}.") from error


def _new_digest() -> hashlib.blake2b:
    return hashlib.blake2b(digest_size=8)


@dataclass
class RowFile:
    """Rows of numbers on their way to disk, hashed as they pass."""

    path: Path
    file: BinaryIO
    dtype: np.dtype[Any]
    digest: Any = field(default_factory=_new_digest)
    checksum: int = 0

    def add(self, rows: npt.NDArray[np.floating[Any]]) -> None:
        """Write some rows, whose numbers must be finite in the precision of the file."""
        with np.errstate(over="ignore"):
            stored = np.ascontiguousarray(rows, dtype=self.dtype)
        if not all_finite(stored):
            most = float(np.finfo(self.dtype).max)
            hint = ": import the file without --half" if self.dtype == _HALF else ""
            raise InputError(
                f"A vector has a number beyond {most:,.6g}, the largest of {self.dtype.itemsize * 8} bits{hint}."
            )
        data = stored.data
        self.digest.update(data)
        self.checksum = zlib.crc32(data, self.checksum)
        with storing(self.path.parent):
            self.file.write(data)

    def mapped(self, rows: int, dimensions: int) -> npt.NDArray[Any]:
        """Map what was written so far."""
        with storing(self.path.parent):
            self.file.flush()
        return _mapped(self.path, self.dtype, rows, dimensions)

    def keep(self, name: str, what: str) -> dict[str, str]:
        """Give the file its lasting name, which ends in the hash; return it and its checksum, as facts on ``what``."""
        target = self.path.with_name(f"{name}-{self.digest.hexdigest()}{_ENDINGS[self.dtype]}")
        with storing(self.path.parent):
            self.file.flush()
            os.fsync(self.file.fileno())
            self.file.close()
            self.path.replace(target)
        return {what: target.name, f"{what}_checksum": f"{self.checksum:08x}"}


@contextmanager
def row_file(folder: Path, half: bool) -> Iterator[RowFile]:
    """Open a temporary file of rows; unless it was kept, it is gone when the block ends."""
    path = folder / f".{secrets.token_hex(8)}.part"
    with storing(folder):
        folder.mkdir(parents=True, exist_ok=True)
        file = path.open("wb")
    try:
        with file:
            yield RowFile(path, file, _HALF if half else _SINGLE)
    finally:
        path.unlink(missing_ok=True)


def write_table(folder: Path, name: str, words: list[bytes], facts: dict[str, str]) -> int:
    """Write the file of words, the last step of an import; return how many words were given twice.

    Row ``i`` of the file of vectors, which the facts name, belongs to ``words[i]``; the first of equal words counts.
    """
    order = sorted(range(len(words)), key=words.__getitem__)
    distinct = [row for place, row in enumerate(order) if not place or words[row] != words[order[place - 1]]]
    vocabulary = Vocabulary.from_words(words[row] for row in distinct)
    arrays: dict[str, npt.NDArray[Any]] = {
        "words": vocabulary.blob,
        "word_offsets": vocabulary.offsets,
        "rows": np.array(distinct, dtype=np.int32),
    }
    with storing(folder), replacing(folder / f"{name}{SUFFIX}") as temporary:
        write_arrays(temporary, arrays, {**facts, "count": str(len(words)), "version": VERSION})
    _remove_old(folder, name, {facts["vectors"], facts.get("subwords", "")})
    return len(words) - len(distinct)


def open_table(path: Path) -> VectorTable:
    """Map an imported table."""
    name = path.name.removesuffix(SUFFIX)
    again = f"import it again with: caplens vectors import FILE --name {name}."
    try:
        arrays = read_arrays(path)
        facts = arrays.facts
        dimensions = int(facts["dimensions"])
        vocabulary = Vocabulary(arrays["words"], arrays["word_offsets"])
        check_shape("rows", arrays["rows"], len(vocabulary))
        check_range("rows", arrays["rows"], 0, int(facts["count"]))
        kind = cast(Kind, facts["kind"])
        vectors = _opened(path, facts, "vectors", int(facts["count"]), dimensions)
        fingerprint = facts["vectors"].rpartition("-")[2].partition(".")[0]
        if "subwords" not in facts:
            return StoredTable(name, kind, fingerprint, vocabulary, vectors, arrays["rows"])
        rows = _opened(path, facts, "subwords", int(facts["buckets"]), dimensions)
        subwords = Subwords(rows, int(facts["shortest"]), int(facts["longest"]))
        return SubwordTable(name, kind, fingerprint, vocabulary, vectors, arrays["rows"], subwords)
    except DamagedFileError as error:
        raise InputError(f"The word vectors {name!r} cannot be used: {str(error).rstrip('.')}; {again}") from error
    except (OSError, KeyError, ValueError) as error:
        raise InputError(f"The word vectors {name!r} at {path} cannot be used ({reason_of(error)}): {again}") from error


def _opened(table: Path, facts: Mapping[str, str], what: str, rows: int, dimensions: int) -> npt.NDArray[Any]:
    """Map the file that the facts of a table name, if it is as it was written."""
    path = table.with_name(facts[what])
    if rows < 0 or dimensions < 1:
        raise ValueError(f"{path.name} cannot have {rows:,} vectors of {dimensions:,} numbers")
    dtype = _HALF if path.suffix == _ENDINGS[_HALF] else _SINGLE
    expected = rows * dimensions * dtype.itemsize
    found = path.stat().st_size
    if found != expected:
        raise ValueError(f"{path.name} has {found:,} bytes instead of {expected:,}")
    mapped = _mapped(path, dtype, rows, dimensions)
    checksum = facts.get(f"{what}_checksum") or path.stem.rpartition("-")[2]
    if not is_verified(path, checksum, lambda: checksum == _checksum(mapped, len(checksum))):
        raise DamagedFileError(f"{path} is damaged: its checksum does not match.")
    return mapped


def _checksum(rows: npt.NDArray[Any], digits: int) -> str:
    """Return the checksum of that many digits: tables of older versions have only the long one, in their names."""
    data = np.ascontiguousarray(rows).data
    if digits == 8:
        return f"{zlib.crc32(data):08x}"
    digest = _new_digest()
    digest.update(data)
    return digest.hexdigest()


def _mapped(path: Path, dtype: np.dtype[Any], rows: int, dimensions: int) -> npt.NDArray[Any]:
    if not rows:  # an empty file cannot be mapped
        return np.zeros((0, dimensions), dtype=dtype)
    return np.memmap(path, dtype=dtype, mode="r", shape=(rows, dimensions))


def _remove_old(folder: Path, name: str, kept: set[str]) -> None:
    """Remove the vectors of an older table of this name; on Windows they stay while somebody has them mapped."""
    pattern = re.compile(re.escape(name) + r"-[0-9a-f]{16}\.f(16|32)")
    for path in folder.iterdir():
        if pattern.fullmatch(path.name) and path.name not in kept:
            try:
                path.unlink(missing_ok=True)
            except OSError:
                continue
