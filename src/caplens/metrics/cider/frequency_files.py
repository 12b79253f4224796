"""Files of document frequencies: n-grams with their numbers of documents, and facts about them all.

A ``.safetensors`` file holds the sorted n-grams as compressed lines of text, and the compressed numbers; a ``.parquet``
file is a table (``ngram``, ``df``) that other programs read too. Both have a checksum.
"""

from __future__ import annotations

import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from caplens.arrays import Integers
from caplens.errors import InputError
from caplens.files.arrays import read_arrays, write_arrays
from caplens.files.atomic import atomic_path
from caplens.files.packages import require_arrow

SUFFIXES = (".safetensors", ".parquet")
"""The endings of files that can be written."""

_PREFIX = b"caplens."
_PARQUET = b"PAR1"
_KIND = "document frequencies"
# What a compressed array may unpack to: n-grams have about four times their packed size, a bomb has a thousand.
_ALWAYS_ALLOWED = 1 << 24
_MOST_TIMES = 100


@dataclass(frozen=True, eq=False)
class FrequencyTable:
    """What a file holds.

    Attributes
    ----------
    ngrams : sequence of str
        Words with spaces between them, sorted.
    counts : numpy.ndarray of int64
        In how many documents each is.
    facts : mapping of str to str
        How many documents there are, and how they were counted.
    """

    ngrams: Sequence[str]
    counts: Integers
    facts: Mapping[str, str]


def check_target(path: Path) -> None:
    """Refuse a file that could not be written for lack of a package."""
    if path.suffix.lower() == ".parquet":
        require_arrow("Parquet files of document frequencies")


def write_table(table: FrequencyTable, path: Path) -> None:
    """Write a file; its suffix says how."""
    check_target(path)
    with atomic_path(path) as temporary:
        if path.suffix.lower() == ".parquet":
            _write_parquet(table, temporary)
        else:
            _write_arrays(table, temporary)


def read_table(path: Path) -> FrequencyTable:
    """Read a file of either kind; ValueError, KeyError or OSError (or one of Arrow's) if it is not one, or damaged."""
    with path.open("rb") as file:
        is_parquet = file.read(len(_PARQUET)) == _PARQUET
    return _read_parquet(path) if is_parquet else _read_arrays(path)


def _write_arrays(table: FrequencyTable, path: Path) -> None:
    lines = "\n".join(table.ngrams).encode()
    if table.ngrams and lines.count(b"\n") != len(table.ngrams) - 1:
        raise InputError("A word contains a line break, which only .parquet files of document frequencies can store.")
    contents = {"ngrams": lines, "df": table.counts.astype("<i4").tobytes()}
    packed = {name: np.frombuffer(zlib.compress(content, 9), np.uint8) for name, content in contents.items()}
    write_arrays(path, packed, {"kind": _KIND, **table.facts})


def _read_arrays(path: Path) -> FrequencyTable:
    arrays = read_arrays(path)
    facts = dict(arrays.facts)
    if facts.pop("kind", None) != _KIND:
        raise ValueError("it contains something else")
    lines, numbers = (_unpacked(arrays[name].tobytes()) for name in ("ngrams", "df"))
    ngrams = lines.decode().split("\n") if lines else []
    counts = np.frombuffer(numbers, "<i4").astype(np.int64)
    if len(ngrams) != len(counts):
        raise ValueError(f"it has {len(ngrams):,} n-grams and {len(counts):,} numbers")
    return FrequencyTable(ngrams, counts, facts)


def _unpacked(packed: bytes) -> bytes:
    most = max(_ALWAYS_ALLOWED, _MOST_TIMES * len(packed))
    unpacking = zlib.decompressobj()
    try:
        content = unpacking.decompress(packed, most)
    except zlib.error as error:
        raise ValueError(str(error)) from error
    if not unpacking.eof:
        raise ValueError("it does not end where it should")
    return content


def _write_parquet(table: FrequencyTable, path: Path) -> None:
    import pyarrow as pa
    import pyarrow.parquet as pq

    columns = {"ngram": pa.array(table.ngrams, pa.string()), "df": pa.array(table.counts, pa.int32())}
    facts = {**table.facts, "checksum": _checksum(table)}
    metadata = {_PREFIX + key.encode(): value.encode() for key, value in facts.items()}
    # Sorted n-grams share their beginnings: a third less to store.
    encodings = {"ngram": "DELTA_BYTE_ARRAY", "df": "DELTA_BINARY_PACKED"}
    pq.write_table(
        pa.table(columns, metadata=metadata),
        path,
        compression="zstd",
        compression_level=19,
        use_dictionary=False,
        column_encoding=encodings,
    )


def _read_parquet(path: Path) -> FrequencyTable:
    require_arrow("Parquet files of document frequencies")
    import pyarrow as pa
    import pyarrow.parquet as pq

    try:
        table = pq.read_table(path)
        facts = {
            key.removeprefix(_PREFIX).decode(): value.decode()
            for key, value in (table.schema.metadata or {}).items()
            if key.startswith(_PREFIX)
        }
        if any(column.null_count for column in table.columns):
            raise ValueError("it has empty cells")
        ngrams = table.column("ngram").to_pylist()
        counts = table.column("df").cast(pa.int64()).to_numpy()
    except pa.ArrowException as error:
        raise ValueError(str(error)) from error
    if not all(isinstance(ngram, str) for ngram in ngrams):
        raise ValueError("its n-grams are not text")
    found = FrequencyTable(ngrams, counts, facts)
    if facts.pop("checksum", None) not in (None, _checksum(found)):
        raise ValueError("its checksum does not match")
    return found


def _checksum(table: FrequencyTable) -> str:
    """Return the checksum of all that a Parquet file says."""
    lines = [f"{key}={table.facts[key]}" for key in sorted(table.facts)]
    checksum = zlib.crc32("\n".join([*lines, *table.ngrams]).encode())
    return f"{zlib.crc32(table.counts.astype('<i8').tobytes(), checksum):08x}"
